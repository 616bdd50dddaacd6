// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda_twin {

// A node of a recorded graph: what it waits for, by number, and what it does.
struct Recorded {
  std::vector<cuda::Node> after;
  struct Kernel {
    cuda::KernelLaunch launch;
    std::vector<cuda::Address> arguments;
  };
  std::variant<Kernel, cuda::Copy, cuda::Product, cuda::Attention> work;
};

enum class OfNan : uint8_t { kept, dropped };

struct TwinOptions {
  int32_t devices = 2;
  std::vector<int32_t> architectures = {};  // of the devices; sm_90 where there is none
  uint64_t memory = uint64_t{1} << 30;      // bytes of each, and of pinned memory
  uint64_t seed = 1;                        // of the orders of nodes, blocks, threads
  // Which ordered pairs the driver says can reach each other. Default: from the lower to the
  // higher.
  std::function<bool(int32_t from, int32_t to)> peers = [](int32_t from, int32_t to) {
    return from < to;
  };
  // Which pairs' copies go wrong though peer access is enabled.
  std::function<bool(int32_t from, int32_t to)> corrupts = {};
  // What relu makes of NaN after a product.
  OfNan relu = OfNan::kept;
  // Seeds a fault into a graph before it is made ready.
  std::function<void(std::vector<Recorded>& nodes)> tamper = {};
};

// Devices that are not there, behind the table of functions that the executor asks CUDA through.
//
// Every device has a memory of its own, whose bounds are checked, and in which reading what nobody
// wrote is a fault. A launch runs the nodes of its graph one after another in a random order that
// respects only what was declared, another one every time; now and then the latest or the earliest
// added first. Copies need peer access; kernels are compiled by the host's compiler from the very
// definitions that NVRTC gets; products and attention are plain loops.
//
// A C table has no place for an object: functions act on the twin that was made last and is there.
class Twin {
 public:
  explicit Twin(TwinOptions options = {});
  ~Twin();
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  const cuda::Api& api() const;

  // The call number `nth` (from 0, counted from now) of the function gives `status` and does
  // nothing.
  void fail(const std::string& function, int64_t nth, cuda::Status status);
  // Launches do not end until `release_hang`.
  void hang();
  void release_hang();

  // What is still allocated, loaded or made: 0 once everything was given back.
  int64_t unreleased() const;
  int64_t launches() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace einsummable::cuda_twin
