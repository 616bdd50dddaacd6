// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/task/task_graph.h"

namespace einsummable {

// One operand of a task, as its buffer sees it.
struct Access {
  TaskId task;
  bool writes = false;
  const Box* region = nullptr;  // the operand's
};

// What tasks read and write of each buffer, in order of tasks; a task's reads come before its
// writes. Every operand's buffer exists. Refers to the graph, which must not change meanwhile.
class Accesses {
 public:
  explicit Accesses(const TaskGraph& graph);

  std::span<const Access> of(size_t buffer) const {
    return {all_.data() + begin_[buffer], all_.data() + begin_[buffer + 1]};
  }
  // The position of the first task that touches the buffer; -1 if the caller fills it, the largest
  // number if nothing does.
  int64_t first_use(const TaskGraph& graph, size_t buffer) const;

 private:
  std::vector<size_t> begin_;
  std::vector<Access> all_;
};

// A buffer and one that had some of its memory before.
struct Takeover {
  size_t buffer = 0, from = 0;
};

// Which buffers take over memory from which: at every site, buffers by when they are first used.
// Only from the last that had the memory; that one took it over from those before. A temporary that
// nothing is written to takes nothing over: no task of it would wait for those before.
std::vector<Takeover> takeovers(const TaskGraph& graph, const Accesses& accesses);

}  // namespace einsummable
