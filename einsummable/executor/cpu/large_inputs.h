// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/executor/cpu/arenas.h"
#include "einsummable/executor/cpu/prepared_task.h"
#include "einsummable/task/task_graph.h"

namespace einsummable::cpu {

// Inputs so large that copying them takes a part of the call. They are read where the caller has
// them, if all tasks that read them take them there; else they are copied by the threads of the
// call, beside other tasks. Giving and copying allocate nothing.
class LargeInputs {
 public:
  explicit LargeInputs(const TaskGraph& graph);

  // How many there are: buffers of inputs, each at one site.
  size_t count() const { return inputs_.size(); }

  // What a scheduler sees, sites and order alone: a copy of each, then the tasks of the graph,
  // which wait for the copies of what they read; and the urgency of all, from that of the tasks.
  TaskGraph order() const;
  std::vector<double> urgency(std::span<const double> tasks) const;

  // Gives the graph's load number `load` the part of the caller's array that its buffer has; false
  // if that is no large input.
  bool give(size_t load, const StridedView& from, std::span<const PreparedTask> tasks,
            const Arenas& arenas);
  // Copies number `i` of them, unless it is read where it is.
  void copy(size_t i, const Arenas& arenas);

 private:
  // A task that reads the buffer, and where in it.
  struct Reader {
    size_t task = 0, read = 0;
    Box region;
  };
  struct Input {
    size_t load = 0;
    BufferId buffer;
    std::vector<Reader> readers;
    bool movable = true;        // as far as the graph says
    bool moved = false;         // tasks read it where the caller has it
    std::byte* data = nullptr;  // what is to be copied; null if nothing is
    DType dtype = DType::f32;
    std::vector<int64_t> strides;
  };

  void find_readers();
  bool is_movable(const Input& input, std::span<const PreparedTask> tasks) const;
  // False if a reader does not take it there; those before it have moved then.
  bool move(const Input& input, std::byte* data, std::span<const int64_t> strides,
            std::span<const PreparedTask> tasks) const;
  void move_home(const Input& input, std::span<const PreparedTask> tasks,
                 const Arenas& arenas) const;

  const TaskGraph& graph_;
  std::vector<Input> inputs_;
};

}  // namespace einsummable::cpu
