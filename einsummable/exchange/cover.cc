// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/cover.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

namespace einsummable::exchange {
namespace {

using Bits = std::vector<uint64_t>;
using Sets = std::vector<int32_t>;

constexpr int32_t impossible = 1 << 30;
// The search calls itself once a set chosen; deeper ones are too hard.
constexpr int32_t depth_limit = 2'000;

struct BitsHash {
  size_t operator()(const Bits& bits) const {
    uint64_t h = 0;
    for (uint64_t word : bits) {
      h = (h ^ word) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }
};

bool contains(std::span<const uint64_t> larger, std::span<const uint64_t> smaller) {
  for (size_t w = 0; w < larger.size(); ++w) {
    if ((smaller[w] & ~larger[w]) != 0) return false;
  }
  return true;
}

Bits without(Bits bits, std::span<const uint64_t> removed) {
  for (size_t w = 0; w < bits.size(); ++w) bits[w] &= ~removed[w];
  return bits;
}

bool has(std::span<const uint64_t> bits, size_t element) {
  return (bits[element / 64] >> (element % 64) & 1) != 0;
}

bool is_empty(const Bits& bits) {
  return std::ranges::all_of(bits, [](uint64_t word) { return word == 0; });
}

template <class Visit>
void each_element(const Bits& bits, Visit visit) {
  for (size_t w = 0; w < bits.size(); ++w) {
    for (uint64_t word = bits[w]; word != 0; word &= word - 1) {
      visit(64 * w + static_cast<size_t>(std::countr_zero(word)));
    }
  }
}

// Remembers the least number of sets for every set of uncovered elements it has met.
class CoverSearch {
 public:
  CoverSearch(int32_t elements, std::span<const std::vector<int32_t>> sets, Budget& budget)
      : words_((static_cast<size_t>(elements) + 63) / 64), sets_(sets), budget_(budget) {
    masks_.assign(sets.size() * words_, 0);
    for (size_t i = 0; i < sets.size(); ++i) {
      for (int32_t e : sets[i]) {
        masks_[i * words_ + static_cast<size_t>(e) / 64] |= uint64_t{1} << (e % 64);
      }
    }
    all_.assign(words_, 0);
    for (int32_t e = 0; e < elements; ++e)
      all_[static_cast<size_t>(e) / 64] |= uint64_t{1} << (e % 64);
    counts_.resize(static_cast<size_t>(elements));
    roots_.resize(static_cast<size_t>(elements));
  }

  Cover run() {
    Sets live(sets_.size());
    std::iota(live.begin(), live.end(), 0);
    const int32_t fewest = solve(all_, live, 0);
    if (too_hard_) return {Cover::Outcome::too_hard};
    if (fewest >= impossible) return {Cover::Outcome::none};
    Cover cover{Cover::Outcome::found};
    Bits open = all_;
    while (!is_empty(open)) {
      const int32_t chosen = first_best(open, live);
      if (too_hard_) return {Cover::Outcome::too_hard};
      cover.sets.push_back(chosen);
      open = without(std::move(open), mask(chosen));
      live = inside(open, live);
    }
    return cover;
  }

 private:
  std::span<const uint64_t> mask(int32_t set) const {
    return std::span(masks_).subspan(static_cast<size_t>(set) * words_, words_);
  }

  Sets inside(const Bits& open, const Sets& live) const {
    Sets kept;
    for (int32_t s : live) {
      if (contains(open, mask(s))) kept.push_back(s);
    }
    return kept;
  }

  // The earliest set with the least open element that some fewest cover has.
  int32_t first_best(const Bits& open, const Sets& live) {
    const int32_t fewest = solve(open, live, 0);
    size_t least = all_.size() * 64;
    each_element(open, [&](size_t e) { least = std::min(least, e); });
    for (int32_t s : live) {
      if (too_hard_) return s;
      if (!has(mask(s), least)) continue;
      const Bits rest = without(open, mask(s));
      if (solve(rest, live, 0) + 1 == fewest) return s;
    }
    too_hard_ = true;
    return 0;
  }

  // The least number of sets that partition the open elements, among those of `outer` inside them.
  int32_t solve(const Bits& open, const Sets& outer, int32_t depth) {
    if (is_empty(open)) return 0;
    const auto known = memo_.find(open);
    if (known != memo_.end()) return known->second;
    const Sets live = inside(open, outer);
    const auto work = static_cast<int64_t>((outer.size() + live.size()) * words_);
    if (depth > depth_limit || !budget_.spend_nodes(1 + work / 16)) too_hard_ = true;
    if (too_hard_) return impossible;
    const int32_t fewest = solve_new(open, live, depth);
    if (!too_hard_) memo_.emplace(open, fewest);
    return fewest;
  }

  int32_t solve_new(const Bits& open, const Sets& live, int32_t depth) {
    each_element(open, [&](size_t e) {
      counts_[e] = 0;
      roots_[e] = e;
    });
    int64_t largest = 0;
    for (int32_t s : live) {
      if (std::ranges::equal(mask(s), open)) return 1;
      const auto first = static_cast<size_t>(sets_[static_cast<size_t>(s)][0]);
      for (int32_t e : sets_[static_cast<size_t>(s)]) {
        ++counts_[static_cast<size_t>(e)];
        roots_[root(static_cast<size_t>(e))] = root(first);
      }
      largest = std::max(largest, static_cast<int64_t>(sets_[static_cast<size_t>(s)].size()));
    }
    size_t rarest = all_.size() * 64;
    int64_t elements = 0;
    each_element(open, [&](size_t e) {
      ++elements;
      if (rarest == all_.size() * 64 || counts_[e] < counts_[rarest]) rarest = e;
    });
    if (counts_[rarest] == 0) return impossible;
    const std::vector<Bits> parts = components(open);
    if (parts.size() > 1) return solve_components(parts, live, depth);
    return branch(open, live, rarest, static_cast<int32_t>((elements + largest - 1) / largest),
                  depth);
  }

  // Elements that no chain of sets joins are covered apart.
  int32_t solve_components(const std::vector<Bits>& parts, const Sets& live, int32_t depth) {
    int32_t sum = 0;
    for (const Bits& part : parts) {
      sum += solve(part, live, depth + 1);
      if (sum >= impossible || too_hard_) return impossible;
    }
    return sum;
  }

  int32_t branch(const Bits& open, const Sets& live, size_t element, int32_t bound, int32_t depth) {
    int32_t best = impossible;
    for (int32_t s : live) {
      if (!has(mask(s), element)) continue;
      const Bits rest = without(open, mask(s));
      best = std::min(best, 1 + solve(rest, live, depth + 1));
      if (too_hard_ || best == bound) break;
    }
    return std::min(best, impossible);
  }

  size_t root(size_t e) {
    while (roots_[e] != e) e = roots_[e] = roots_[roots_[e]];
    return e;
  }

  std::vector<Bits> components(const Bits& open) {
    std::vector<Bits> parts;
    std::unordered_map<size_t, size_t> index;
    each_element(open, [&](size_t e) {
      const auto [at, fresh] = index.try_emplace(root(e), parts.size());
      if (fresh) parts.emplace_back(words_, 0);
      parts[at->second][e / 64] |= uint64_t{1} << (e % 64);
    });
    return parts;
  }

  size_t words_;
  std::span<const std::vector<int32_t>> sets_;
  Budget& budget_;
  Bits masks_;  // of all sets, one after another
  Bits all_;
  std::vector<int32_t> counts_;  // of the state at work: how many live sets hold each element
  std::vector<size_t> roots_;    // of the state at work: union-find over elements
  std::unordered_map<Bits, int32_t, BitsHash> memo_;
  bool too_hard_ = false;
};

}  // namespace

Cover fewest_cover(int32_t elements, std::span<const std::vector<int32_t>> sets, Budget& budget) {
  return CoverSearch(elements, sets, budget).run();
}

}  // namespace einsummable::exchange
