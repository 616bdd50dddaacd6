// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes with the dependencies they are given, one launch for all devices.
#include <vector>

#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {
namespace {

// A graph made ready, and the stream that it is launched on.
struct Ready {
  CUgraphExec graph = nullptr;
  CUstream stream = nullptr;
};

CUgraph graph_of(GraphHandle handle) { return reinterpret_cast<CUgraph>(handle); }

std::vector<CUgraphNode> nodes_of(const Node* nodes, uint64_t count) {
  std::vector<CUgraphNode> out;
  for (uint64_t i = 0; i < count; ++i) out.push_back(reinterpret_cast<CUgraphNode>(nodes[i]));
  return out;
}

}  // namespace

Status create_graph(GraphHandle* graph) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  CUgraph made = nullptr;
  const Status status = driver.check(driver.cuGraphCreate(&made, 0), "making a graph");
  *graph = reinterpret_cast<GraphHandle>(made);
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
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  CUgraphNode made = nullptr;
  const Status status = driver.check(
      driver.cuGraphAddKernelNode(&made, graph_of(graph), before.data(), count, &parameters),
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
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  CUgraphNode made = nullptr;
  const Status status =
      driver.check(driver.cuGraphAddMemcpyNode(&made, graph_of(graph), before.data(), count,
                                               &parameters, driver.context(where)),
                   "adding a copy to the graph");
  *node = reinterpret_cast<Node>(made);
  return status;
}

Status destroy_graph(GraphHandle graph) {
  Driver& driver = Driver::get();
  return driver.check(driver.cuGraphDestroy(graph_of(graph)), "destroying a graph");
}

Status instantiate(GraphHandle graph, Launchable* launchable) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  Ready ready;
  CUresult result = driver.cuStreamCreate(&ready.stream, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS) return driver.check(result, "making a stream");
  result = driver.cuGraphInstantiate(&ready.graph, graph_of(graph), 0);
  if (result == CUDA_SUCCESS) result = driver.cuGraphUpload(ready.graph, ready.stream);
  if (result == CUDA_SUCCESS) result = driver.cuStreamSynchronize(ready.stream);
  if (result != CUDA_SUCCESS) {
    if (ready.graph) driver.cuGraphExecDestroy(ready.graph);
    driver.cuStreamDestroy(ready.stream);
    return driver.check(result, "making the graph ready");
  }
  *launchable = reinterpret_cast<Launchable>(new Ready(ready));
  return Status::ok;
}

Status destroy_launchable(Launchable launchable) {
  Driver& driver = Driver::get();
  auto* ready = reinterpret_cast<Ready*>(launchable);
  const CUresult graph = driver.cuGraphExecDestroy(ready->graph);
  const CUresult stream = driver.cuStreamDestroy(ready->stream);
  delete ready;
  return driver.check(graph != CUDA_SUCCESS ? graph : stream, "destroying a graph");
}

Status launch(Launchable launchable) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  const auto* ready = reinterpret_cast<const Ready*>(launchable);
  return driver.check(driver.cuGraphLaunch(ready->graph, ready->stream), "launching the graph");
}

Status poll(Launchable launchable) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  const auto* ready = reinterpret_cast<const Ready*>(launchable);
  return driver.check(driver.cuStreamQuery(ready->stream), "running the graph");
}

Capture::Capture(GraphHandle graph, const Node* after, uint64_t count, int32_t device)
    : graph_(graph_of(graph)), device_(device), entered_(device), status_(entered_.status()) {
  if (status_ != Status::ok) return;
  Driver& driver = Driver::get();
  const std::vector<CUgraphNode> before = nodes_of(after, count);
  status_ = driver.check(
      driver.cuStreamBeginCaptureToGraph(driver.stream(device), graph_, before.data(), nullptr,
                                         count, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "recording a library call");
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
  CUgraph graph = nullptr;
  const CUresult ended = driver.cuStreamEndCapture(stream(), &graph);
  if (called != Status::ok) return called;
  if (result == CUDA_SUCCESS) result = ended;
  CUgraphNode made = ends.size() == 1 ? ends[0] : nullptr;
  if (result == CUDA_SUCCESS && !made) {
    result = driver.cuGraphAddEmptyNode(&made, graph_, ends.data(), ends.size());
  }
  *node = reinterpret_cast<Node>(made);
  return driver.check(result, "recording a library call");
}

}  // namespace einsummable::cuda::plugin
