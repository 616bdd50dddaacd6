// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/fuse.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// Whether all that a task makes is one whole block.
bool makes_one_block(const TaskGraph& graph, const Task& task) {
  return task.kind == Task::Kind::kernel && task.writes.size() == 1 &&
         graph.plan->specs[task.steps.back().op.index()].partials(0) == 1;
}

bool begins_elementwise(const TaskGraph& graph, const Task& task) {
  return task.kind == Task::Kind::kernel &&
         graph.graph().op(task.steps.front().op).op->elementwise();
}

// How often each buffer is read, and by which task last.
struct Readers {
  std::vector<int32_t> count;
  std::vector<TaskId> last;
};

Readers readers_of(const TaskGraph& graph) {
  Readers readers{std::vector<int32_t>(graph.buffers.size(), 0),
                  std::vector<TaskId>(graph.buffers.size())};
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const Operand& read : graph.tasks[t].reads) {
      ++readers.count[read.buffer.index()];
      readers.last[read.buffer.index()] = TaskId(static_cast<int64_t>(t));
    }
  }
  for (const View& view : graph.views) readers.count[view.input.buffer.index()] += 2;
  for (const Offload& offload : graph.offloads) readers.count[offload.from.buffer.index()] += 2;
  return readers;
}

// Whether the reader takes the buffer as the maker wrote it: whole, in its own order, broadcast
// along no axis.
bool reads_as_written(const TaskGraph& graph, const Operand& written, const Operand& read,
                      const Task& reader) {
  if (read != written) return false;
  const KernelStep& last = reader.steps.back();
  const Box output = graph.plan->specs[last.op.index()].cell(last.cell).outputs[0];
  return read.shape == extents_of(output);
}

// The steps and reads of `maker`, then those of `reader`, whose read of the maker's block becomes
// the maker's last step.
Task joined(const Task& maker, const Task& reader, size_t position) {
  Task out = reader;
  out.reads = maker.reads;
  out.steps = maker.steps;
  const auto shift = static_cast<int32_t>(maker.steps.size());
  const auto first = static_cast<int32_t>(maker.reads.size());
  for (size_t r = 0; r < reader.reads.size(); ++r) {
    if (r != position) out.reads.push_back(reader.reads[r]);
  }
  const auto hole = static_cast<int32_t>(position);
  for (KernelStep step : reader.steps) {
    for (KernelStep::Input& input : step.inputs) {
      if (input.step >= 0) {
        input.step += shift;
      } else if (input.read == hole) {
        input = {.read = -1, .step = shift - 1};
      } else {
        input.read += first - (input.read > hole ? 1 : 0);
      }
    }
    out.steps.push_back(std::move(step));
  }
  out.after.insert(out.after.end(), maker.after.begin(), maker.after.end());
  return out;
}

// Joins the tasks that `makes` picks with their only readers, where these are elementwise and
// `joins` takes what comes of it.
template <class Makes, class Joins>
void fuse_where(TaskGraph& graph, const Interruption& interruption, const Makes& makes,
                const Joins& joins) {
  const Readers readers = readers_of(graph);
  std::vector<char> gone(graph.tasks.size(), 0), unused(graph.buffers.size(), 0);
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    interruption.check();
    const Task& maker = graph.tasks[t];
    if (!makes_one_block(graph, maker) || !makes(maker)) continue;
    const Operand& written = maker.writes[0];
    if (readers.count[written.buffer.index()] != 1) continue;
    const TaskId next = readers.last[written.buffer.index()];
    Task& reader = graph.tasks[next.index()];
    if (reader.site != maker.site || !begins_elementwise(graph, reader)) continue;
    const auto position = std::ranges::find(reader.reads, written.buffer, &Operand::buffer);
    if (!reads_as_written(graph, written, *position, reader)) continue;
    Task both = joined(maker, reader, static_cast<size_t>(position - reader.reads.begin()));
    if (!joins(both)) continue;
    std::erase(both.after, TaskId(static_cast<int64_t>(t)));
    unused[written.buffer.index()] = 1;
    reader = std::move(both);
    gone[t] = 1;
  }
  remove(graph, gone, unused);
}

}  // namespace

void fuse(TaskGraph& graph, const Traits& traits, const Interruption& interruption) {
  if (traits.epilogue) {
    fuse_where(
        graph, interruption, [&](const Task& task) { return !begins_elementwise(graph, task); },
        [&](const Task& both) { return traits.epilogue(graph, both); });
  }
  fuse_where(
      graph, interruption, [&](const Task& task) { return begins_elementwise(graph, task); },
      [](const Task&) { return true; });
}

void remove(TaskGraph& graph, const std::vector<char>& tasks, const std::vector<char>& buffers) {
  std::vector<TaskId> task_ids(graph.tasks.size());
  std::vector<BufferId> buffer_ids(graph.buffers.size());
  std::vector<Task> kept_tasks;
  std::vector<Buffer> kept_buffers;
  kept_tasks.reserve(graph.tasks.size());
  kept_buffers.reserve(graph.buffers.size());
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    if (buffers[b]) continue;
    buffer_ids[b] = BufferId(static_cast<int64_t>(kept_buffers.size()));
    kept_buffers.push_back(std::move(graph.buffers[b]));
  }
  const auto rename = [&](Operand& operand) {
    operand.buffer = buffer_ids[operand.buffer.index()];
    ensure(operand.buffer.valid(), "a removed buffer is still in use");
  };
  const auto rename_tasks = [&](std::vector<TaskId>& ids) {
    for (TaskId& id : ids) id = task_ids[id.index()];
    if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    ensure(ids.empty() || ids.front().valid(), "a removed task is still waited for");
  };
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    if (tasks[t]) continue;
    task_ids[t] = TaskId(static_cast<int64_t>(kept_tasks.size()));
    Task& task = kept_tasks.emplace_back(std::move(graph.tasks[t]));
    for (Operand& operand : task.reads) rename(operand);
    for (Operand& operand : task.writes) rename(operand);
    rename_tasks(task.after);
  }
  for (View& view : graph.views) {
    rename(view.input);
    rename(view.output);
  }
  for (Load& load : graph.loads) load.buffer = buffer_ids[load.buffer.index()];
  for (Offload& offload : graph.offloads) {
    rename(offload.from);
    rename_tasks(offload.after);
  }
  graph.tasks = std::move(kept_tasks);
  graph.buffers = std::move(kept_buffers);
}

}  // namespace einsummable
