// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "einsummable/base/text.h"
#include "einsummable/exchange/bounds_cuts.h"

namespace einsummable::exchange {
namespace {

using Kind = Proof::Kind;

// Of equal ones that of the simpler kind.
void keep_larger(Proof& best, const Proof& proof) {
  if (proof.kind == Kind::nothing) return;
  const bool equal = proof.ms == best.ms || std::abs(proof.ms - best.ms) <= 1e-12 * best.ms;
  if (equal ? proof.kind < best.kind : proof.ms > best.ms) best = proof;
}

// GB over GB/s is a second.
Proof over(Kind kind, double gb, const Passage& passage, bool ideal) {
  if (gb <= 0) return {};
  const double latency = ideal ? 0 : passage.latency_ms;
  return {.ms = gb / passage.gbps * 1e3 + latency, .kind = kind, .gb = gb, .gbps = passage.gbps};
}

// How many sets among the demand's holders that lie within `inside`, but not all of it is wanted
// within, are disjoint: something must leave each.
int32_t senders(const Demand& demand, const PlaceSet& inside) {
  PlaceSet used;
  int32_t count = 0;
  for (const PlaceSet& alone : demand.holders) {
    if (!alone.within(inside) || alone.meets(used) || demand.wanted.within(alone)) continue;
    used = used | alone;
    ++count;
  }
  return count;
}

// The fewest transfers by which a demand is met, times their size: up to the first place r where
// it can be formed, something leaves each of the disjoint holders without r; and something enters
// each other place it must come to. `entries` are at least this many places, r among them.
double least_volume(const Demand& demand, int32_t places, int32_t entries) {
  if (!demand.whole) {
    return demand.entry_gb *
           std::max(senders(demand, PlaceSet::first(places)), demand.lacking.size());
  }
  double least = std::numeric_limits<double>::infinity();
  for (int32_t r = 0; r < places; ++r) {
    const PlaceSet first = PlaceSet::single(r);
    PlaceSet used = first;
    int32_t sent = 0;
    for (const PlaceSet& alone : demand.holders) {
      if (alone.meets(used)) continue;
      used = used | alone;
      ++sent;
    }
    const int32_t formed = (demand.formable | first).size();
    const int32_t entered = std::max(demand.lacking.without(first).size(), entries - formed);
    least = std::min(least, sent * demand.part_gb + entered * demand.entry_gb);
  }
  return least;
}

std::string amount_text(double value, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  while (value < 1 && unit + 1 != units.end()) {
    value *= 1e3;
    ++unit;
  }
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::max(value, 1.0))));
  std::string text = float_text(std::round(value * scale) / scale);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + " " + *unit;
}

}  // namespace

// The fewest places that have this many sites.
int32_t CutTable::places_for(int64_t sites) const {
  std::vector<int64_t> sizes;
  for (const auto& members : places_.sites) sizes.push_back(std::ssize(members));
  std::ranges::sort(sizes, std::greater<>());
  int32_t count = 0;
  for (; sites > 0 && count < std::ssize(sizes); ++count)
    sites -= sizes[static_cast<size_t>(count)];
  return count;
}

Proof CutTable::prove_cut(const Cut& cut, std::span<const Demand> demands, bool ideal) const {
  const Cut& everything = cuts_[everything_];
  const PlaceSet outside = everything.inside.without(cut.inside);
  const int64_t sites_outside = everything.sites_inside - cut.sites_inside;
  double out = 0, in = 0, to = 0, from = 0;
  for (const Demand& demand : demands) {
    if (demand.leaves(cut.inside, cut.sites_inside)) out += demand.entry_gb;
    if (demand.leaves(outside, sites_outside)) in += demand.entry_gb;
    to += demand.entry_gb * (demand.lacking & cut.inside).size();
    from += demand.entry_gb * senders(demand, cut.inside);
  }
  Proof best = over(Kind::out, out, cut.out, ideal);
  keep_larger(best, over(Kind::across, out + in, cut.across, ideal));
  keep_larger(best, over(Kind::to, to, cut.to, ideal));
  keep_larger(best, over(Kind::from, from, cut.from, ideal));
  return best;
}

// What all lies in a set of places and is wanted in it is formed there, at the cost of memory, or
// else enters it: for any a, T (memory + a * way in) is at least the sum of min(formed, a * entry).
Proof CutTable::prove_memory(const Cut& cut, std::span<const Demand> demands, bool ideal) const {
  if (cut.memory.gbps <= 0) return {};
  double formed = 0, least = 0, most = 0;  // least, most: formed / entry
  const auto is_local = [&](const Demand& demand) {
    return demand.formed_gb > 0 && demand.sources.within(cut.inside) &&
           demand.wanted.meets(cut.inside);
  };
  for (const Demand& demand : demands) {
    if (!is_local(demand)) continue;
    const double ratio = demand.formed_gb / demand.entry_gb;
    least = formed == 0 ? ratio : std::min(least, ratio);
    most = std::max(most, ratio);
    formed += demand.formed_gb;
  }
  if (formed == 0) return {};
  if (cut.in.gbps <= 0) return over(Kind::memory, formed, cut.memory, ideal);
  Proof best;
  for (double a : {least, most}) {
    double gb = 0;
    for (const Demand& demand : demands) {
      if (is_local(demand)) gb += std::min(demand.formed_gb, a * demand.entry_gb);
    }
    const Passage both{cut.memory.gbps + a * cut.in.gbps,
                       std::min(cut.memory.latency_ms, cut.in.latency_ms)};
    keep_larger(best, over(Kind::memory, gb, both, ideal));
  }
  return best;
}

Proof CutTable::prove_latency(std::span<const Demand> demands) const {
  Proof best;
  const double kernel_ms = cuts_[everything_].memory.latency_ms;
  const auto at = [&](int32_t from, int32_t to) {
    return distance_ms_[static_cast<size_t>(from * places_.count() + to)];
  };
  for (const Demand& demand : demands) {
    const double formed_ms = demand.formed_gb > 0 ? kernel_ms : 0;
    for (const PlaceSet& alone : demand.holders) {
      const std::vector<int32_t> holders = alone.members();
      for (int32_t to : demand.wanted.members()) {
        const int32_t from =
            *std::ranges::min_element(holders, {}, [&](int32_t holder) { return at(holder, to); });
        keep_larger(best, {.ms = at(from, to) + formed_ms,
                           .kind = Kind::latency,
                           .site_from = places_.sites[static_cast<size_t>(from)][0],
                           .site_to = places_.sites[static_cast<size_t>(to)][0]});
      }
    }
  }
  return best;
}

Proof CutTable::prove(std::span<const Demand> demands, bool ideal) const {
  Proof best;
  double volume = 0;
  for (const Demand& demand : demands) {
    volume += least_volume(demand, places_.count(), places_for(demand.spread));
  }
  keep_larger(best, over(Kind::total, volume, cuts_[everything_].from, ideal));
  for (size_t i = 0; i < cuts_.size(); ++i) {
    Proof proof = prove_cut(cuts_[i], demands, ideal);
    keep_larger(proof, prove_memory(cuts_[i], demands, ideal));
    proof.cut = static_cast<int32_t>(i);
    keep_larger(best, proof);
  }
  if (!ideal) keep_larger(best, prove_latency(demands));
  return best;
}

std::string CutTable::set_text(const PlaceSet& places) const {
  const auto sites_of = [&](const PlaceSet& set) {
    std::vector<int32_t> sites;
    for (int32_t place : set.members()) {
      const auto& members = places_.sites[static_cast<size_t>(place)];
      sites.insert(sites.end(), members.begin(), members.end());
    }
    std::ranges::sort(sites);
    std::vector<std::string> names;
    for (int32_t site : sites) names.push_back(std::to_string(site));
    return "{" + join(names, ",") + "}";
  };
  const PlaceSet all = places_.all();
  if (places == all) return "all sites";
  const bool rest = places.size() > 8 && 2 * places.size() > all.size();
  return rest ? "all sites but " + sites_of(all.without(places)) : sites_of(places);
}

int32_t CutTable::first_site(int32_t cut) const {
  const int32_t place = cuts_[static_cast<size_t>(cut)].inside.members().front();
  return places_.sites[static_cast<size_t>(place)].front();
}

std::string CutTable::text(const Proof& proof) const {
  const std::string set =
      proof.cut < 0 ? "" : set_text(cuts_[static_cast<size_t>(proof.cut)].inside);
  const std::string amount = amount_text(proof.gb, {"GB", "MB", "kB", "B"}) + " ";
  const std::string rate = proof.gbps > 0
                               ? " over " + amount_text(proof.gbps, {"GB/s", "MB/s", "kB/s", "B/s"})
                               : ", and there is no way";
  switch (proof.kind) {
    case Kind::nothing:
      return "nothing to do";
    case Kind::out:
      return "cut " + set + ": " + amount + "leave" + rate;
    case Kind::across:
      return "cut " + set + ": " + amount + "cross both ways" + rate;
    case Kind::to:
      return "volume into " + set + ": " + amount + "in all" + rate;
    case Kind::from:
      return "volume out of " + set + ": " + amount + "in all" + rate;
    case Kind::total:
      return "volume: " + amount + "in all" + rate;
    case Kind::memory:
      return "HBM of " + (cuts_[static_cast<size_t>(proof.cut)].sites_inside == 1
                              ? "site " + std::to_string(first_site(proof.cut))
                              : set);
    case Kind::latency:
      return "latency from site " + std::to_string(proof.site_from) + " to " +
             std::to_string(proof.site_to);
  }
  return "";
}

}  // namespace einsummable::exchange
