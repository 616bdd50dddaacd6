// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/cuda_twin/services.h"

namespace einsummable::cuda_twin {

// One thread of a kernel, as a unit defines it.
using Kernel = void (*)(const unsigned long long* arguments);

// Runs the blocks of kernels, one after another, each thread of a block as a fibre: all of them up
// to a barrier, in a random order, then on. What must not depend on the order of threads does.
class Threads {
 public:
  // Kernels see which thread they are in `current`.
  Threads(uint64_t seed, Thread& current);
  ~Threads();

  // Null, or what went wrong: a barrier that not all threads of a block reach. `barriers` says
  // whether the kernel has any.
  const char* run(Kernel kernel, const unsigned long long* arguments, int64_t blocks,
                  int32_t threads, bool barriers);

  // For the running kernel. False if it was run as one without barriers.
  bool wait_at_barrier();
  void share(void* array, uint64_t bytes);

 private:
  struct Fibres;

  const char* run_block_with_barriers();
  void run_block();

  std::mt19937_64 random_;
  Thread& current_;
  Kernel kernel_ = nullptr;
  const unsigned long long* arguments_ = nullptr;
  std::vector<int32_t> order_;
  std::vector<void*> shared_;  // arrays seen in this block
  std::unique_ptr<Fibres> fibres_;
  bool in_fibre_ = false;
};

}  // namespace einsummable::cuda_twin
