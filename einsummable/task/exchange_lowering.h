// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "einsummable/task/builder.h"
#include "einsummable/task/by_aggregate.h"

namespace einsummable {

// The buffers of a partial block, one a component of its partial type.
using PartialBuffers = std::vector<BufferId>;

// Where the partial blocks of every tensor lie: by tensor, block, partial.
using Partials = std::map<std::tuple<TensorId, int64_t, size_t>, PartialBuffers>;

// Lowers the exchange program of one step, in pieces: its actions become transfers and aggregations
// that write straight into the blocks the step's cells read, where there are such.
class ExchangeLowering {
 public:
  ExchangeLowering(TaskGraphBuilder& builder, const Partials& partials, const ExchangeStep& step);

  // A block that a site will read: complete data that arrives inside it is put together there.
  void expect(TensorId tensor, const Resident& block);
  // Makes everything that the step derives.
  void run();
  // The block as one operand; assembled by copies if its pieces lie apart. After run().
  Located block(TensorId tensor, const Resident& block);

 private:
  // For each box of a region, one operand a component: box b's are those from b * components on. A
  // complete region has one component.
  using Operands = std::vector<Operand>;
  struct Assembly {
    BufferId buffer;
    std::vector<Box> missing;  // parts of the block not written yet
  };
  const Region& region_of(exchange::AggregateId aggregate) const;
  bool is_complete(exchange::AggregateId aggregate) const;
  PartialType partial_type(TensorId tensor) const;
  // The place of an aggregate at a site, to be set.
  int32_t& place_of(exchange::AggregateId aggregate, SiteId site);
  int32_t add_place(Operands operands);
  // Where an aggregate that is at a site lies there.
  const Operands& locations(exchange::AggregateId aggregate, SiteId site);
  Operands complete_at(const Region& region, SiteId site);
  Operands partial_at(const Region& region, exchange::AggregateId aggregate, SiteId site);
  std::vector<Box> boxes_of(exchange::AggregateId aggregate) const;
  void aggregate(exchange::AggregateId aggregate, SiteId site,
                 const std::vector<exchange::AggregateId>& parts);
  void transfer(exchange::AggregateId aggregate, SiteId from, SiteId to);
  Operands place_complete(const Region& region, SiteId site);
  Operands place_partial(const Region& region, SiteId site);
  Operand destination(TensorId tensor, SiteId site, const Box& box);
  Operand packed(TensorId tensor, const Operand& operand, const Box& box, SiteId site);
  Operand staging(TensorId tensor, const Operand& like, const Box& box, SiteId site);
  Assembly& assembly(TensorId tensor, const Resident& block);

  TaskGraphBuilder& builder_;
  const Partials& partials_;
  const ExchangeStep& step_;
  std::vector<int32_t> region_of_atom_;
  ByAggregate<SiteId> arrivals_;           // all aggregates that come to be, or are, at sites
  std::vector<int32_t> place_of_arrival_;  // in `places_`; -1 if not known yet
  std::deque<Operands> places_;            // aggregates that are handed over share one
  std::map<std::pair<TensorId, SiteId>, std::vector<Box>> expected_;
  std::map<std::pair<TensorId, SiteId>, std::map<Box, Assembly>> assemblies_;
  std::map<std::pair<SiteId, SiteId>, TaskId> last_transfer_;
};

}  // namespace einsummable
