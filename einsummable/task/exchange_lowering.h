// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "einsummable/task/builder.h"

namespace einsummable {

// The buffers of a partial block, one a component of its partial type.
using PartialBuffers = std::vector<BufferId>;

// Where the partial blocks of every tensor lie: by tensor, block, partial.
using Partials = std::map<std::tuple<TensorId, int64_t, size_t>, PartialBuffers>;

// Lowers the exchange program of one step: its actions become transfers and aggregations that write
// straight into the blocks the step's cells read, where there are such.
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
  // For each box of a region, one operand a component.
  using Operands = std::vector<std::vector<Operand>>;
  using Key = std::pair<exchange::AggregateId, SiteId>;
  struct Assembly {
    BufferId buffer;
    std::vector<Box> missing;  // parts of the block not written yet
  };
  const Region& region_of(exchange::AggregateId aggregate) const;
  bool is_complete(exchange::AggregateId aggregate) const;
  PartialType partial_type(TensorId tensor) const;
  const Operands& locations(exchange::AggregateId aggregate, SiteId site);
  Operands complete_at(const Region& region, SiteId site);
  Operands partial_at(const Region& region, exchange::AggregateId aggregate, SiteId site);
  void aggregate(exchange::AggregateId aggregate, SiteId site,
                 const std::vector<exchange::AggregateId>& parts);
  void transfer(exchange::AggregateId aggregate, SiteId from, SiteId to);
  Operands place_complete(const Region& region, SiteId site);
  Operands place_partial(const Region& region, SiteId site);
  std::vector<Operand> destination(TensorId tensor, SiteId site, const Box& box);
  Operand packed(TensorId tensor, const Operand& operand, const Box& box, SiteId site);
  Operand staging(TensorId tensor, const Operand& like, const Box& box, SiteId site);
  Assembly& assembly(TensorId tensor, const Resident& block);

  TaskGraphBuilder& builder_;
  const Partials& partials_;
  const ExchangeStep& step_;
  std::vector<int32_t> region_of_atom_;
  std::map<Key, Operands> located_;
  std::map<std::pair<TensorId, SiteId>, std::vector<Box>> expected_;
  std::map<std::pair<TensorId, SiteId>, std::map<Box, Assembly>> assemblies_;
  std::map<std::pair<SiteId, SiteId>, TaskId> last_transfer_;
};

}  // namespace einsummable
