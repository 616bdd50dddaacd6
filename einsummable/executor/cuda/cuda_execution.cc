// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/cuda_execution.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <thread>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/graph_builder.h"
#include "einsummable/executor/cuda/status.h"
#include "einsummable/executor/cuda/task_nodes.h"
#include "einsummable/ops/ids.h"

namespace einsummable::cuda {
namespace {

// The most pinned memory that inputs and outputs go through at a time, in bytes.
constexpr int64_t kHostPiece = int64_t{1} << 24;

// What prelude.cuh calls Fault.
struct Fault {
  int64_t found, position, value;
};

std::vector<PreparedTask> prepared(const TaskGraph& graph, const KernelOptions& options,
                                   const Interruption& interruption) {
  std::vector<PreparedTask> tasks;
  for (const Task& task : graph.tasks) {
    interruption.check();
    tasks.push_back(nodes_of(graph, task, options));
    ensure(tasks.back().workspace <= task.workspace,
           "a kernel asks for more workspace than planned");
  }
  return tasks;
}

std::vector<size_t> with_ids(const std::vector<PreparedTask>& tasks) {
  std::vector<size_t> out;
  for (size_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].ids) out.push_back(task);
  }
  return out;
}

// The bytes of the largest block that a caller gives or gets.
int64_t host_bytes(const TaskGraph& graph) {
  int64_t most = 1;
  for (const Load& load : graph.loads) most = std::max(most, graph.buffer(load.buffer).bytes());
  for (const Offload& offload : graph.offloads) {
    most = std::max(most, graph.buffer(offload.from.buffer).bytes());
  }
  return std::min(most, kHostPiece);
}

// The part of a whole tensor inside `box`; `shape` is the box's and outlives the view.
StridedView part(const StridedView& whole, const Box& box, std::span<const int64_t> shape) {
  int64_t offset = 0;
  for (size_t i = 0; i < box.size(); ++i) offset += box[i].lo * whole.strides[i];
  return {whole.data + offset * size_of(whole.dtype), whole.dtype, shape, whole.strides};
}

// The position in `box` of its element number `element`, in row-major order.
std::vector<int64_t> position_of(const Box& box, int64_t element) {
  std::vector<int64_t> position(box.size());
  for (size_t i = box.size(); i-- > 0;) {
    position[i] = box[i].lo + element % box[i].length();
    element /= box[i].length();
  }
  return position;
}

// What ends a call, if something does.
std::exception_ptr reason_to_stop(const std::function<bool()>& interrupted) {
  try {
    if (!interrupted()) return nullptr;
    throw InputError("the call was interrupted");
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

CudaExecution::CudaExecution(const Api& api, const CudaOptions& options,
                             std::shared_ptr<const TaskGraph> graph,
                             const Interruption& interruption)
    : api_(&api),
      options_(options),
      graph_(std::move(graph)),
      arenas_(api, *graph_, options_.devices),
      tasks_(prepared(*graph_, options_.kernels, interruption)),
      fault_tasks_(with_ids(tasks_)),
      library_(api, options_.cache_dir, options_.threads),
      copies_(api, host_bytes(*graph_)),
      faults_(api, static_cast<int64_t>(fault_tasks_.size() * sizeof(Fault)), "checks of ids") {
  if (options_.timed) stamps_.emplace(api, graph_->tasks.size(), options_.devices);
  try {
    compile_kernels(interruption);
    build(interruption);
  } catch (const UnsupportedError&) {
    if (!options_.kernels.library_attention) throw;
    // Attention as cuDNN does not serve it: by generated kernels, whose workspace was planned too.
    options_.kernels.library_attention = false;
    tasks_ = prepared(*graph_, options_.kernels, interruption);
    compile_kernels(interruption);
    build(interruption);
  }
}

CudaExecution::~CudaExecution() {
  if (!running_ || api_->poll(launchable_) == Status::ok) return;
  // Devices still use all of it, or wait for one that is lost.
  arenas_.abandon();
  library_.abandon();
  copies_.abandon();
  faults_.abandon();
  if (stamps_) stamps_->abandon();
  for (Pinned& pinned : staging_) pinned.abandon();
  owned_graph_.abandon();
  owned_launchable_.abandon();
}

int32_t CudaExecution::architecture(int32_t device) {
  const auto known = architectures_.find(device);
  if (known != architectures_.end()) return known->second;
  DeviceInfo info = {};
  require(api_->device(device, &info), "device " + std::to_string(device));
  return architectures_[device] = info.architecture;
}

void CudaExecution::compile_kernels(const Interruption& interruption) {
  std::map<int32_t, std::vector<KernelSource>> sources;  // by architecture
  for (size_t t = 0; t < tasks_.size(); ++t) {
    const int32_t compiled_for = architecture(device(graph_->tasks[t].site));
    for (const NodeCall& node : tasks_[t].nodes) {
      const auto* kernel = std::get_if<GeneratedKernel>(&node);
      if (kernel) sources[compiled_for].push_back(kernel->source);
    }
  }
  if (stamps_) {
    for (int32_t on : options_.devices) sources[architecture(on)].push_back(Stamps::kernel());
  }
  for (const auto& [compiled_for, of_it] : sources) {
    library_.add(of_it, compiled_for, interruption);
  }
}

void CudaExecution::build(const Interruption& interruption) {
  GraphHandle graph = 0;
  require(api_->create_graph(&graph), "there is no CUDA graph");
  owned_graph_ = Owned(DestroyGraph{api_, graph});
  const Binding binding{
      .api = *api_,
      .graph = *graph_,
      .arenas = arenas_,
      .devices = options_.devices,
      .function = [&](const KernelSource& source,
                      int32_t on) { return library_.function(source, architecture(on)); },
      .fault =
          [&](TaskId task) {
            const auto at = std::ranges::lower_bound(fault_tasks_, task.index());
            return faults_.address() +
                   static_cast<uint64_t>(at - fault_tasks_.begin()) * sizeof(Fault);
          },
      .reaches = options_.reaches,
      .stamps = stamps_ ? &*stamps_ : nullptr};
  GraphBuilder builder(binding, graph);
  for (size_t t = 0; t < tasks_.size(); ++t) {
    interruption.check();
    builder.add(TaskId(static_cast<int64_t>(t)), tasks_[t]);
  }
  staging_ = builder.take_staging();
  require(api_->instantiate(graph, &launchable_), "the CUDA graph cannot be made ready");
  owned_launchable_ = Owned(DestroyLaunchable{api_, launchable_});
}

void CudaExecution::load(TensorId tensor, const StridedView& array) {
  require_usable();
  for (const Load& load : graph_->loads) {
    if (load.tensor != tensor) continue;
    const Buffer& buffer = graph_->buffer(load.buffer);
    const Shape shape = shape_of(buffer.box);
    copies_.upload(part(array, buffer.box, shape), buffer.dtype, device(buffer.site),
                   arenas_.address(load.buffer));
  }
}

void CudaExecution::run(const std::function<bool()>& interrupted) {
  require_usable();
  std::memset(faults_.bytes().data(), 0, faults_.bytes().size());
  require(api_->launch(launchable_), "the launch of the CUDA graph failed");
  wait(interrupted);
  throw_faults();
}

std::vector<TaskTime> CudaExecution::last_run() const {
  if (!stamps_) return {};
  std::vector<int32_t> stamped_by;
  for (const Task& task : graph_->tasks) {
    stamped_by.push_back(stamping_device(*graph_, task, options_.devices));
  }
  return stamps_->times(stamped_by);
}

void CudaExecution::offload(int32_t save, const StridedView& array) {
  require_usable();
  for (const Offload& offload : graph_->offloads) {
    if (offload.save != save) continue;
    copies_.download(device(graph_->buffer(offload.from.buffer).site),
                     arenas_.address(offload.from), offload.from.strides,
                     part(array, offload.box, offload.from.shape));
  }
}

void CudaExecution::require_usable() const {
  if (!unusable_.empty()) throw DeviceError(unusable_);
}

void CudaExecution::require(Status status, const std::string& what) {
  if (status == Status::ok) return;
  try {
    check(*api_, status, what);
  } catch (const DeviceError& error) {
    if (status == Status::lost || launchable_ != 0) unusable_ = error.what();
    throw;
  }
}

void CudaExecution::wait(const std::function<bool()>& interrupted) {
  constexpr auto kSpin = std::chrono::microseconds(200);
  constexpr auto kSleep = std::chrono::microseconds(50);
  constexpr auto kAskEvery = std::chrono::milliseconds(10);
  const auto began = Clock::now();
  auto asked = began;
  std::exception_ptr stop;
  for (;;) {
    const Status status = api_->poll(launchable_);
    if (status != Status::not_ready) {
      running_ = status == Status::lost;
      require(status, "the CUDA graph failed while it ran");
      if (stop) std::rethrow_exception(stop);
      return;
    }
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - began).count() > options_.time_limit) give_up();
    if (interrupted && !stop && now - asked > kAskEvery) {
      asked = now;
      stop = reason_to_stop(interrupted);
    }
    if (now - began > kSpin) std::this_thread::sleep_for(kSleep);
  }
}

void CudaExecution::give_up() {
  running_ = true;
  unusable_ = "a launch of the CUDA graph has not ended after " + float_text(options_.time_limit) +
              " seconds, and is given up";
  throw DeviceError(unusable_);
}

void CudaExecution::throw_faults() const {
  for (size_t f = 0; f < fault_tasks_.size(); ++f) {
    Fault fault;
    std::memcpy(&fault, faults_.bytes().data() + f * sizeof(Fault), sizeof(Fault));
    if (fault.found == 0) continue;
    const size_t t = fault_tasks_[f];
    const Task& task = graph_->tasks[t];
    const PreparedTask::Ids& ids = *tasks_[t].ids;
    const Operand& read = task.reads.at(static_cast<size_t>(ids.read));
    const Box box = region_box(graph_->buffer(read.buffer), read.region);
    try {
      require_id(fault.value, ids.rows, position_of(box, fault.position));
    } catch (const InputError& error) {
      throw InputError(describe(*graph_, task) + "; " + error.what());
    }
  }
}

}  // namespace einsummable::cuda
