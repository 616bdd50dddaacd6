// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/cpu_executor.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/arenas.h"
#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/executor/cpu/large_inputs.h"
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

class CpuExecution final : public Execution {
 public:
  CpuExecution(std::shared_ptr<const TaskGraph> graph, int64_t threads,
               const Interruption& interruption)
      : graph_(std::move(graph)),
        arenas_(graph_),
        inputs_(*graph_),
        order_(inputs_.order()),
        scheduler_(order_, inputs_.urgency(urgency_of(*graph_)), threads) {
    for (const Task& task : graph_->tasks) {
      interruption.check();
      tasks_.push_back(prepare_task(*graph_, task, arenas_));
    }
    for (const PreparedTask& task : tasks_) {
      times_.push_back({.reference = task.kind == PreparedKernel::Kind::reference});
    }
  }

  void load(TensorId tensor, const StridedView& array) override {
    for (size_t i = 0; i < graph_->loads.size(); ++i) {
      const Load& load = graph_->loads[i];
      if (load.tensor != tensor) continue;
      const StridedView to = arenas_.view(load.buffer);
      const StridedView from = part(array, graph_->buffer(load.buffer).box, to.shape);
      if (!inputs_.give(i, from, tasks_, arenas_)) copy_elements(from, to);
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
  void run_item(size_t item) {
    const size_t copies = inputs_.count();
    item < copies ? inputs_.copy(item, arenas_) : run_task(item - copies);
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
  LargeInputs inputs_;
  TaskGraph order_;  // of copies of inputs, then of the tasks
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
