// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/holdings.h"

#include "einsummable/base/error.h"

namespace einsummable {

int64_t Region::elements() const {
  int64_t count = 0;
  for (const Box& box : boxes) count += einsummable::elements(box);
  return count;
}

std::vector<ProducedBlock> produced_blocks(const JoinAggSpec& spec, size_t output) {
  const int64_t partials = spec.partials(output), cells = spec.cells();
  std::map<Box, size_t> positions;
  std::vector<ProducedBlock> blocks;
  for (int64_t cell = 0; cell < cells; ++cell) {
    const Box box = spec.signature().outputs[output](spec.intervals(cell));
    const auto [place, added] = positions.try_emplace(box, blocks.size());
    if (added) blocks.push_back({box, std::vector<int64_t>(static_cast<size_t>(partials), -1)});
    const auto partial = static_cast<size_t>(spec.partial_of_cell(output, cell));
    blocks[place->second].cells[partial] = cell;
  }
  return blocks;
}

Holdings::Holdings(const Graph& graph) : graph_(&graph), tensors_(graph.tensors().size()) {}

void Holdings::produce(OpId op, const JoinAggSpec& spec, std::span<const SiteId> sites) {
  const GraphOp& node = graph_->op(op);
  for (size_t output = 0; output < node.outputs.size(); ++output) {
    OfTensor& tensor = tensors_[node.outputs[output].index()];
    tensor.blocks = produced_blocks(spec, output);
    for (const ProducedBlock& block : tensor.blocks) {
      std::vector<SiteId> holders;
      for (int64_t cell : block.cells) holders.push_back(sites[static_cast<size_t>(cell)]);
      if (holders.size() == 1) tensor.complete.push_back({holders[0], block.box});
      tensor.partial_sites.push_back(std::move(holders));
    }
  }
}

void Holdings::hold(TensorId tensor, Resident resident) {
  if (holds(tensor, resident.site, resident.box)) return;
  tensors_[tensor.index()].complete.push_back(std::move(resident));
}

bool Holdings::holds(TensorId tensor, SiteId site, const Box& box) const {
  if (empty(box)) return true;
  return std::ranges::any_of(tensors_[tensor.index()].complete, [&](const Resident& resident) {
    return resident.site == site && contains(resident.box, box);
  });
}

}  // namespace einsummable
