// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/cpu_executor.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/arenas.h"
#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/executor/cpu/prepared_task.h"
#include "einsummable/executor/cpu/scheduler.h"
#include "einsummable/task/simulation.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::cpu {
namespace {

// How urgent tasks are: by what follows them, as this machine is described.
std::vector<double> urgency_of(const TaskGraph& graph) {
  return longest_paths(graph, resolve_first(load_machine("cpu"), 1));
}

// Inputs of so many bytes are copied by the threads of the call, beside other tasks.
constexpr int64_t kLargeInput = int64_t{1} << 16;

// Positions in TaskGraph::loads of large inputs.
std::vector<size_t> large_inputs(const TaskGraph& graph) {
  std::vector<size_t> out;
  for (size_t i = 0; i < graph.loads.size(); ++i) {
    const Buffer& buffer = graph.buffer(graph.loads[i].buffer);
    if (buffer.role == Buffer::Role::input && buffer.bytes() >= kLargeInput) out.push_back(i);
  }
  return out;
}

// What the scheduler sees, sites and order alone: the loads, then the tasks, which wait for the
// loads of what they read.
TaskGraph scheduled(const TaskGraph& graph, const std::vector<size_t>& loads) {
  TaskGraph out;
  out.plan = graph.plan;
  std::vector<std::optional<TaskId>> load_of(graph.buffers.size());
  for (size_t i = 0; i < loads.size(); ++i) {
    const BufferId buffer = graph.loads[loads[i]].buffer;
    load_of[buffer.index()] = TaskId(static_cast<int64_t>(i));
    out.tasks.push_back(
        {.site = graph.buffer(buffer).site, .reads = {}, .writes = {}, .after = {}});
  }
  for (const Task& task : graph.tasks) {
    std::vector<TaskId> after;
    for (const Operand& read : task.reads) {
      const auto& load = load_of[read.buffer.index()];
      if (load && std::ranges::find(after, *load) == after.end()) after.push_back(*load);
    }
    for (TaskId before : task.after) {
      after.push_back(TaskId(before.value + static_cast<int64_t>(loads.size())));
    }
    out.tasks.push_back({.site = task.site, .reads = {}, .writes = {}, .after = std::move(after)});
  }
  return out;
}

// Loads first: each is about as urgent as what waits for it.
std::vector<double> with_loads(const std::vector<double>& urgency, const TaskGraph& order,
                               size_t loads) {
  std::vector<double> out(loads, 0);
  out.insert(out.end(), urgency.begin(), urgency.end());
  for (size_t task = loads; task < order.tasks.size(); ++task) {
    for (TaskId before : order.tasks[task].after) {
      if (before.index() < loads) out[before.index()] = std::max(out[before.index()], out[task]);
    }
  }
  return out;
}

class CpuExecution final : public Execution {
 public:
  CpuExecution(std::shared_ptr<const TaskGraph> graph, int64_t threads,
               const Interruption& interruption)
      : graph_(std::move(graph)),
        arenas_(graph_),
        large_(large_inputs(*graph_)),
        given_(large_.size()),
        order_(scheduled(*graph_, large_)),
        scheduler_(order_, with_loads(urgency_of(*graph_), order_, large_.size()), threads) {
    for (const Task& task : graph_->tasks) {
      interruption.check();
      tasks_.push_back(prepare_task(*graph_, task, arenas_));
    }
    for (const PreparedTask& task : tasks_) {
      times_.push_back({.reference = task.kind == PreparedKernel::Kind::reference});
    }
    for (size_t i = 0; i < large_.size(); ++i) {
      given_[i].strides.resize(graph_->buffer(graph_->loads[large_[i]].buffer).box.size());
    }
  }

  void load(TensorId tensor, const StridedView& array) override {
    size_t large = 0;
    for (size_t i = 0; i < graph_->loads.size(); ++i) {
      const Load& load = graph_->loads[i];
      const bool later = large < large_.size() && large_[large] == i;
      if (load.tensor == tensor) {
        const StridedView to = arenas_.view(load.buffer);
        const StridedView from = part(array, graph_->buffer(load.buffer).box, to.shape);
        later ? give(given_[large], from) : copy_elements(from, to);
      }
      large += later;
    }
  }

  void run(const std::function<bool()>& interrupted) override {
    began_ = std::chrono::steady_clock::now();
    scheduler_.run([this](size_t item) { run_item(item); }, interrupted);
  }

  std::vector<TaskTime> last_run() const override { return times_; }

  void offload(int32_t save, const StridedView& array) override {
    for (const Offload& offload : graph_->offloads) {
      if (offload.save != save) continue;
      copy_elements(arenas_.view(offload.from), part(array, offload.box, offload.from.shape));
    }
  }

 private:
  // The part of the caller's array that a large input's buffer gets in the next run.
  struct Given {
    std::byte* data = nullptr;  // null: nothing was given
    DType dtype = DType::f32;
    std::vector<int64_t> strides;
  };

  static void give(Given& given, const StridedView& from) {
    given.data = from.data;
    given.dtype = from.dtype;
    std::ranges::copy(from.strides, given.strides.begin());
  }

  void run_item(size_t item) {
    if (item >= large_.size()) return run_task(item - large_.size());
    Given& given = given_[item];
    if (!given.data) return;
    const StridedView to = arenas_.view(graph_->loads[large_[item]].buffer);
    copy_elements({given.data, given.dtype, to.shape, given.strides}, to);
    given.data = nullptr;
  }

  void run_task(size_t task) {
    const auto start = std::chrono::steady_clock::now();
    tasks_[task].run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    times_[task].start = std::chrono::duration<double>(start - began_).count();
    times_[task].seconds = taken.count();
  }

  // The part of a whole tensor inside `box`; `shape` is the box's and outlives the view.
  static StridedView part(const StridedView& whole, const Box& box,
                          std::span<const int64_t> shape) {
    int64_t offset = 0;
    for (size_t i = 0; i < box.size(); ++i) offset += box[i].lo * whole.strides[i];
    return {whole.data + offset * size_of(whole.dtype), whole.dtype, shape, whole.strides};
  }

  std::shared_ptr<const TaskGraph> graph_;
  Arenas arenas_;
  std::vector<PreparedTask> tasks_;
  std::vector<TaskTime> times_;
  std::chrono::steady_clock::time_point began_;
  std::vector<size_t> large_;
  std::vector<Given> given_;
  TaskGraph order_;
  Scheduler scheduler_;
};

}  // namespace

int64_t threads_of(const CpuOptions& options, int64_t sites) {
  if (options.threads > 0) return options.threads;
  return std::min<int64_t>(std::max(1u, std::thread::hardware_concurrency()), sites);
}

Traits CpuExecutor::traits() const {
  return {.memory = options_.memory, .workspace = task_workspace};
}

std::unique_ptr<Execution> CpuExecutor::prepare(std::shared_ptr<const TaskGraph> graph,
                                                const Interruption& interruption) {
  use_one_blas_thread();
  if (options_.memory == Traits::Memory::private_sites) require_private(*graph);
  const int64_t threads = threads_of(options_, graph->plan->sites);
  return std::make_unique<CpuExecution>(std::move(graph), threads, interruption);
}

void require_private(const TaskGraph& graph) {
  for (const Task& task : graph.tasks) {
    for (const Operand& read : task.reads) {
      const bool own = graph.buffer(read.buffer).site == task.site;
      ensure(own || task.kind == Task::Kind::transfer,
             "a task reads the memory of a site that is not its own");
    }
    for (const Operand& write : task.writes) {
      ensure(graph.buffer(write.buffer).site == task.site,
             "a task writes the memory of a site that is not its own");
    }
  }
}

}  // namespace einsummable::cpu
