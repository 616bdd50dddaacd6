// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "einsummable/task/task_graph.h"
#include "einsummable/task/traits.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable {

// When one task of a run began (seconds after the run did), what it took, and whether it ran the
// operator's float64 reference.
struct TaskTime {
  double start = 0;
  double seconds = 0;
  bool reference = false;
};

// A task graph bound to memory, ready to run as often as asked. Calls must not overlap.
class Execution {
 public:
  virtual ~Execution() = default;

  // Copies what every site needs of an input or parameter: `array` has the tensor's dtype and shape
  // and any strides. Of an input it may be copied only in the next run, until which it stays.
  virtual void load(TensorId tensor, const StridedView& array) = 0;

  // Runs all tasks. Throws what a kernel throws (InputError for ids out of range), and InputError
  // if `interrupted`, asked now and then, says so; the execution can be run again afterwards.
  virtual void run(const std::function<bool()>& interrupted) = 0;

  // What every task took in the last run; nothing if tasks are not measured one by one.
  virtual std::vector<TaskTime> last_run() const = 0;

  // Copies a saved tensor into `array`, which has its dtype and shape.
  virtual void offload(int32_t save, const StridedView& array) = 0;
};

// Something that runs task graphs: virtual CPU devices, GPUs, ranks.
class Executor {
 public:
  virtual ~Executor() = default;

  // What lowering needs to know of it.
  virtual Traits traits() const = 0;
  // Binds memory and prepares every task. `graph` has its memory planned and is verified.
  virtual std::unique_ptr<Execution> prepare(std::shared_ptr<const TaskGraph> graph,
                                             const Interruption& interruption) = 0;
  std::unique_ptr<Execution> prepare(std::shared_ptr<const TaskGraph> graph) {
    return prepare(std::move(graph), {});
  }
};

}  // namespace einsummable
