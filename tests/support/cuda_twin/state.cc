// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/state.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "tests/support/cuda_twin/library.h"

namespace einsummable::cuda_twin {
namespace {

// The twin that C functions and kernels act on: neither has a place for an object.
Twin::State* the_twin = nullptr;

Reach reach_of(unsigned long long address) {
  Twin::State& twin = *the_twin;
  uint64_t offset = 0;
  const auto* found = twin.memories.find(address, offset);
  const int32_t device = found ? found->device : kHost;
  const bool may =
      device == kHost || device == twin.device || twin.reached.contains({device, twin.device});
  if (!found || !may) {
    if (twin.fault.empty()) twin.fault = "a kernel is given memory that is not its device's";
    return {};
  }
  return twin.memories.reach(address);
}

void fail(const char* what, long long element) {
  Twin::State& twin = *the_twin;
  if (!twin.fault.empty()) return;
  twin.fault = "a kernel " + std::string(what) + ", element " + std::to_string(element) +
               " in thread " + std::to_string(twin.thread.index) + " of block " +
               std::to_string(twin.thread.block);
}

void share(void* array, unsigned long long bytes) { the_twin->threads.share(array, bytes); }

void barrier() {
  if (!the_twin->threads.wait_at_barrier()) fail("has a barrier, but shares nothing", 0);
}

long long time() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Read by units; its thread pointer is the present twin's.
Services the_services{nullptr, reach_of, fail, share, barrier, time};

}  // namespace

const Services& services() { return the_services; }

Twin::State* running() { return the_twin; }

void set_running(Twin::State* state) {
  the_twin = state;
  the_services.thread = state ? &state->thread : nullptr;
}

Twin::State::State(TwinOptions given)
    : options(std::move(given)),
      memories(options.memory),
      random(options.seed),
      threads(options.seed, thread),
      compiler(services()) {}

Status Twin::State::failed(Status status, std::string what) {
  error = std::move(what);
  return status;
}

Status Twin::State::injected_for(const std::string& function) {
  for (auto& [left, status] : injected[function]) {
    if (left-- == 0) return failed(status, "as the test wants, " + function + " fails");
  }
  return Status::ok;
}

int32_t Twin::State::architecture(int32_t device_number) const {
  const auto i = static_cast<size_t>(device_number);
  return i < options.architectures.size() ? options.architectures[i] : 90;
}

std::vector<size_t> Twin::State::order_of(const std::vector<Recorded>& nodes) {
  // One launch in four runs what was added last first, one what was added first.
  enum class Bias : uint8_t { none, last, first };
  const Bias bias = random() % 4 == 0 ? Bias::last : random() % 4 == 0 ? Bias::first : Bias::none;
  std::vector<size_t> waits(nodes.size(), 0), ready, order;
  std::vector<std::vector<size_t>> next_of(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    waits[i] = nodes[i].after.size();
    for (cuda::Node before : nodes[i].after) next_of[before - 1].push_back(i);
    if (waits[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    auto chosen = ready.begin() + static_cast<int64_t>(random() % ready.size());
    if (bias == Bias::last) chosen = std::ranges::max_element(ready);
    if (bias == Bias::first) chosen = std::ranges::min_element(ready);
    const size_t node = *chosen;
    ready.erase(chosen);
    order.push_back(node);
    for (size_t next_node : next_of[node]) {
      if (--waits[next_node] == 0) ready.push_back(next_node);
    }
  }
  return order;
}

std::string Twin::State::run(const std::vector<Recorded>& nodes) {
  memories.forget_nodes();
  const std::vector<size_t> order = order_of(nodes);
  if (order.size() != nodes.size()) return "the graph has a cycle";
  for (size_t node : order) {
    fault.clear();
    std::string what = run_node(nodes[node]);
    if (what.empty()) what = fault;
    if (!what.empty()) return "node " + std::to_string(node + 1) + ": " + what;
  }
  return "";
}

std::string Twin::State::run_node(const Recorded& node) {
  if (const auto* kernel = std::get_if<Recorded::Kernel>(&node.work)) return run_kernel(*kernel);
  if (const auto* bytes = std::get_if<cuda::Copy>(&node.work)) return copy(*bytes, false);
  if (const auto* product = std::get_if<cuda::Product>(&node.work)) {
    return run_product(memories, *product, options.relu);
  }
  return run_attention(memories, std::get<cuda::Attention>(node.work));
}

std::string Twin::State::run_kernel(const Recorded::Kernel& kernel) {
  device = kernel.launch.device;
  const std::string& name = functions.at(kernel.launch.function);
  const HostKernel& compiled = compiler.kernel(name);
  const std::vector<unsigned long long> arguments(kernel.arguments.begin(), kernel.arguments.end());
  const char* what = threads.run(compiled.run, arguments.data(), kernel.launch.blocks,
                                 static_cast<int32_t>(kernel.launch.threads), compiled.barriers);
  if (what && fault.empty()) fault = std::string("a kernel ") + what;
  return fault.empty() ? "" : fault + "\n" + definitions.at(name);
}

std::string Twin::State::copy(const cuda::Copy& bytes, bool by_host) {
  const int32_t from = bytes.from_device, to = bytes.to_device;
  const bool apart = from != kHost && to != kHost && from != to;
  if (apart && !by_host && !reached.contains({from, to})) {
    return "a copy from device " + std::to_string(from) + " to " + std::to_string(to) +
           ", which does not reach it";
  }
  std::string what;
  const unsigned char* source = memories.span(bytes.from, bytes.bytes, from, what);
  unsigned char* target = memories.span(bytes.to, bytes.bytes, to, what);
  if (!source || !target) return what;
  std::memmove(target, source, bytes.bytes);
  if (apart && options.corrupts && reached.contains({from, to}) && options.corrupts(from, to)) {
    target[0] ^= 1;
  }
  unsigned char* states = memories.state(bytes.to);
  if (by_host && from == kHost) {
    std::memset(states, kByHost, bytes.bytes);
    return "";
  }
  const unsigned char* known = memories.state(bytes.from);
  for (uint64_t b = 0; b < bytes.bytes; ++b) {
    states[b] = known[b] == kUndefined ? kUndefined : by_host ? kByHost : kByNode;
  }
  return "";
}

}  // namespace einsummable::cuda_twin
