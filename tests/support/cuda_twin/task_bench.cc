// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/task_bench.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/source.h"

namespace einsummable::cuda_twin {

using namespace cuda;

const unsigned char* BenchBlock::at(std::span<const int64_t> position) const {
  int64_t offset = 0;
  for (size_t i = 0; i < position.size(); ++i) offset += position[i] * block.strides[i];
  return bytes.data() + start + offset * size_of(block.dtype);
}

unsigned char* BenchBlock::at(std::span<const int64_t> position) {
  return const_cast<unsigned char*>(std::as_const(*this).at(position));
}

void TaskBench::check(Status status) const {
  if (status == Status::ok) return;
  std::array<char, 4096> text{};
  api_.last_error(text.data(), text.size());
  throw DeviceError(text.data());
}

void TaskBench::add(PreparedTask task, std::vector<BenchBlock> reads,
                    std::vector<BenchBlock> writes) {
  Bound& bound = tasks_.emplace_back();
  bound.task = std::move(task);
  bound.reads = std::move(reads);
  bound.writes = std::move(writes);
}

Address TaskBench::upload(const std::vector<unsigned char>& bytes) {
  Address address = 0, pinned = 0;
  void* memory = nullptr;
  check(api_.allocate(0, bytes.size(), &address));
  check(api_.allocate_pinned(bytes.size(), &memory, &pinned));
  std::memcpy(memory, bytes.data(), bytes.size());
  const Copy copy{pinned, address, kHost, 0, bytes.size()};
  if (!bytes.empty()) check(api_.copy(&copy));
  check(api_.release_pinned(memory));
  return address;
}

void TaskBench::download(Address address, std::vector<unsigned char>& bytes) {
  Address pinned = 0;
  void* memory = nullptr;
  check(api_.allocate_pinned(bytes.size(), &memory, &pinned));
  const Copy copy{address, pinned, 0, kHost, bytes.size()};
  if (!bytes.empty()) check(api_.copy(&copy));
  std::memcpy(bytes.data(), memory, bytes.size());
  check(api_.release_pinned(memory));
}

void TaskBench::bind(Bound& bound) {
  for (const BenchBlock& block : bound.reads) bound.read_addresses.push_back(upload(block.bytes));
  for (const BenchBlock& block : bound.writes) bound.write_addresses.push_back(upload(block.bytes));
  if (bound.task.workspace > 0) {
    check(api_.allocate(0, static_cast<uint64_t>(bound.task.workspace), &bound.workspace));
  }
  void* memory = nullptr;
  check(api_.allocate_pinned(sizeof(Found), &memory, &bound.fault));
  std::memset(memory, 0, sizeof(Found));
  bound.fault_bytes = static_cast<const unsigned char*>(memory);
}

Address TaskBench::address(const Bound& bound, const Argument& argument) const {
  const auto i = static_cast<size_t>(argument.index);
  const auto bytes = static_cast<uint64_t>(argument.bytes);
  switch (argument.of) {
    case Argument::Of::read:
      return bound.read_addresses.at(i) + static_cast<uint64_t>(bound.reads[i].start) + bytes;
    case Argument::Of::write:
      return bound.write_addresses.at(i) + static_cast<uint64_t>(bound.writes[i].start) + bytes;
    case Argument::Of::workspace:
      return bound.workspace + bytes;
    case Argument::Of::fault:
      return bound.fault;
  }
  throw InternalError("unknown argument");
}

Function TaskBench::function(const KernelSource& source) {
  const std::string text = unit(source), name = kernel_name(source);
  const auto known = functions_.find(text);
  if (known != functions_.end()) return known->second;
  DeviceInfo info = {};
  check(api_.device(0, &info));
  const void* image = nullptr;
  uint64_t bytes = 0;
  check(api_.compile(text.c_str(), name.c_str(), info.architecture, &image, &bytes));
  Module module = 0;
  Function function = 0;
  const Status status = api_.load(image, bytes, name.c_str(), &module, &function);
  api_.free_image(image);
  check(status);
  functions_[text] = function;
  return function;
}

void TaskBench::add_nodes(GraphHandle graph, Bound& bound) {
  std::vector<Node> after;
  for (const NodeCall& call : bound.task.nodes) {
    Node node = 0;
    if (const auto* kernel = std::get_if<GeneratedKernel>(&call)) {
      std::vector<Address> arguments;
      for (const Argument& argument : kernel->arguments) {
        arguments.push_back(address(bound, argument));
      }
      const KernelLaunch launch{function(kernel->source),
                                0,
                                static_cast<uint32_t>(kernel->blocks),
                                static_cast<uint32_t>(kernel->source.threads),
                                arguments.data(),
                                static_cast<uint32_t>(arguments.size())};
      check(api_.add_kernel(graph, after.data(), after.size(), &launch, &node));
    } else if (const auto* product_call = std::get_if<ProductCall>(&call)) {
      Product product = product_call->product;
      product.a.address = address(bound, product_call->a);
      product.b.address = address(bound, product_call->b);
      product.c.address = address(bound, product_call->c);
      if (product_call->residual) product.residual = address(bound, *product_call->residual);
      if (product_call->bias) product.bias = address(bound, *product_call->bias);
      product.workspace = address(bound, product_call->workspace);
      check(api_.add_product(graph, after.data(), after.size(), &product, &node));
    } else {
      const auto& attention_call = std::get<AttentionCall>(call);
      Attention attention = attention_call.attention;
      attention.q = address(bound, attention_call.q);
      attention.k = address(bound, attention_call.k);
      attention.v = address(bound, attention_call.v);
      attention.out = address(bound, attention_call.out);
      if (attention_call.lse) attention.lse = address(bound, *attention_call.lse);
      attention.workspace = address(bound, attention_call.workspace);
      const Status status =
          api_.add_attention(graph, after.data(), after.size(), &attention, &node);
      bound.refused = status == Status::unsupported;
      if (bound.refused) return;
      check(status);
    }
    after = {node};
  }
}

void TaskBench::run() {
  GraphHandle graph = 0;
  check(api_.create_graph(&graph));
  for (Bound& bound : tasks_) {
    bind(bound);
    add_nodes(graph, bound);
  }
  Launchable launchable = 0;
  check(api_.instantiate(graph, &launchable));
  check(api_.launch(launchable));
  Status status = Status::not_ready;
  while (status == Status::not_ready) status = api_.poll(launchable);
  check(status);
  for (Bound& bound : tasks_) {
    for (size_t i = 0; i < bound.writes.size(); ++i) {
      download(bound.write_addresses[i], bound.writes[i].bytes);
    }
    std::memcpy(&bound.found, bound.fault_bytes, sizeof(Found));
  }
}

}  // namespace einsummable::cuda_twin
