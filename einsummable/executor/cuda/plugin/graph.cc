// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes with the dependencies they are given, one launch for all devices.
#include <memory>
#include <set>
#include <vector>

#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {
namespace {

// A graph, and the devices that nodes of it are on.
struct Graph {
  CUgraph graph = nullptr;
  std::set<int32_t> devices;
};

// A graph made ready, and a stream of every device of it: it is launched on that of the first.
struct Ready {
  CUgraphExec graph = nullptr;
  int32_t device = 0;
  std::vector<CUstream> streams;
};

Graph& graph_of(GraphHandle handle) { return *reinterpret_cast<Graph*>(handle); }

std::vector<CUgraphNode> nodes_of(const Node* nodes, uint64_t count) {
  std::vector<CUgraphNode> out;
  for (uint64_t i = 0; i < count; ++i) out.push_back(reinterpret_cast<CUgraphNode>(nodes[i]));
  return out;
}

Status add_streams(const Graph& from, Ready& ready) {
  Driver& driver = Driver::get();
  const std::set<int32_t> devices = from.devices.empty() ? std::set<int32_t>{0} : from.devices;
  ready.device = *devices.begin();
  for (int32_t device : devices) {
    const Entered entered(device);
    if (entered.status() != Status::ok) return entered.status();
    CUstream stream = nullptr;
    const CUresult result = driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (result != CUDA_SUCCESS) return driver.check(result, "making a stream");
    ready.streams.push_back(stream);
  }
  return Status::ok;
}

// Instantiates a graph for streams that are there.
Status make_ready(const Graph& from, Ready& ready) {
  Driver& driver = Driver::get();
  const Entered entered(ready.device);
  if (entered.status() != Status::ok) return entered.status();
  CUstream stream = ready.streams.front();
  CUresult result = driver.cuGraphInstantiate(&ready.graph, from.graph, 0);
  if (result == CUDA_SUCCESS) result = driver.cuGraphUpload(ready.graph, stream);
  if (result == CUDA_SUCCESS) result = driver.cuStreamSynchronize(stream);
  return driver.check(result, "making the graph ready");
}

// What is there of it. Gives the first failure.
CUresult destroy(const Ready& ready) {
  Driver& driver = Driver::get();
  CUresult result = ready.graph ? driver.cuGraphExecDestroy(ready.graph) : CUDA_SUCCESS;
  for (CUstream stream : ready.streams) {
    const CUresult destroyed = driver.cuStreamDestroy(stream);
    if (result == CUDA_SUCCESS) result = destroyed;
  }
  return result;
}

}  // namespace

Status create_graph(GraphHandle* graph) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  Graph made;
  const Status status = driver.check(driver.cuGraphCreate(&made.graph, 0), "making a graph");
  *graph = status == Status::ok ? reinterpret_cast<GraphHandle>(new Graph(made)) : 0;
  return status;
}

Status add_kernel(GraphHandle graph, const Node* after, uint64_t count, const KernelLaunch* kernel,
                  Node* node) {
  Driver& driver = Driver::get();
  const Entered entered(kernel->device);
  if (entered.status() != Status::ok) return entered.status();
  std::vector<Address> arguments(kernel->arguments, kernel->arguments + kernel->argument_count);
  std::vector<void*> pointers;
  for (Address& argument : arguments) pointers.push_back(&argument);
  CUDA_KERNEL_NODE_PARAMS parameters = {};
  parameters.gridDimX = kernel->blocks;
  parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = kernel->threads;
  parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = pointers.data();
  parameters.kern = reinterpret_cast<CUkernel>(kernel->function);
  parameters.ctx = driver.context(kernel->device);
  Graph& to = graph_of(graph);
  to.devices.insert(kernel->device);
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  CUgraphNode made = nullptr;
  const Status status =
      driver.check(driver.cuGraphAddKernelNode(&made, to.graph, before.data(), count, &parameters),
                   "adding a kernel to the graph");
  *node = reinterpret_cast<Node>(made);
  return status;
}

Status add_copy(GraphHandle graph, const Node* after, uint64_t count, const Copy* copy,
                Node* node) {
  Driver& driver = Driver::get();
  // A copy runs where its bytes come from; out of the host, where they go.
  const int32_t where = copy->from_device == kHost ? copy->to_device : copy->from_device;
  const Entered entered(where);
  if (entered.status() != Status::ok) return entered.status();
  CUDA_MEMCPY3D parameters = {};
  parameters.srcMemoryType = parameters.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  parameters.srcDevice = copy->from;
  parameters.dstDevice = copy->to;
  parameters.WidthInBytes = copy->bytes;
  parameters.Height = parameters.Depth = 1;
  Graph& to = graph_of(graph);
  to.devices.insert(where);
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  CUgraphNode made = nullptr;
  const Status status =
      driver.check(driver.cuGraphAddMemcpyNode(&made, to.graph, before.data(), count, &parameters,
                                               driver.context(where)),
                   "adding a copy to the graph");
  *node = reinterpret_cast<Node>(made);
  return status;
}

Status destroy_graph(GraphHandle graph) {
  Driver& driver = Driver::get();
  const std::unique_ptr<const Graph> owned(&graph_of(graph));
  const CUresult result = owned->graph ? driver.cuGraphDestroy(owned->graph) : CUDA_SUCCESS;
  return driver.check(result, "destroying a graph");
}

Status instantiate(GraphHandle graph, Launchable* launchable) {
  const Graph& from = graph_of(graph);
  auto ready = std::make_unique<Ready>();
  Status status = add_streams(from, *ready);
  if (status == Status::ok) status = make_ready(from, *ready);
  if (status != Status::ok) {
    destroy(*ready);
    return status;
  }
  *launchable = reinterpret_cast<Launchable>(ready.release());
  return Status::ok;
}

Status destroy_launchable(Launchable launchable) {
  const std::unique_ptr<const Ready> ready(reinterpret_cast<const Ready*>(launchable));
  return Driver::get().check(destroy(*ready), "destroying a graph");
}

Status launch(Launchable launchable) {
  Driver& driver = Driver::get();
  const auto* ready = reinterpret_cast<const Ready*>(launchable);
  const Entered entered(ready->device);
  if (entered.status() != Status::ok) return entered.status();
  return driver.check(driver.cuGraphLaunch(ready->graph, ready->streams.front()),
                      "launching the graph");
}

// A device that is lost may leave the others, and so the launch, waiting for good; but its own idle
// stream says so.
Status poll(Launchable launchable) {
  Driver& driver = Driver::get();
  const auto* ready = reinterpret_cast<const Ready*>(launchable);
  const Entered entered(ready->device);
  if (entered.status() != Status::ok) return entered.status();
  const CUresult result = driver.cuStreamQuery(ready->streams.front());
  if (result != CUDA_ERROR_NOT_READY) return driver.check(result, "running the graph");
  for (CUstream stream : ready->streams) {
    const Status status = driver.check(driver.cuStreamQuery(stream), "running the graph");
    if (status != Status::ok && status != Status::not_ready) return status;
  }
  return Status::not_ready;
}

Capture::Capture(GraphHandle graph, const Node* after, uint64_t count, int32_t device)
    : graph_(graph), device_(device), entered_(device), status_(entered_.status()) {
  if (status_ != Status::ok) return;
  Driver& driver = Driver::get();
  Graph& to = graph_of(graph);
  to.devices.insert(device);
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  // Relaxed, as a library may load a kernel when it is first called.
  status_ = driver.check(
      driver.cuStreamBeginCaptureToGraph(driver.stream(device), to.graph, before.data(), nullptr,
                                         count, CU_STREAM_CAPTURE_MODE_RELAXED),
      "recording a library call");
  recording_ = status_ == Status::ok;
}

Capture::~Capture() {
  if (recording_) stop();
}

CUresult Capture::stop() {
  recording_ = false;
  CUgraph graph = nullptr;
  const CUresult result = Driver::get().cuStreamEndCapture(stream(), &graph);
  // A recording that went wrong may have ended its graph, which is not touched again.
  if (result != CUDA_SUCCESS) graph_of(graph_).graph = nullptr;
  return result;
}

Status Capture::end(Status called, Node* node) {
  Driver& driver = Driver::get();
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode* last = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;
  CUresult result =
      driver.cuStreamGetCaptureInfo(stream(), &capturing, nullptr, nullptr, &last, &edges, &count);
  // They are the stream's until the recording ends.
  const std::vector<CUgraphNode> ends(last, last + (result == CUDA_SUCCESS ? count : 0));
  const CUresult ended = stop();
  if (called != Status::ok) return called;
  if (result == CUDA_SUCCESS) result = ended;
  CUgraphNode made = ends.size() == 1 ? ends[0] : nullptr;
  if (result == CUDA_SUCCESS && !made) {
    result = driver.cuGraphAddEmptyNode(&made, graph_of(graph_).graph, ends.data(), ends.size());
  }
  *node = reinterpret_cast<Node>(made);
  return driver.check(result, "recording a library call");
}

}  // namespace einsummable::cuda::plugin
