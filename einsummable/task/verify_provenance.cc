// SPDX-License-Identifier: Apache-2.0
// What is proved of data: the tasks are run over what each element stands for instead of its value.

#include <algorithm>
#include <map>

#include "einsummable/physical/holdings.h"
#include "einsummable/task/contents.h"
#include "einsummable/task/operand.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

class Provenance {
 public:
  Provenance(const TaskGraph& graph, Check& check, const Interruption& interruption)
      : graph_(graph), check_(check), interruption_(interruption), contents_(graph.buffers.size()) {
    for (const JoinAggSpec& spec : plan().specs) {
      ran_.emplace_back(static_cast<size_t>(spec.cells()), 0);
    }
  }

  void run() {
    for (const Load& load : graph_.loads) {
      const Buffer& buffer = graph_.buffer(load.buffer);
      demand(buffer.role != Buffer::Role::temporary && buffer.tensor == load.tensor,
             "a load into a buffer that is not the tensor's");
      contents_.write(load.buffer, buffer.box, kComplete);
    }
    for (const View& view : graph_.views) add_view(view);
    for (size_t t = 0; t < graph_.tasks.size(); ++t) {
      interruption_.check();
      ++check_.count;
      try {
        run_task(graph_.tasks[t]);
      } catch (const DataFault& fault) {
        throw DataFault{describe(graph_, TaskId(static_cast<int64_t>(t))) + ": " + fault.what};
      }
    }
    every_cell_ran();
    every_save_is_whole();
  }

 private:
  const Graph& graph() const { return graph_.graph(); }
  const PhysicalPlan& plan() const { return *graph_.plan; }

  // Views are declared before the data is there: what lies under one is checked where it is read.
  void add_view(const View& view) {
    ++check_.count;
    const GraphOp& op = graph().op(view.op);
    const FunctionSpec cell = cell_at(view.op, view.cell, view.site);
    demand(op.inputs.size() == 1 && op.outputs.size() == 1, "a view of several tensors");
    demand(stands_for(view.input, op.inputs[0], cell.inputs[0]), "a view of another block");
    const auto layout = op.op->view(cell, layout_of(view.input));
    demand(layout && *layout == layout_of(view.output) && view.output.buffer == view.input.buffer,
           "a view that is not its operator's");
    views_[{op.outputs[0], view.output.buffer}].push_back({cell.outputs[0], view.output});
    record_run(view.op, view.cell);
  }

  FunctionSpec cell_at(OpId op, int64_t cell, SiteId site) const {
    demand(op.valid() && op.index() < plan().specs.size(), "an unknown operator");
    const JoinAggSpec& spec = plan().specs[op.index()];
    demand(0 <= cell && cell < spec.cells(), "an unknown cell");
    demand(plan().placement[op.index()][static_cast<size_t>(cell)] == site,
           "a cell at a site that is not its own");
    return spec.cell(cell);
  }

  void record_run(OpId op, int64_t cell) {
    char& ran = ran_[op.index()][static_cast<size_t>(cell)];
    demand(!ran, "a cell that runs twice");
    ran = 1;
  }

  // Whether the operand addresses exactly the elements of `box` of the tensor: part of a buffer
  // that holds the tensor, or of views of it.
  bool stands_for(const Operand& operand, TensorId tensor, const Box& box) const {
    const Buffer& buffer = graph_.buffer(operand.buffer);
    if (buffer.tensor == tensor && buffer.box.size() == box.size() && contains(buffer.box, box) &&
        is_part(operand, buffer, box)) {
      return true;
    }
    if (operand.shape != extents_of(box)) return false;
    const auto found = views_.find({tensor, operand.buffer});
    std::vector<Box> left = {box};
    if (found != views_.end()) {
      for (const Located& view : found->second) {
        const Box common = intersect(view.box, box);
        if (empty(common)) continue;
        const Located part = part_of({box, operand}, common, buffer);
        if (!same_elements(part.operand, part_of(view, common, buffer).operand)) return false;
        subtract(left, common);
      }
    }
    return std::ranges::all_of(left, [](const Box& rest) { return empty(rest); });
  }

  static bool same_elements(const Operand& a, const Operand& b) {
    if (a.buffer != b.buffer || a.shape != b.shape) return false;
    if (elements(a.shape) == 0) return true;
    if (a.offset != b.offset) return false;
    for (size_t i = 0; i < a.shape.size(); ++i) {
      if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
    }
    return true;
  }

  // What all elements of the operand's region mean.
  MeaningId read(const Operand& operand) const {
    return contents_.read(operand.buffer,
                          region_box(graph_.buffer(operand.buffer), operand.region));
  }

  void write(const Operand& operand, TensorId tensor, const Box& box, MeaningId meaning) {
    const Buffer& buffer = graph_.buffer(operand.buffer);
    demand(buffer.role == Buffer::Role::temporary && buffer.tensor == tensor,
           "a write to another tensor's buffer");
    demand(contains(buffer.box, box) && is_part(operand, buffer, box),
           "a write to another place than its block's");
    contents_.write(operand.buffer, box, meaning);
  }

  void run_task(const Task& task) {
    switch (task.kind) {
      case Task::Kind::kernel:
        return run_kernel(task);
      case Task::Kind::aggregate:
      case Task::Kind::finalise:
        return run_merge(task);
      case Task::Kind::slice:
      case Task::Kind::concat:
      case Task::Kind::transfer:
        return run_copies(task);
    }
  }

  void run_kernel(const Task& task) {
    demand(!task.steps.empty(), "a kernel of no steps");
    std::vector<FunctionSpec> cells;
    for (const KernelStep& step : task.steps) {
      cells.push_back(cell_at(step.op, step.cell, task.site));
      const GraphOp& op = graph().op(step.op);
      demand(step.inputs.size() == op.inputs.size(), "a step with inputs too few or too many");
      for (size_t k = 0; k < step.inputs.size(); ++k) {
        check_input(task, cells, step.inputs[k], op.inputs[k], cells.back().inputs[k]);
      }
      record_run(step.op, step.cell);
      if (cells.size() < task.steps.size()) {
        demand(op.outputs.size() == 1 && plan().specs[step.op.index()].partials(0) == 1,
               "a step whose block is not whole");
      }
      if (cells.size() > 1) demand(op.op->elementwise(), "a run of other operators");
    }
    write_outputs(task, cells.back());
  }

  // `cells` are those of the steps up to the one whose input this is, its last.
  void check_input(const Task& task, const std::vector<FunctionSpec>& cells,
                   KernelStep::Input input, TensorId tensor, const Box& box) {
    if (input.step >= 0) {
      demand(input.step + 1 < static_cast<int32_t>(cells.size()), "a step that reads a later one");
      const auto from = static_cast<size_t>(input.step);
      demand(graph().op(task.steps[from].op).outputs[0] == tensor && cells[from].outputs[0] == box,
             "a step that reads another block than it needs");
      return;
    }
    demand(0 <= input.read && input.read < static_cast<int32_t>(task.reads.size()),
           "a step that reads no operand");
    const Operand& operand = task.reads[static_cast<size_t>(input.read)];
    demand(stands_for(operand, tensor, box),
           "an operand that is another block than the cell needs");
    demand(read(operand) == kComplete, "an operand that is a partial result");
  }

  void write_outputs(const Task& task, const FunctionSpec& cell) {
    const KernelStep& step = task.steps.back();
    const JoinAggSpec& spec = plan().specs[step.op.index()];
    const GraphOp& op = graph().op(step.op);
    size_t next = 0;
    const auto take = [&]() -> const Operand& {
      demand(next < task.writes.size(), "a kernel that writes too few blocks");
      return task.writes[next++];
    };
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      const Box& box = cell.outputs[o];
      if (spec.partials(o) == 1) {
        write(take(), op.outputs[o], box, kComplete);
        continue;
      }
      const PartialType partial = plan().partial(step.op, o);
      for (size_t c = 0; c < partial.components.size(); ++c) {
        Meaning meaning{.complete = false,
                        .block = block_of(op.outputs[o], box),
                        .partials = {spec.partial_of_cell(o, step.cell)},
                        .component = static_cast<int32_t>(c)};
        write(take(), op.outputs[o], component_box(partial.components[c], box),
              contents_.add(std::move(meaning)));
      }
    }
    demand(next == task.writes.size(), "a kernel that writes too many blocks");
  }

  int64_t block_of(TensorId tensor, const Box& box) {
    const std::vector<ProducedBlock>& all = blocks(tensor);
    const auto found = std::ranges::find(all, box, &ProducedBlock::box);
    demand(found != all.end(), "a block that no cell makes");
    return found - all.begin();
  }

  const std::vector<ProducedBlock>& blocks(TensorId tensor) {
    const auto [place, added] = blocks_.try_emplace(tensor);
    if (added) {
      const GraphTensor& of = graph().tensor(tensor);
      place->second =
          produced_blocks(plan().specs[of.producer.index()], static_cast<size_t>(of.output));
    }
    return place->second;
  }

  // Copies keep what elements mean, at the same place of the same tensor.
  void run_copies(const Task& task) {
    demand(task.reads.size() == task.writes.size(), "copies from and to that differ in number");
    for (size_t i = 0; i < task.reads.size(); ++i) {
      const Buffer& to = graph_.buffer(task.writes[i].buffer);
      const Box box = box_in(to, task.writes[i]);
      demand(stands_for(task.reads[i], to.tensor, box), "a copy of another block");
      demand(graph_.buffer(task.reads[i].buffer).dtype == to.dtype, "a copy to another dtype");
      write(task.writes[i], to.tensor, box, read(task.reads[i]));
    }
  }

  // The box, in the tensor's coordinates, that a plain operand covers.
  Box box_in(const Buffer& buffer, const Operand& operand) const {
    Box box = region_box(buffer, operand.region);
    demand(is_part(operand, buffer, box), "a write through a view");
    return box;
  }

  void run_merge(const Task& task) {
    const GraphTensor& tensor = graph().tensor(task.tensor);
    demand(tensor.kind == GraphTensor::Kind::result, "a merge of what no operator makes");
    const PartialType partial = plan().partial(task.tensor);
    const size_t components = partial.components.size();
    const bool finish = task.kind == Task::Kind::finalise;
    demand(task.parts > 0 && task.reads.size() == static_cast<size_t>(task.parts) * components &&
               task.writes.size() == (finish ? 1 : components),
           "a merge of parts too few or too many");
    const Box box = box_in(graph_.buffer(task.writes[0].buffer), task.writes[0]);
    Meaning merged{.complete = false, .block = -1};
    for (size_t part = 0; part < static_cast<size_t>(task.parts); ++part) {
      merge_part(task, partial, part, box, merged);
    }
    std::ranges::sort(merged.partials);
    demand(std::ranges::adjacent_find(merged.partials) == merged.partials.end(),
           "a partial result that is merged twice");
    if (finish) {
      const auto all = blocks(task.tensor)[static_cast<size_t>(merged.block)].cells.size();
      demand(merged.partials.size() == all, "a block that is finished without all its partials");
      return write(task.writes[0], task.tensor, box, kComplete);
    }
    for (size_t c = 0; c < components; ++c) {
      merged.component = static_cast<int32_t>(c);
      write(task.writes[c], task.tensor, component_box(partial.components[c], box),
            contents_.add(merged));
    }
  }

  void merge_part(const Task& task, const PartialType& partial, size_t part, const Box& box,
                  Meaning& merged) {
    const size_t components = partial.components.size();
    const std::vector<int64_t>* partials = nullptr;
    for (size_t c = 0; c < components; ++c) {
      const Operand& operand = task.reads[part * components + c];
      demand(stands_for(operand, task.tensor, component_box(partial.components[c], box)),
             "a part that is another block");
      const Meaning& meaning = contents_.meaning(read(operand));
      demand(!meaning.complete && meaning.component == static_cast<int32_t>(c),
             "a part that is no such component of a partial result");
      demand(merged.block < 0 || merged.block == meaning.block, "parts of different blocks");
      demand(!partials || meaning.partials == *partials, "components of different partial results");
      merged.block = meaning.block;
      partials = &meaning.partials;
    }
    if (partials) merged.partials.insert(merged.partials.end(), partials->begin(), partials->end());
  }

  void every_cell_ran() const {
    for (const std::vector<char>& cells : ran_) {
      demand(std::ranges::find(cells, 0) == cells.end(), "a cell that never runs");
    }
  }

  void every_save_is_whole() {
    std::vector<std::vector<Box>> left;
    for (const GraphSave& save : graph().saves())
      left.push_back({graph().type(save.tensor).bounds});
    for (const Offload& offload : graph_.offloads) {
      ++check_.count;
      demand(0 <= offload.save && offload.save < static_cast<int32_t>(left.size()),
             "an unknown saved tensor is fetched");
      const TensorId tensor = graph().saves()[static_cast<size_t>(offload.save)].tensor;
      demand(stands_for(offload.from, tensor, offload.box), "another block is fetched");
      demand(read(offload.from) == kComplete, "a partial result is fetched");
      auto& boxes = left[static_cast<size_t>(offload.save)];
      subtract(boxes, offload.box);
    }
    for (const std::vector<Box>& boxes : left) {
      demand(std::ranges::all_of(boxes, [](const Box& box) { return empty(box); }),
             "a part of a saved tensor is never fetched");
    }
  }

  const TaskGraph& graph_;
  Check& check_;
  const Interruption& interruption_;
  Contents contents_;
  std::map<std::pair<TensorId, BufferId>, std::vector<Located>> views_;
  std::map<TensorId, std::vector<ProducedBlock>> blocks_;
  std::vector<std::vector<char>> ran_;  // of each operator: which cells have run
};

}  // namespace

void check_provenance(const TaskGraph& graph, Check& check, const Interruption& interruption) {
  try {
    Provenance(graph, check, interruption).run();
  } catch (const DataFault& fault) {
    check.detail = fault.what;
  }
}

}  // namespace einsummable
