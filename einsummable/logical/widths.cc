// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/widths.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

std::vector<int64_t> divisors(int64_t n) {
  std::vector<int64_t> low, high;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d != n / d) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

struct Enumeration {
  const Signature& signature;
  const MayCut& may_cut;
  const std::function<bool(const std::vector<int64_t>&)>& visit;
  std::vector<int64_t> counts;
  std::map<std::pair<size_t, int64_t>, std::vector<int64_t>> next = {};

  // Whether to go on.
  bool descend(size_t index, int64_t remaining, size_t most_cut) {
    if (index == counts.size()) return !nested() || visit(counts);
    for (int64_t count : choices(index, remaining)) {
      if (count > 1 && most_cut == 0) break;
      counts[index] = count;
      if (!descend(index + 1, remaining / count, most_cut - (count > 1))) return false;
    }
    return true;
  }

  // The counts of an index from which the later ones can make up the rest.
  const std::vector<int64_t>& choices(size_t index, int64_t remaining) {
    const auto [place, added] = next.try_emplace({index, remaining});
    if (!added) return place->second;
    std::vector<int64_t> found;
    for (int64_t count : divisors(remaining)) {
      if (!may_cut(index, count)) continue;
      const int64_t rest = remaining / count;
      const bool possible =
          index + 1 == counts.size() ? rest == 1 : !choices(index + 1, rest).empty();
      if (possible) found.push_back(count);
    }
    return place->second = std::move(found);
  }

  bool nested() const {
    for (size_t i = 0; i < counts.size(); ++i) {
      const int32_t outer = signature.indices[i].within;
      if (outer < 0 || counts[i] == 1) continue;
      const auto position = static_cast<size_t>(outer);
      if (counts[position] != signature.indices[position].extent) return false;
    }
    return true;
  }
};

// "h at most 8, s at most 1"
std::string limits(const Signature& signature) {
  std::vector<std::string> parts;
  for (const Index& index : signature.indices) {
    if (index.cut == Index::Cut::never) continue;
    int64_t most = index.cut == Index::Cut::at_ends ? static_cast<int64_t>(index.ends.size())
                                                    : std::max<int64_t>(index.extent, 1);
    parts.push_back(index.name + " at most " + std::to_string(most));
  }
  return parts.empty() ? "no index may be cut" : join(parts, ", ");
}

}  // namespace

bool can_cut(const Index& index, int64_t count) {
  if (count == 1) return true;
  if (index.cut == Index::Cut::anywhere && index.work.kind == Work::Kind::length) {
    return count <= index.extent;
  }
  const std::optional<Cuts> cuts = near_equal(index, count);
  return cuts && is_balanced(index, *cuts);
}

MayCut own_cuts(const Signature& signature, const std::map<std::string, int64_t>& pinned) {
  return [&](size_t i, int64_t count) {
    const Index& index = signature.indices[i];
    const auto pin = pinned.find(index.name);
    return (pin == pinned.end() || pin->second == count) && can_cut(index, count);
  };
}

void for_each_counts(const Signature& signature, int64_t cells, const MayCut& may_cut,
                     const std::function<bool(const std::vector<int64_t>&)>& visit,
                     size_t most_cut) {
  if (signature.indices.empty() && cells != 1) return;
  Enumeration{signature, may_cut, visit, std::vector<int64_t>(signature.indices.size(), 1)}.descend(
      0, cells, most_cut);
}

bool feasible(const Signature& signature, int64_t cells,
              const std::map<std::string, int64_t>& pinned) {
  for (const auto& [name, count] : pinned) {
    if (find_index(signature, name) < 0) return false;
  }
  bool found = false;
  for_each_counts(signature, cells, own_cuts(signature, pinned), [&](const auto&) {
    found = true;
    return false;
  });
  return found;
}

std::vector<std::vector<int64_t>> list_counts(const Signature& signature, int64_t cells,
                                              const MayCut& may_cut, size_t limit) {
  std::vector<std::vector<int64_t>> lists;
  const auto collect = [&](size_t most_cut) {
    lists.clear();
    const auto add = [&](const std::vector<int64_t>& counts) {
      lists.push_back(counts);
      return lists.size() <= limit;
    };
    for_each_counts(signature, cells, may_cut, add, most_cut);
    return lists.size() <= limit;
  };
  if (collect(SIZE_MAX)) return lists;
  std::vector<std::vector<int64_t>> few;
  for (size_t most_cut = 0; collect(most_cut); ++most_cut) few = std::move(lists);
  if (!few.empty()) return few;
  lists.resize(limit);
  return lists;
}

Width find_width(const Signatures& signatures, int64_t p) {
  for (int64_t cells = p; cells >= 1; --cells) {
    for (size_t s = 0; s < signatures.size(); ++s) {
      if (!feasible(*signatures[s], cells, {})) continue;
      Width out{s, cells, ""};
      if (cells < p) {
        out.reason = std::to_string(p) + " cells are not possible (" + limits(*signatures[s]) +
                     "); " + std::to_string(cells) + " are the most";
      } else if (s > 0) {
        out.reason = "cut by " + signatures[s]->name + ", as the usual cuts (" +
                     limits(*signatures[0]) + ") do not give " + std::to_string(p) + " cells";
      }
      return out;
    }
  }
  throw InternalError("an operator that cannot be left whole");
}

std::optional<Width> find_pinned_width(const Signatures& signatures, int64_t p, const Width& free,
                                       const std::map<std::string, int64_t>& pinned) {
  for (int64_t cells : {p, free.cells}) {
    for (size_t s = 0; s < signatures.size(); ++s) {
      if (!feasible(*signatures[s], cells, pinned)) continue;
      return Width{s, cells, s == free.signature && cells == free.cells ? free.reason : ""};
    }
  }
  return std::nullopt;
}

}  // namespace einsummable
