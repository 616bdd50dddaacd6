// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

// The blocks of one output of an operator, as its cells leave them: which box, and which cells hold
// its partial results.
struct ProducedBlock {
  Box box;
  std::vector<int64_t> cells;  // in order of partials
};
std::vector<ProducedBlock> produced_blocks(const JoinAggSpec& spec, size_t output);

// What is where while a plan is made, step after step: for every tensor, the blocks its producer
// left (perhaps partial) and the complete boxes that sites hold.
class Holdings {
 public:
  explicit Holdings(const Graph& graph);

  // The operator's cells run at `sites`: their outputs are there from now on.
  void produce(OpId op, const JoinAggSpec& spec, std::span<const SiteId> sites);
  // The site holds the complete box from now on.
  void hold(TensorId tensor, Resident resident);

  const std::vector<ProducedBlock>& blocks(TensorId t) const { return tensors_[t.index()].blocks; }
  // The site of each partial of a block, in order of partials.
  const std::vector<SiteId>& partial_sites(TensorId t, size_t block) const {
    return tensors_[t.index()].partial_sites[block];
  }
  const std::vector<Resident>& complete(TensorId t) const { return tensors_[t.index()].complete; }
  // Whether one box that the site holds contains `box`.
  bool holds(TensorId tensor, SiteId site, const Box& box) const;

 private:
  struct OfTensor {
    std::vector<ProducedBlock> blocks;
    std::vector<std::vector<SiteId>> partial_sites;
    std::vector<Resident> complete;
  };
  const Graph* graph_;
  std::vector<OfTensor> tensors_;
};

}  // namespace einsummable
