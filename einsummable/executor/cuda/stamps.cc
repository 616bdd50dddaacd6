// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/stamps.h"

#include <algorithm>
#include <cstring>

#include "einsummable/base/checked.h"

namespace einsummable::cuda {
namespace {

std::vector<int32_t> distinct(std::span<const int32_t> devices) {
  std::vector<int32_t> out(devices.begin(), devices.end());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int64_t bytes_of(size_t tasks, size_t devices) {
  const auto stamps = checked_add(checked_multiply(static_cast<int64_t>(tasks), int64_t{2}),
                                  static_cast<int64_t>(devices));
  return checked_multiply(stamps, int64_t{sizeof(int64_t)});
}

}  // namespace

Stamps::Stamps(const Api& api, size_t tasks, std::span<const int32_t> devices)
    : tasks_(tasks),
      devices_(distinct(devices)),
      memory_(api, bytes_of(tasks, devices_.size()), "the times of tasks") {
  std::ranges::fill(memory_.bytes(), std::byte{0});
}

KernelSource Stamps::kernel() {
  return {.parameters = "ES_WRITE(long long) out0",
          .body = "ES_SET(out0, 0, device_time());\n",
          .threads = 1};
}

size_t Stamps::origin_of(int32_t device) const {
  return 2 * tasks_ +
         static_cast<size_t>(std::ranges::lower_bound(devices_, device) - devices_.begin());
}

Address Stamps::origin(int32_t device) const { return at(origin_of(device)); }

int64_t Stamps::value(size_t stamp) const {
  int64_t value = 0;
  std::memcpy(&value, memory_.bytes().data() + stamp * sizeof value, sizeof value);
  return value;
}

std::vector<TaskTime> Stamps::times(std::span<const int32_t> stamped_by) const {
  std::vector<TaskTime> times;
  for (size_t task = 0; task < stamped_by.size(); ++task) {
    const int64_t began = value(2 * task), ended = value(2 * task + 1);
    const int64_t origin = value(origin_of(stamped_by[task]));
    times.push_back({.start = static_cast<double>(began - origin) * 1e-9,
                     .seconds = static_cast<double>(ended - began) * 1e-9});
  }
  return times;
}

int32_t stamping_device(const TaskGraph& graph, const Task& task,
                        std::span<const int32_t> devices) {
  const SiteId site =
      task.kind == Task::Kind::transfer ? graph.buffer(task.reads.at(0).buffer).site : task.site;
  return devices[site.index()];
}

}  // namespace einsummable::cuda
