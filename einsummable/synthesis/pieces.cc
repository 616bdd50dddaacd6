// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/pieces.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace einsummable::synthesis {
namespace {

using namespace exchange;

__extension__ using Wide = __int128;

int64_t scaled(int64_t bytes, int64_t size, int64_t of) {
  return of == 0 ? 0 : static_cast<int64_t>(static_cast<Wide>(bytes) * size / of);
}

int32_t root_of(std::vector<int32_t>& parents, int32_t a) {
  while (parents[static_cast<size_t>(a)] != a) {
    parents[static_cast<size_t>(a)] = parents[static_cast<size_t>(parents[static_cast<size_t>(a)])];
    a = parents[static_cast<size_t>(a)];
  }
  return a;
}

// Appends `count` sizes that add up to `grains` grains and differ by one at most.
void split_evenly(int64_t grains, int64_t count, int64_t grain, std::vector<int64_t>& sizes) {
  for (int64_t k = 0; k < count; ++k)
    sizes.push_back((grains / count + (k < grains % count ? 1 : 0)) * grain);
}

// Atoms whose pieces would have the names of others: A, if there is an A.0.
std::vector<bool> names_taken(const Program& program) {
  std::unordered_map<std::string_view, size_t> known;
  for (size_t a = 0; a < program.atoms().size(); ++a) known[program.atoms()[a].name] = a;
  std::vector<bool> taken(program.atoms().size(), false);
  for (const Atom& atom : program.atoms()) {
    const std::string_view name = atom.name;
    const size_t digits = name.find_last_not_of("0123456789");
    if (digits == std::string_view::npos || digits + 1 == name.size() || name[digits] != '.')
      continue;
    const auto stem = known.find(name.substr(0, digits));
    if (stem != known.end()) taken[stem->second] = true;
  }
  return taken;
}

}  // namespace

Cutter::Cutter(const Program& preamble, std::span<const Commodity> commodities,
               const Packing& packing)
    : program_(preamble), commodities_(commodities), packing_(packing) {
  std::vector<int32_t> parents(preamble.atoms().size());
  std::iota(parents.begin(), parents.end(), 0);
  // Everything that must be cut alike: the atoms of each aggregate of IN or OUT.
  const auto join = [&](AggregateId aggregate) {
    const auto atoms = preamble.atoms(aggregate);
    for (AtomId a : atoms)
      parents[static_cast<size_t>(root_of(parents, a.value))] = root_of(parents, atoms[0].value);
  };
  for (const Given& g : preamble.given()) join(g.aggregate);
  for (const Requirement& r : preamble.required()) join(r.aggregate);
  std::vector<int32_t> group_of(parents.size(), -1);
  for (size_t c = 0; c < commodities.size(); ++c) {
    begins_.emplace_back();
    double begin = 0;
    for (size_t d = 0; d < commodities[c].demands.size(); ++d) {
      const Demand& demand = commodities[c].demands[d];
      const AtomId atom = preamble.atoms(demand.aggregate)[0];
      int32_t& group = group_of[static_cast<size_t>(root_of(parents, atom.value))];
      if (group < 0) {
        group = static_cast<int32_t>(groups_.size());
        groups_.push_back({.demands = {}, .atoms = {}, .bytes = preamble.atom(atom).bytes});
      }
      groups_[static_cast<size_t>(group)].demands.emplace_back(c, d);
      begins_.back().push_back(begin);
      begin += static_cast<double>(demand.bytes);
    }
  }
  const std::vector<bool> taken = names_taken(preamble);
  for (size_t a = 0; a < parents.size(); ++a) {
    const int32_t group = group_of[static_cast<size_t>(root_of(parents, static_cast<int32_t>(a)))];
    if (group < 0) continue;
    groups_[static_cast<size_t>(group)].atoms.emplace_back(static_cast<int64_t>(a));
    int64_t& grain = groups_[static_cast<size_t>(group)].grain;
    const int64_t other = preamble.atoms()[a].grain.value_or(1);
    if (taken[a]) grain = 0;
    if (grain == 0) continue;
    const Wide common = static_cast<Wide>(grain / std::gcd(grain, other)) * other;
    const int64_t bytes = groups_[static_cast<size_t>(group)].bytes;
    grain = common > bytes || bytes % static_cast<int64_t>(common) != 0
                ? 0
                : static_cast<int64_t>(common);
  }
}

Pieces Cutter::cut(double q) const {
  Pieces pieces;
  for (const Commodity& c : commodities_) pieces.of.emplace_back(c.demands.size());
  for (const Group& group : groups_)
    group.demands.size() == 1 ? cut_alone(group, q, pieces) : cut_alike(group, q, pieces);
  return pieces;
}

// The trees of a commodity share out the bytes of its demands from the first to the last; a demand
// takes the trees that fall on it.
void Cutter::cut_alone(const Group& group, double q, Pieces& pieces) const {
  const auto [c, d] = group.demands[0];
  const Commodity& commodity = commodities_[c];
  const Demand& demand = commodity.demands[d];
  const double scale =
      static_cast<double>(group.bytes) / static_cast<double>(std::max<int64_t>(demand.bytes, 1));
  const int64_t grains = group.grain > 0 ? group.bytes / group.grain : 1;
  const double begin = begins_[c][d];
  const double end = begin + static_cast<double>(demand.bytes);
  struct Portion {
    int32_t tree;
    double bytes;
  };
  std::vector<Portion> portions;
  double at = 0;
  for (size_t t = 0; t < packing_.commodities[c].size(); ++t) {
    const double next = at + packing_.commodities[c][t].part * commodity.bytes;
    const double bytes = (std::min(next, end) - std::max(at, begin)) * scale;
    if (bytes > 0) portions.push_back({static_cast<int32_t>(t), bytes});
    at = next;
  }
  if (portions.empty())
    portions.push_back({static_cast<int32_t>(packing_.commodities[c].size()) - 1, 1});
  // What is too small for a piece of its own goes to its neighbour.
  const double least = std::max(q / 4, static_cast<double>(group.grain) / 2);
  while (portions.size() > 1) {
    const auto small = std::ranges::min_element(portions, {}, &Portion::bytes);
    if (group.grain > 0 && small->bytes >= least) break;
    const auto other = small == portions.begin() ? small + 1 : small - 1;
    other->bytes += small->bytes;
    portions.erase(small);
  }
  std::vector<int64_t> sizes;
  std::vector<int32_t> trees;
  double done = 0;
  int64_t used = 0;
  for (size_t k = 0; k < portions.size(); ++k) {
    done += portions[k].bytes;
    const double share = done / static_cast<double>(std::max<int64_t>(group.bytes, 1));
    int64_t until = std::llround(share * static_cast<double>(grains));
    if (k + 1 == portions.size()) until = grains;
    until = std::clamp(until, used, grains);
    const int64_t count =
        std::min<int64_t>(until - used, std::max<int64_t>(1, std::llround(portions[k].bytes / q)));
    if (count <= 0) continue;
    split_evenly(until - used, count, group.grain > 0 ? group.grain : group.bytes, sizes);
    trees.resize(sizes.size(), portions[k].tree);
    used = until;
  }
  add(c, d, sizes, trees, pieces);
  if (sizes.size() > 1) pieces.cuts.push_back({group.atoms, std::move(sizes)});
}

// All demands are cut at the same places, into equal pieces; each hands them out to its trees in
// turn, by their parts.
void Cutter::cut_alike(const Group& group, double q, Pieces& pieces) const {
  const int64_t grains = group.grain > 0 ? group.bytes / group.grain : 1;
  const int64_t count = std::clamp<int64_t>(std::llround(static_cast<double>(group.bytes) / q), 1,
                                            std::max<int64_t>(grains, 1));
  std::vector<int64_t> sizes;
  split_evenly(grains, count, group.grain > 0 ? group.grain : group.bytes, sizes);
  for (const auto& [c, d] : group.demands) {
    const auto& shares = packing_.commodities[c];
    std::vector<double> owed(shares.size(), 0);
    std::vector<int32_t> trees;
    for (size_t k = 0; k < sizes.size(); ++k) {
      for (size_t t = 0; t < shares.size(); ++t) owed[t] += shares[t].part;
      const auto most = std::ranges::max_element(owed);
      *most -= 1;
      trees.push_back(static_cast<int32_t>(most - owed.begin()));
    }
    add(c, d, sizes, trees, pieces);
  }
  if (sizes.size() > 1) pieces.cuts.push_back({group.atoms, std::move(sizes)});
}

void Cutter::add(size_t commodity, size_t demand, std::span<const int64_t> sizes,
                 std::span<const int32_t> trees, Pieces& pieces) const {
  std::vector<int32_t> counts(packing_.commodities[commodity].size(), 0);
  for (int32_t t : trees) ++counts[static_cast<size_t>(t)];
  std::vector<int32_t> seen(counts.size(), 0);
  const Demand& asked = commodities_[commodity].demands[demand];
  const int64_t size = program_.atom(program_.atoms(asked.aggregate)[0]).bytes;
  const int64_t complete = program_.bytes(asked.aggregate);
  std::vector<Piece>& list = pieces.of[commodity][demand];
  int64_t begin = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const auto t = static_cast<size_t>(trees[k]);
    const int64_t end = begin + sizes[k];
    list.push_back({.tree = trees[k],
                    .bytes = sizes[k],
                    .complete = scaled(end, complete, size) - scaled(begin, complete, size),
                    .turn = static_cast<double>(seen[t]) / counts[t],
                    .place = seen[t]});
    ++seen[t];
    begin = end;
  }
}

}  // namespace einsummable::synthesis
