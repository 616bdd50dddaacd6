// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

// Opaque to those who use the driver.
struct CUctx_st {
  CUdevice device = 0;
  std::set<CUcontext> reaches;
  bool lost = false;
};
struct CUgraphNode_st {
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> after;
  std::function<CUresult()> work;
};
struct CUgraph_st {
  std::vector<CUgraphNode> nodes;
  int recordings = 0;  // streams that are recorded to it
};
struct CUgraphExec_st {
  std::vector<std::function<CUresult()>> works;
};
struct CUstream_st {
  CUcontext context = nullptr;
  CUgraph recorded = nullptr;  // where to; none if it is not
  std::vector<CUgraphNode> last;
  CUresult result = CUDA_SUCCESS;  // of what ran
};

namespace einsummable::cuda_fakes {

// What all calls are made under.
std::mutex& lock();

CUcontext current();

// Whether any device is lost: what runs waits for it.
bool is_one_lost();

// Whether `bytes` from there are memory of the context's device, of the host, or of a device that
// the context reaches.
bool is_reachable(CUcontext from, CUdeviceptr address, size_t bytes);

// Adds a node after others: each in the graph, none twice.
CUresult add_node(CUgraph graph, const CUgraphNode* after, size_t count,
                  std::function<CUresult()> work, CUgraphNode* node);

// What a library does on a stream: now, or, while that is recorded, as a node.
CUresult enqueue(CUstream stream, std::function<CUresult()> work);

}  // namespace einsummable::cuda_fakes
