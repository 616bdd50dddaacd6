// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/executor.h"

namespace einsummable::cuda {

// When the tasks of a launch began and ended: nanoseconds of the clock of the device that stamps
// them, written by kernels of one thread before and after each task's nodes. Clocks of devices
// differ, so each has an origin, which is stamped when a launch begins.
class Stamps {
 public:
  // `devices` are those of the sites.
  Stamps(const Api& api, size_t tasks, std::span<const int32_t> devices);

  // The kernel that writes its device's time to the address that it is given.
  static KernelSource kernel();

  Address begin(TaskId task) const { return at(2 * task.index()); }
  Address end(TaskId task) const { return at(2 * task.index() + 1); }
  Address origin(int32_t device) const;

  // Of the last launch; `stamped_by` has the device of each task.
  std::vector<TaskTime> times(std::span<const int32_t> stamped_by) const;

  void abandon() { memory_.abandon(); }  // see Owned

 private:
  Address at(size_t stamp) const { return memory_.address() + stamp * sizeof(int64_t); }
  size_t origin_of(int32_t device) const;
  int64_t value(size_t stamp) const;

  size_t tasks_;
  std::vector<int32_t> devices_;  // rising
  Pinned memory_;                 // a begin and an end for every task, then the origins
};

// The device that stamps a task: of a transfer the one that sends.
int32_t stamping_device(const TaskGraph& graph, const Task& task, std::span<const int32_t> devices);

}  // namespace einsummable::cuda
