// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda_twin {

// A block in memory as a test lays it out: around it and between its rows lie bytes that are not
// its own, and that no kernel may read or write.
struct BenchBlock {
  cuda::Block block;
  std::vector<unsigned char> bytes;  // of memory that begins at a multiple of 256
  int64_t start = 0;                 // of element 0, in bytes

  // The bytes of the element at a position.
  unsigned char* at(std::span<const int64_t> position);
  const unsigned char* at(std::span<const int64_t> position) const;
};

// Prepared tasks, each on memory of its own, run as one graph on the first device of a table.
class TaskBench {
 public:
  explicit TaskBench(const cuda::Api& api) : api_(api) {}

  void add(cuda::PreparedTask task, std::vector<BenchBlock> reads, std::vector<BenchBlock> writes);
  // Runs all of them. Throws DeviceError with what the table found. Afterwards `writes` are filled.
  void run();

  size_t size() const { return tasks_.size(); }
  const std::vector<BenchBlock>& writes(size_t task) const { return tasks_[task].writes; }
  // Position and value of the id that a task's check found to be out of range.
  struct Found {
    int64_t found = 0, position = 0, value = 0;
  };
  Found found(size_t task) const { return tasks_[task].found; }
  // Whether a GPU's library has no kernel for it, so that it was not run.
  bool refused(size_t task) const { return tasks_[task].refused; }

 private:
  struct Bound {
    cuda::PreparedTask task;
    std::vector<BenchBlock> reads, writes;
    std::vector<cuda::Address> read_addresses, write_addresses;
    cuda::Address workspace = 0, fault = 0;
    const unsigned char* fault_bytes = nullptr;
    Found found;
    bool refused = false;
  };

  void check(cuda::Status status) const;
  cuda::Address upload(const std::vector<unsigned char>& bytes);
  void download(cuda::Address address, std::vector<unsigned char>& bytes);
  void bind(Bound& bound);
  cuda::Address address(const Bound& bound, const cuda::Argument& argument) const;
  cuda::Function function(const cuda::KernelSource& source);
  void add_nodes(cuda::GraphHandle graph, Bound& bound);

  const cuda::Api& api_;
  std::vector<Bound> tasks_;
  std::map<std::string, cuda::Function> functions_;  // by unit
};

}  // namespace einsummable::cuda_twin
