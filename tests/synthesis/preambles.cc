// SPDX-License-Identifier: Apache-2.0
#include "tests/synthesis/preambles.h"

#include <algorithm>
#include <cmath>

#include "einsummable/exchange/collective.h"

namespace einsummable::synthesis {

using namespace exchange;

namespace {

AggregateId atom(Program& program, const std::string& name, int64_t bytes) {
  return program.aggregate(program.add_atom({.name = name, .bytes = bytes}));
}

void repartition(Program& program, int64_t bytes) {
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 4; ++column) {
      const AggregateId cell = atom(program, "T" + std::to_string(4 * row + column), bytes / 2);
      program.give(cell, SiteId(row / 2 * 4 + column));
      program.require(cell, SiteId(row * 2 + column / 2));
    }
  }
}

}  // namespace

Program standard(std::string_view what, int32_t sites, int64_t bytes) {
  if (what != "repartition") return exchange::collective(what, sites, bytes);
  Program program;
  program.set_sites(sites);
  repartition(program, bytes);
  return program;
}

Program example_5_3(const std::vector<int64_t>& first) {
  Program program;
  program.set_sites(8);
  std::vector<SiteId> one, two;
  for (int64_t s = 0; s < 8; ++s)
    (std::ranges::find(first, s) != first.end() ? one : two).emplace_back(s);
  const PartitionId g1 =
      first.empty() ? program.add_open_partition("G1", 4) : program.add_partition("G1", one);
  const PartitionId g2 =
      first.empty() ? program.add_open_partition("G2", 4) : program.add_partition("G2", two);
  std::vector<AtomId> abef, cdgh;
  for (int64_t s = 0; s < 8; ++s) {
    const AtomId a = program.add_atom({.name = std::string(1, static_cast<char>('A' + s))});
    program.give(program.aggregate(a), SiteId(s));
    (s % 4 < 2 ? abef : cdgh).push_back(a);
  }
  program.require(program.aggregate(abef), g1);
  program.require(program.aggregate(cdgh), g2);
  return program;
}

Program random_demands(int32_t sites, std::mt19937_64& random) {
  Program program;
  program.set_sites(sites);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  const auto some_sites = [&](int64_t most) {
    std::vector<SiteId> all = program.sites();
    std::shuffle(all.begin(), all.end(), random);
    all.resize(static_cast<size_t>(1 + below(std::min<int64_t>(most, sites))));
    return all;
  };
  const auto kind = below(3);  // sums, multicasts, both
  const int64_t demands = 1 + below(6);
  for (int64_t d = 0; d < demands; ++d) {
    const double magnitude = 3 + 6.6 * static_cast<double>(below(1'000)) / 1'000;
    const auto bytes = static_cast<int64_t>(std::pow(10, magnitude));
    const bool summed = kind == 0 || (kind == 2 && below(2) == 0);
    std::vector<AtomId> atoms;
    for (int64_t k = summed ? 2 + below(sites) : 1; k > 0; --k) {
      const std::string name = "a" + std::to_string(d) + "." + std::to_string(k);
      atoms.push_back(program.add_atom({.name = name, .bytes = bytes}));
      for (SiteId s : some_sites(below(4) == 0 ? 3 : 1))
        program.give(program.aggregate(atoms.back()), s);
    }
    const AggregateId whole = program.aggregate(atoms);
    if (summed && below(8) == 0) program.give(whole, some_sites(1)[0]);
    if (summed && below(4) == 0) program.set_complete_bytes(whole, std::max<int64_t>(bytes / 2, 1));
    for (SiteId s : some_sites(sites)) program.require(whole, s);
    if (atoms.size() > 2 && below(4) == 0) {
      atoms.pop_back();
      if (!program.has_own_bytes(whole))
        program.require(program.aggregate(atoms), some_sites(1)[0]);
    }
  }
  return program;
}

}  // namespace einsummable::synthesis
