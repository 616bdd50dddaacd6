// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/physical/physical_plan.h"

namespace einsummable {

struct BufferTag;
struct TaskTag;
using BufferId = Id<BufferTag>;
using TaskId = Id<TaskTag>;

// A dense row-major array at one site. It holds `box` of one tensor (or of one component of a
// partial result), in that tensor's coordinates.
struct Buffer {
  enum class Role : uint8_t {
    temporary,  // written by tasks, its memory reused
    input,      // filled before every run from what the caller gives
    parameter,  // filled once, kept
  };

  Role role = Role::temporary;
  SiteId site;
  DType dtype = DType::f32;
  TensorId tensor;
  Box box;
  int64_t offset = -1;  // bytes from the start of the site's arena; -1 before memory is planned

  int64_t bytes() const;
  bool operator==(const Buffer&) const = default;
};

// Part of a buffer, as a task sees it: element x lies at offset + sum of x[i] * strides[i] elements
// of the buffer. `region` is the box of the buffer (from 0) that contains all of them; two operands
// of one buffer touch the same memory only if their regions meet. No byte ranges: columns side by
// side do not overlap.
struct Operand {
  BufferId buffer;
  Box region;
  int64_t offset = 0;
  PerAxis shape;
  PerAxis strides;

  bool operator==(const Operand&) const = default;
};

// One application of a concrete operator: cell `cell` of `op`. An input is an operand of the task
// or the output of an earlier step of the same task. Steps after the first are elementwise.
struct KernelStep {
  struct Input {
    int32_t read = -1;  // position in Task::reads, or
    int32_t step = -1;  // an earlier step of this task, its only output
    bool operator==(const Input&) const = default;
  };

  OpId op;
  int64_t cell = 0;
  std::vector<Input> inputs;
  bool operator==(const KernelStep&) const = default;
};

// One piece of work at a site. It runs when all of `after` have ended; the list of tasks is one
// legal order.
//   kernel     runs its steps. Reads blocks of complete tensors; writes, for each output of the
//              last step, the finished block if the cell completes it alone, else every component
//              of its partial type.
//   slice      copies reads[0] to writes[0] within a site: a strided part packed densely, for an
//              executor whose transfers or kernels need that
//   concat     copies every reads[i] to writes[i] within a site: a block assembled of pieces
//   aggregate  merges `parts` partial results of one output, part after part, component after
//              component, into a partial result
//   finalise   the same, and finishes the block (Definition 3.7, step 2): one write
//   transfer   copies every reads[i] at another site to writes[i] at this one
struct Task {
  enum class Kind : uint8_t { kernel, slice, concat, aggregate, finalise, transfer };

  Kind kind = Kind::kernel;
  SiteId site;                         // of a transfer: the site that receives
  std::vector<KernelStep> steps = {};  // of a kernel
  TensorId tensor = {};                // of the others: whose block it is
  int32_t parts = 0;                   // of an aggregate or a finalise
  std::vector<Operand> reads, writes;
  std::vector<TaskId> after;  // rising
  int64_t workspace = 0;      // bytes of scratch it asks for

  bool operator==(const Task&) const = default;
};

// A cell of a layout operator that is a view: its output block, where its input block lies.
struct View {
  OpId op;
  int64_t cell = 0;
  SiteId site;
  Operand input, output;

  bool operator==(const View&) const = default;
};

// What the caller gives, into an input or parameter buffer: all of its box.
struct Load {
  TensorId tensor;
  BufferId buffer;
  bool operator==(const Load&) const = default;
};

// A finished part of a saved tensor, back to the caller.
struct Offload {
  int32_t save = 0;  // position in Graph::saves()
  Box box;           // in the tensor's coordinates
  Operand from;
  std::vector<TaskId> after = {};  // the tasks that write it; empty if it was loaded
  bool operator==(const Offload&) const = default;
};

// The memory of one site: [0, arena) for buffers, then workspace shared by its kernels, which run
// one at a time.
struct SiteMemory {
  int64_t arena = 0, workspace = 0;
  int64_t peak() const { return arena + workspace; }
  bool operator==(const SiteMemory&) const = default;
};

// Everything an executor does in a call, as tasks over buffers with static addresses.
struct TaskGraph {
  std::shared_ptr<const PhysicalPlan> plan;
  std::vector<Buffer> buffers;
  std::vector<Task> tasks;
  std::vector<View> views;
  std::vector<Load> loads;
  std::vector<Offload> offloads;
  std::vector<SiteMemory> memory;  // a site of the plan each

  const Graph& graph() const { return *plan->graph; }
  const Buffer& buffer(BufferId id) const { return buffers[id.index()]; }
  const Task& task(TaskId id) const { return tasks[id.index()]; }
};

// The whole buffer as an operand; the part `box` (in the coordinates of the buffer's tensor).
Operand whole_operand(BufferId id, const Buffer& buffer);
Operand part_operand(BufferId id, const Buffer& buffer, const Box& box);
// `region`, counted from the buffer's corner, in the coordinates of the buffer's tensor.
Box region_box(const Buffer& buffer, const Box& region);
// The part at `region`, counted from the buffer's corner.
Operand region_operand(BufferId id, const Buffer& buffer, const Box& region);

// Bytes that cross between sites: the reads of all transfers; of one task, 0 if it is none.
int64_t transferred_bytes(const TaskGraph& graph);
int64_t transferred_bytes(const TaskGraph& graph, const Task& task);

// Whether tasks of the kind only copy.
bool is_copy(Task::Kind kind);
std::string_view name(Task::Kind kind);
std::string_view name(Buffer::Role role);

// The text form, and back. Task graphs are read beside the plan they came from, which names
// operators and blocks. `parse_task_graph` throws PlanError with line and column.
//   task graph 1
//   site 0 arena 4096 workspace 0
//   buffer 7 temporary site 2 f32 %4 [0:128, 0:4096] offset 65536
//   view site 2 "heads" cell 3 in 7[] out 7[] as [32, 128, 128] strides [128, 4096, 1] at 0
//   12 kernel site 2 "up" cell 3(in 0, in 1) in 5[0:128, 0:4096], 6[] out 7[] after 3 9
//   13 transfer site 4 %4 in 7[] out 31[] after 12
//   offload 0 [0:128, 0:4096] from 31[] after 13
std::string text(const TaskGraph& graph);
TaskGraph parse_task_graph(std::string_view text, std::shared_ptr<const PhysicalPlan> plan);

}  // namespace einsummable
