// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/commodities.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "einsummable/exchange/parts.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

class Reader {
 public:
  Reader(const Program& preamble, const Members& members)
      : program_(preamble), members_(members), finder_(preamble), position_(site_number_limit, -1) {
    for (size_t i = 0; i < preamble.sites().size(); ++i)
      position_[preamble.sites()[i].index()] = static_cast<int32_t>(i);
    holders_.resize(preamble.aggregate_count());
    targets_.resize(preamble.aggregate_count());
    for (const Given& g : preamble.given()) {
      if (holders_[g.aggregate.index()].empty()) finder_.add(g.aggregate);
      holders_[g.aggregate.index()].push_back(position_[g.site.index()]);
    }
    for (auto& sites : holders_) sort_once(sites);
  }

  Commodities run() {
    std::vector<AggregateId> order;
    for (const Requirement& r : program_.required()) {
      std::vector<int32_t>& targets = targets_[r.aggregate.index()];
      if (targets.empty()) order.push_back(r.aggregate);
      if (r.place.is_site()) {
        targets.push_back(position_[r.place.site.index()]);
      } else {
        for (SiteId s : members_[r.place.partition.index()])
          targets.push_back(position_[s.index()]);
      }
    }
    for (AggregateId what : order) {
      if (!add(what)) return std::move(commodities_);
    }
    commodities_.ok = true;
    return std::move(commodities_);
  }

 private:
  static void sort_once(std::vector<int32_t>& sites) {
    std::ranges::sort(sites);
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  }

  bool add(AggregateId what) {
    std::vector<int32_t>& targets = targets_[what.index()];
    sort_once(targets);
    const std::vector<int32_t>& holders = holders_[what.index()];
    Demand demand{.aggregate = what, .parts = {}, .bytes = program_.bytes(what)};
    if (!holders.empty()) {
      std::erase_if(targets, [&](int32_t s) { return std::ranges::binary_search(holders, s); });
      if (targets.empty()) return true;
      demand.parts = {{what}};
      put({{.holders = holders}}, targets, std::nullopt, std::move(demand));
      return true;
    }
    const Parts parts = finder_.choose(what, finder_.inside(what, budget_), budget_);
    if (parts.outcome != Cover::Outcome::found) {
      commodities_.reason = aggregate_text(program_, what) +
                            (parts.outcome == Cover::Outcome::none
                                 ? " cannot be put together from what IN holds"
                                 : " is too hard to put together from what IN holds");
      return false;
    }
    std::map<std::vector<int32_t>, std::vector<AggregateId>> by_holders;
    for (AggregateId part : parts.aggregates) by_holders[holders_[part.index()]].push_back(part);
    std::vector<Terminal> terminals;
    for (const auto& [at, together] : by_holders) {
      terminals.push_back({at, static_cast<int32_t>(together.size())});
      demand.parts.push_back(together);
    }
    const int64_t complete = demand.bytes;
    demand.bytes = program_.atom(program_.atoms(what)[0]).bytes;
    put(std::move(terminals), targets, std::pair(complete, demand.bytes), std::move(demand));
    return true;
  }

  // `sizes` are those of the complete aggregate and of a part; none if it is formed.
  void put(std::vector<Terminal> terminals, const std::vector<int32_t>& targets,
           std::optional<std::pair<int64_t, int64_t>> sizes, Demand demand) {
    std::pair<int64_t, int64_t> ratio{0, 0};
    if (sizes) {
      const int64_t common = std::max<int64_t>(std::gcd(sizes->first, sizes->second), 1);
      ratio = {sizes->first / common, sizes->second / common};
    }
    const auto [at, fresh] =
        commodity_of_.try_emplace({terminals, targets, ratio}, commodities_.commodities.size());
    if (fresh) {
      commodities_.commodities.push_back(
          {.terminals = std::move(terminals),
           .targets = targets,
           .formed = !sizes,
           .growth = ratio.second > 0
                         ? static_cast<double>(ratio.first) / static_cast<double>(ratio.second)
                         : 1,
           .demands = {},
           .bytes = 0});
    }
    Commodity& commodity = commodities_.commodities[at->second];
    commodity.bytes += static_cast<double>(demand.bytes);
    commodity.demands.push_back(std::move(demand));
  }

  const Program& program_;
  const Members& members_;
  PartsFinder finder_;
  Budget budget_;
  std::vector<int32_t> position_;                        // of each site number
  std::vector<std::vector<int32_t>> holders_, targets_;  // of each aggregate
  std::map<std::tuple<std::vector<Terminal>, std::vector<int32_t>, std::pair<int64_t, int64_t>>,
           size_t>
      commodity_of_;
  Commodities commodities_;
};

}  // namespace

Commodities commodities_of(const Program& preamble, const Members& members) {
  return Reader(preamble, members).run();
}

}  // namespace einsummable::synthesis
