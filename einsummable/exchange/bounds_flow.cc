// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/bounds_flow.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "einsummable/exchange/linear_program.h"

namespace einsummable::exchange {
namespace {

using Set = uint32_t;  // of places
constexpr double infinity = LinearProgram::infinity;
constexpr double tolerance = 1e-7;

Set set_of(const PlaceSet& places) {
  Set out = 0;
  for (int32_t place : places.members()) out |= Set{1} << place;
  return out;
}

// What the sum of some flows must carry out of each set of places: need[set], times the value of a
// column if there is one.
struct Crossings {
  std::vector<int32_t> flows;
  std::vector<double> need;
  int32_t scale = -1;
};

bool is_sum_for_several(const Demand& demand) {
  return demand.whole && demand.holders.size() > 1 && demand.lacking.size() > 1;
}

class FlowProgram {
 public:
  FlowProgram(const Places& places, const Topology& topology, std::span<const Demand> demands)
      : places_(places), n_(places.count()) {
    for (const Demand& demand : demands) unit_gb_ = std::max(unit_gb_, demand.entry_gb);
    for (const Resource& resource : topology.resources) {
      unit_gbps_ = std::max(unit_gbps_, resource.gbps);
    }
    std::vector<LinearProgram::Entry> time;
    for (const Resource& resource : topology.resources) {
      time.push_back({program_.add_row(-infinity, 0), -resource.gbps / unit_gbps_});
    }
    program_.add_column(1, time);
  }

  void add(const Demand& demand) {
    if (is_sum_for_several(demand)) {
      add_sum(demand);
      return;
    }
    // One source and one sink: flows from one source are one flow.
    const bool single = demand.holders.size() == 1 && demand.lacking.size() == 1;
    const auto [known, added] = single ? from_.try_emplace(demand.holders[0], crossings_.size())
                                       : std::pair{from_.end(), true};
    if (added) crossings_.push_back({{add_flow()}, std::vector<double>(sets()), -1});
    Crossings& crossings = single ? crossings_[known->second] : crossings_.back();
    require(crossings.need, demand, demand.wanted, demand.entry_gb);
  }

  // Whether a bound was found. Without all cuts it is a lower one.
  bool solve(int32_t rounds, double enough_ms) {
    for (Crossings& crossings : crossings_) start(crossings);
    for (int32_t round = 0; round < rounds; ++round) {
      if (program_.solve() != LinearProgram::Outcome::optimal) return solved_;
      ms_ = program_.objective() * unit_gb_ / unit_gbps_ * 1e3;
      shares_.clear();
      for (int32_t column : first_) shares_.push_back(program_.value(column));
      solved_ = true;
      if (ms_ >= enough_ms) return true;
      bool more = false;
      for (const Crossings& crossings : crossings_) more = cut(crossings) || more;
      if (!more) return true;
    }
    return true;
  }

  double ms() const { return ms_; }
  // Of the first sum for several places, the share of each as the first to form it.
  const std::vector<double>& first() const { return shares_; }

 private:
  size_t sets() const { return size_t{1} << n_; }
  double scaled(double gb) const { return gb / unit_gb_; }

  // A column for each way.
  int32_t add_flow() {
    const auto flow = static_cast<int32_t>(flows_.size());
    flows_.push_back(program_.columns());
    for (const Way& way : places_.ways) {
      std::vector<LinearProgram::Entry> entries;
      for (int32_t resource : way.resources) entries.push_back({resource, 1});
      program_.add_column(0, entries);
    }
    return flow;
  }
  int32_t column(int32_t flow, size_t way) const {
    return flows_[static_cast<size_t>(flow)] + static_cast<int32_t>(way);
  }

  // Adds what must leave each set that holds some of the demand alone, but not all of `to`.
  void require(std::vector<double>& need, const Demand& demand, const PlaceSet& to,
               double gb) const {
    const Set wanted = set_of(to);
    std::vector<Set> holders;
    for (const PlaceSet& alone : demand.holders) holders.push_back(set_of(alone));
    for (Set set = 0; set < sets(); ++set) {
      if ((wanted & ~set) == 0) continue;
      if (std::ranges::any_of(holders, [&](Set alone) { return (alone & ~set) == 0; })) {
        need[set] += scaled(gb);
      }
    }
  }

  void add_sum(const Demand& demand) {
    const int32_t shares = program_.add_row(1, infinity);
    const bool is_first = first_.empty();
    for (int32_t r = 0; r < n_; ++r) {
      const int32_t share = program_.add_column(0, {{shares, 1}});
      if (is_first) first_.push_back(share);
      const int32_t x = add_flow(), y = add_flow();
      Crossings to_first{{x}, std::vector<double>(sets()), share};
      require(to_first.need, demand, PlaceSet::single(r), demand.part_gb);
      crossings_.push_back(std::move(to_first));
      Crossings to_all{{x, y}, std::vector<double>(sets()), share};
      require(to_all.need, demand, demand.wanted, demand.entry_gb);
      crossings_.push_back(std::move(to_all));
      for (int32_t q : demand.lacking.without(PlaceSet::single(r)).members()) {
        std::vector<LinearProgram::Term> terms = {{share, -scaled(demand.entry_gb)}};
        for (size_t way = 0; way < places_.ways.size(); ++way) {
          if (places_.ways[way].to == q) terms.push_back({column(y, way), 1});
        }
        program_.add_row(0, infinity, terms);
      }
    }
  }

  void add_row(const Crossings& crossings, Set set) {
    std::vector<LinearProgram::Term> terms;
    for (size_t i = 0; i < places_.ways.size(); ++i) {
      const Way& way = places_.ways[i];
      if ((set >> way.from & 1) == 0 || (set >> way.to & 1) != 0) continue;
      for (int32_t flow : crossings.flows) terms.push_back({column(flow, i), 1});
    }
    const double need = crossings.need[set];
    if (crossings.scale < 0) {
      program_.add_row(need, infinity, terms);
    } else {
      terms.push_back({crossings.scale, -need});
      program_.add_row(0, infinity, terms);
    }
  }

  // The cuts around single places.
  void start(const Crossings& crossings) {
    const Set all = static_cast<Set>(sets() - 1);
    for (int32_t place = 0; place < n_; ++place) {
      const Set one = Set{1} << place;
      if (crossings.need[one] > 0) add_row(crossings, one);
      if (n_ > 2 && crossings.need[all & ~one] > 0) add_row(crossings, all & ~one);
    }
  }

  // Adds the cut that the flows fall short of most; whether there is one.
  bool cut(const Crossings& crossings) {
    const auto n = static_cast<size_t>(n_);
    std::vector<double> between(n * n, 0);
    for (size_t i = 0; i < places_.ways.size(); ++i) {
      const Way& way = places_.ways[i];
      for (int32_t flow : crossings.flows) {
        between[static_cast<size_t>(way.from) * n + static_cast<size_t>(way.to)] +=
            program_.value(column(flow, i));
      }
    }
    const double scale = crossings.scale < 0 ? 1 : program_.value(crossings.scale);
    if (scale < tolerance) return false;
    carried_.assign(sets(), 0);
    double worst = tolerance;
    Set chosen = 0;
    for (Set set = 1; set < sets(); ++set) {
      const auto last = static_cast<size_t>(std::countr_zero(set));
      const Set rest = set & (set - 1);
      double carried = carried_[rest];
      for (size_t other = 0; other < n; ++other) {
        const bool inside = (rest >> other & 1) != 0;
        carried += inside ? -between[other * n + last] : between[last * n + other];
      }
      carried_[set] = carried;
      const double lack = crossings.need[set] * scale - carried;
      if (lack > worst) {
        worst = lack;
        chosen = set;
      }
    }
    if (chosen == 0) return false;
    add_row(crossings, chosen);
    return true;
  }

  const Places& places_;
  int32_t n_;
  double unit_gb_ = 0;
  double unit_gbps_ = 0;
  LinearProgram program_;
  std::vector<int32_t> flows_;  // the first column of each
  std::vector<Crossings> crossings_;
  std::map<PlaceSet, size_t> from_;  // the crossings of what has this one source, and one sink
  std::vector<int32_t> first_;       // columns: the shares of the first sum for several
  std::vector<double> carried_;      // out of each set
  double ms_ = 0;
  std::vector<double> shares_;
  bool solved_ = false;
};

}  // namespace

std::optional<FlowBound> flow_bound(const Places& places, const Topology& topology,
                                    std::span<const Demand> demands, const FlowLimits& limits) {
  const auto ways = std::ssize(places.ways);
  int64_t columns = 0;
  bool anything = false;
  FlowBound out;
  for (size_t i = 0; i < demands.size(); ++i) {
    const Demand& demand = demands[i];
    if (demand.spread > 0) return std::nullopt;
    anything = anything || demand.entry_gb > 0;
    const bool sum = is_sum_for_several(demand);
    columns += sum ? 2 * ways * places.count() : ways;
    out.exact = out.exact && (demand.holders.size() == 1 || demand.lacking.size() <= 1);
    if (sum && out.finished < 0) out.finished = static_cast<int32_t>(i);
  }
  if (places.count() > limits.places || columns > limits.columns) return std::nullopt;
  if (!anything || ways == 0) return out;
  FlowProgram program(places, topology, demands);
  for (const Demand& demand : demands) {
    if (!demand.lacking.empty()) program.add(demand);
  }
  if (!program.solve(limits.rounds, limits.enough_ms)) return std::nullopt;
  out.ms = program.ms();
  out.first = program.first();
  return out;
}

}  // namespace einsummable::exchange
