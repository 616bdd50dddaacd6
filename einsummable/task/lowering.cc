// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/lowering.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/physical/pieces.h"
#include "einsummable/physical/preamble.h"
#include "einsummable/task/exchange_lowering.h"

namespace einsummable {
namespace {

class Lowering {
 public:
  Lowering(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits)
      : builder_(std::move(plan), traits) {}

  TaskGraph run(const Interruption& interruption) {
    announce_given(interruption);
    builder_.load_announced();
    const std::vector<size_t> last = last_readers();
    for (size_t s = 0; s < plan().steps.size(); ++s) {
      interruption.check();
      const ExchangeStep& step = plan().steps[s];
      if (step.save < 0) {
        lower_op(step);
      } else {
        lower_save(step);
      }
      for (TensorId tensor : reads_of(step)) {
        if (last[tensor.index()] == s) builder_.forget(tensor);
      }
    }
    return builder_.finish();
  }

 private:
  const PhysicalPlan& plan() const { return builder_.plan(); }
  const Graph& graph() const { return builder_.graph(); }
  bool is_given(TensorId tensor) const { return graph().tensor(tensor).is_given(); }

  std::vector<TensorId> reads_of(const ExchangeStep& step) const {
    if (step.save < 0) return graph().op(step.op).inputs;
    return {graph().saves()[static_cast<size_t>(step.save)].tensor};
  }

  // The last step that reads each tensor.
  std::vector<size_t> last_readers() const {
    std::vector<size_t> last(graph().tensors().size(), 0);
    for (size_t s = 0; s < plan().steps.size(); ++s) {
      for (TensorId tensor : reads_of(plan().steps[s])) last[tensor.index()] = s;
    }
    return last;
  }

  // The boxes of inputs and parameters that sites read are loaded there, each as large as the
  // largest that contains it.
  void announce_given(const Interruption& interruption) {
    for (size_t i = 0; i < graph().ops().size(); ++i) {
      interruption.check();
      const GraphOp& op = graph().ops()[i];
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        if (!is_given(op.inputs[k])) continue;
        for (const Resident& need : needs(plan().specs[i], k, plan().placement[i])) {
          builder_.announce_given(op.inputs[k], need);
        }
      }
    }
    for (size_t s = 0; s < graph().saves().size(); ++s) {
      const TensorId tensor = graph().saves()[s].tensor;
      if (!is_given(tensor)) continue;
      for (const Resident& fetch : plan().fetches[s]) builder_.announce_given(tensor, fetch);
    }
  }

  void lower_op(const ExchangeStep& step) {
    const GraphOp& node = graph().op(step.op);
    const JoinAggSpec& spec = plan().specs[step.op.index()];
    const std::vector<SiteId>& sites = plan().placement[step.op.index()];
    const StepInPieces moved(step);
    ExchangeLowering exchange(builder_, partials_, *moved);
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      if (is_given(node.inputs[k])) continue;
      for (const Resident& need : needs(spec, k, sites)) exchange.expect(node.inputs[k], need);
    }
    exchange.run();
    std::vector<std::vector<ProducedBlock>> blocks;
    for (size_t o = 0; o < node.outputs.size(); ++o) blocks.push_back(produced_blocks(spec, o));
    for (int64_t cell = 0; cell < spec.cells(); ++cell) {
      lower_cell(exchange, step.op, cell, blocks);
    }
  }

  void lower_cell(ExchangeLowering& exchange, OpId op, int64_t cell,
                  const std::vector<std::vector<ProducedBlock>>& blocks) {
    const GraphOp& node = graph().op(op);
    const SiteId site = plan().placement[op.index()][static_cast<size_t>(cell)];
    const FunctionSpec function = plan().specs[op.index()].cell(cell);
    Task task{.kind = Task::Kind::kernel, .site = site, .reads = {}, .writes = {}, .after = {}};
    KernelStep step{.op = op, .cell = cell, .inputs = {}};
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      task.reads.push_back(input(exchange, node.inputs[k], {site, function.inputs[k]}));
      step.inputs.push_back({.read = static_cast<int32_t>(k)});
    }
    if (becomes_view(op, cell, site, function, task.reads)) return;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      add_output(node, o, function.outputs[o], cell, site, blocks[o], task);
    }
    task.steps = {std::move(step)};
    builder_.add_task(std::move(task));
  }

  Operand input(ExchangeLowering& exchange, TensorId tensor, const Resident& need) {
    if (empty(need.box)) {
      const BufferId id = builder_.add_buffer({.site = need.site,
                                               .dtype = graph().type(tensor).dtype,
                                               .tensor = tensor,
                                               .box = need.box});
      return whole_operand(id, builder_.buffer(id));
    }
    if (!is_given(tensor)) return exchange.block(tensor, need).operand;
    const auto found = builder_.find(tensor, need.site, need.box);
    ensure(found.has_value(), "an input that was not announced");
    return found->operand;
  }

  // A layout operator whose block is a view of its input's costs nothing.
  bool becomes_view(OpId op, int64_t cell, SiteId site, const FunctionSpec& function,
                    const std::vector<Operand>& reads) {
    const GraphOp& node = graph().op(op);
    if (reads.size() != 1 || node.outputs.size() != 1) return false;
    if (plan().specs[op.index()].partials(0) != 1) return false;
    const Operand& read = reads[0];
    auto layout = node.op->view(function, layout_of(read));
    if (!layout) return false;
    Operand output = operand_of(read.buffer, builder_.buffer(read.buffer), *layout);
    builder_.locate(node.outputs[0], site, {function.outputs[0], output});
    builder_.add_view(
        {.op = op, .cell = cell, .site = site, .input = read, .output = std::move(output)});
    return true;
  }

  void add_output(const GraphOp& node, size_t output, const Box& box, int64_t cell, SiteId site,
                  const std::vector<ProducedBlock>& blocks, Task& task) {
    const TensorId tensor = node.outputs[output];
    const auto block = std::ranges::find(blocks, box, &ProducedBlock::box);
    const auto partial = std::ranges::find(block->cells, cell);
    if (block->cells.size() == 1) {
      const BufferId id = builder_.add_buffer(
          {.site = site, .dtype = graph().type(tensor).dtype, .tensor = tensor, .box = box});
      task.writes.push_back(whole_operand(id, builder_.buffer(id)));
      builder_.locate(tensor, site, {box, task.writes.back()});
      return;
    }
    PartialBuffers buffers;
    for (const Component& component : plan().partial(tensor).components) {
      buffers.push_back(builder_.add_buffer({.site = site,
                                             .dtype = component.dtype,
                                             .tensor = tensor,
                                             .box = component_box(component, box)}));
      task.writes.push_back(whole_operand(buffers.back(), builder_.buffer(buffers.back())));
    }
    partials_[{tensor, block - blocks.begin(),
               static_cast<size_t>(partial - block->cells.begin())}] = std::move(buffers);
  }

  void lower_save(const ExchangeStep& step) {
    const TensorId tensor = graph().saves()[static_cast<size_t>(step.save)].tensor;
    const StepInPieces moved(step);
    ExchangeLowering exchange(builder_, partials_, *moved);
    exchange.run();
    for (const Resident& fetch : plan().fetches[static_cast<size_t>(step.save)]) {
      if (empty(fetch.box)) continue;
      for (Located& piece : builder_.cover(tensor, fetch.site, {fetch.box})) {
        builder_.add_offload(step.save, std::move(piece));
      }
    }
  }

  TaskGraphBuilder builder_;
  Partials partials_;
};

}  // namespace

TaskGraph lower(std::shared_ptr<const PhysicalPlan> plan, const Traits& traits,
                const Interruption& interruption) {
  return Lowering(std::move(plan), traits).run(interruption);
}

}  // namespace einsummable
