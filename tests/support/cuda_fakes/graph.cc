// SPDX-License-Identifier: Apache-2.0
// Graphs of the fake driver, and what is recorded to them. Kernels do nothing.
#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/support/cuda_fakes/fakes.h"

namespace einsummable::cuda_fakes {

CUresult add_node(CUgraph graph, const CUgraphNode* after, size_t count,
                  std::function<CUresult()> work, CUgraphNode* node) {
  if (!graph || (count > 0 && !after)) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<CUgraphNode_st>();
  made->graph = graph;
  made->work = std::move(work);
  for (size_t i = 0; i < count; ++i) {
    const bool known = after[i] && after[i]->graph == graph;
    if (!known || std::ranges::count(made->after, after[i]) > 0) return CUDA_ERROR_INVALID_VALUE;
    made->after.push_back(after[i]);
  }
  *node = made.release();
  graph->nodes.push_back(*node);
  return CUDA_SUCCESS;
}

CUresult enqueue(CUstream stream, std::function<CUresult()> work) {
  if (!stream || current() != stream->context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!stream->recorded) return stream->result = work();
  CUgraphNode node = nullptr;
  const CUresult result =
      add_node(stream->recorded, stream->last.data(), stream->last.size(), std::move(work), &node);
  if (result == CUDA_SUCCESS) stream->last = {node};
  return result;
}

}  // namespace einsummable::cuda_fakes

using namespace einsummable::cuda_fakes;

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI

FAKE cuStreamCreate(CUstream* stream, unsigned flags) {
  if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = new CUstream_st{current(), nullptr, {}, CUDA_SUCCESS};
  return CUDA_SUCCESS;
}
FAKE cuStreamDestroy(CUstream stream) {
  delete stream;
  return CUDA_SUCCESS;
}
FAKE cuStreamQuery(CUstream stream) {
  if (stream->recorded) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->context->lost) return CUDA_ERROR_ILLEGAL_ADDRESS;
  return is_one_lost() ? CUDA_ERROR_NOT_READY : stream->result;
}
FAKE cuStreamSynchronize(CUstream stream) {
  if (!stream) return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  return cuStreamQuery(stream);
}
FAKE cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* after,
                                 const CUgraphEdgeData*, size_t count, CUstreamCaptureMode) {
  const std::lock_guard guard(lock());
  if (!stream || stream->recorded || !graph) return CUDA_ERROR_INVALID_VALUE;
  stream->recorded = graph;
  stream->last.assign(after, after + count);
  ++graph->recordings;
  return CUDA_SUCCESS;
}
FAKE cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph*,
                            const CUgraphNode** last, const CUgraphEdgeData** edges,
                            size_t* count) {
  *status = stream->recorded ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *last = stream->last.data();
  *edges = nullptr;
  *count = stream->last.size();
  return CUDA_SUCCESS;
}
FAKE cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const std::lock_guard guard(lock());
  if (!stream->recorded) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  *graph = stream->recorded;
  --stream->recorded->recordings;
  stream->recorded = nullptr;
  stream->last.clear();
  return CUDA_SUCCESS;
}

FAKE cuGraphCreate(CUgraph* graph, unsigned flags) {
  *graph = new CUgraph_st;
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
FAKE cuGraphDestroy(CUgraph graph) {
  for (CUgraphNode node : graph->nodes) delete node;
  delete graph;
  return CUDA_SUCCESS;
}
FAKE cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
  const std::lock_guard guard(lock());
  return add_node(
      graph, after, count, [] { return CUDA_SUCCESS; }, node);
}
FAKE cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                          const CUDA_KERNEL_NODE_PARAMS* kernel) {
  const std::lock_guard guard(lock());
  const bool one = kernel->gridDimY == 1 && kernel->gridDimZ == 1 && kernel->blockDimY == 1 &&
                   kernel->blockDimZ == 1;
  if (!one || kernel->func || !kernel->kern || !kernel->ctx) return CUDA_ERROR_INVALID_VALUE;
  return add_node(
      graph, after, count, [] { return CUDA_SUCCESS; }, node);
}
FAKE cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                          const CUDA_MEMCPY3D* copy, CUcontext context) {
  const std::lock_guard guard(lock());
  const CUdeviceptr from = copy->srcDevice, to = copy->dstDevice;
  const size_t bytes = copy->WidthInBytes;
  const bool flat = copy->Height == 1 && copy->Depth == 1 && bytes > 0 &&
                    copy->srcMemoryType == CU_MEMORYTYPE_UNIFIED &&
                    copy->dstMemoryType == CU_MEMORYTYPE_UNIFIED;
  if (!flat || !context || !is_reachable(context, from, bytes) ||
      !is_reachable(context, to, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto work = [=] {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
  };
  return add_node(graph, after, count, work, node);
}
FAKE cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  const std::lock_guard guard(lock());
  if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags != 0 || graph->recordings > 0) return CUDA_ERROR_INVALID_VALUE;
  *exec = new CUgraphExec_st;
  for (CUgraphNode node : graph->nodes) (*exec)->works.push_back(node->work);
  return CUDA_SUCCESS;
}
FAKE cuGraphExecDestroy(CUgraphExec exec) {
  delete exec;
  return CUDA_SUCCESS;
}
FAKE cuGraphUpload(CUgraphExec, CUstream stream) {
  return current() == stream->context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
FAKE cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const std::lock_guard guard(lock());
  if (current() != stream->context) return CUDA_ERROR_INVALID_CONTEXT;
  for (const auto& work : exec->works) {
    if (stream->result == CUDA_SUCCESS) stream->result = work();
  }
  return CUDA_SUCCESS;
}

FAKE cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                       CUlibraryOption*, void**, unsigned) {
  if (!code) return CUDA_ERROR_INVALID_VALUE;
  *library = reinterpret_cast<CUlibrary>(new std::string(static_cast<const char*>(code)));
  return CUDA_SUCCESS;
}
FAKE cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  const auto& source = *reinterpret_cast<const std::string*>(library);
  *kernel = reinterpret_cast<CUkernel>(library);
  return source.find("ES_KERNEL(" + std::string(name) + ",") != std::string::npos
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_FOUND;
}
FAKE cuLibraryUnload(CUlibrary library) {
  delete reinterpret_cast<std::string*>(library);
  return CUDA_SUCCESS;
}
