// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/kernel_library.h"
#include "einsummable/executor/cuda/status.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

// Launches of a graph, the quickest of which counts, and how often a graph does its work.
constexpr int kLaunches = 5, kTimes = 8, kKernels = 200;

// Of products and copies, for each processor of a device, and at most.
constexpr int64_t kExtent = 32, kMostExtent = 4096;
constexpr int64_t kBytes = int64_t{1} << 21, kMostBytes = int64_t{1} << 28;

struct Scratch {
  Address address = 0;
  Owned<ReleaseMemory> owned;

  Scratch(const Api& api, int32_t device, int64_t bytes) {
    check(api, api.allocate(device, static_cast<uint64_t>(bytes), &address),
          describe_device(api, device) + " does not give " + std::to_string(bytes) +
              " bytes to measure with");
    owned = Owned(ReleaseMemory{&api, device, address});
  }
};

// Seconds of a graph that does `add` so many times, one after another; nothing if the library does
// not support it.
std::optional<double> seconds_of(
    const Api& api, int times,
    const std::function<Status(GraphHandle, const std::vector<Node>&, Node&)>& add) {
  GraphHandle graph = 0;
  check(api, api.create_graph(&graph), "measuring");
  const Owned owned_graph(DestroyGraph{&api, graph});
  std::vector<Node> after;
  for (int i = 0; i < times; ++i) {
    Node node = 0;
    const Status status = add(graph, after, node);
    if (status == Status::unsupported) return std::nullopt;
    check(api, status, "measuring");
    after = {node};
  }
  Launchable launchable = 0;
  check(api, api.instantiate(graph, &launchable), "measuring");
  const Owned owned_launchable(DestroyLaunchable{&api, launchable});
  double best = 0;
  for (int launch = 0; launch < kLaunches; ++launch) {
    const auto began = std::chrono::steady_clock::now();
    check(api, api.launch(launchable), "measuring");
    Status status = Status::not_ready;
    while ((status = api.poll(launchable)) == Status::not_ready) std::this_thread::yield();
    check(api, status, "measuring");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    if (launch == 0 || taken.count() < best) best = taken.count();
  }
  return std::max(best, 1e-9);
}

double memory_gbps(const Api& api, int32_t device, int64_t bytes) {
  const Scratch from(api, device, bytes), to(api, device, bytes);
  const auto seconds =
      seconds_of(api, kTimes, [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
        const Copy copy{from.address, to.address, device, device, static_cast<uint64_t>(bytes)};
        return api.add_copy(graph, after.data(), after.size(), &copy, &node);
      });
  return 2.0 * kTimes * static_cast<double>(bytes) / *seconds / 1e9;
}

// A square product of zeros, which take as long as other numbers.
double product_flops(const Api& api, int32_t device, Element element, int64_t extent) {
  const int64_t bytes = extent * extent * size_of(static_cast<DType>(element));
  const KernelOptions options;
  const Scratch a(api, device, bytes), b(api, device, bytes), c(api, device, bytes);
  const Scratch workspace(api, device, options.product_workspace);
  const Pinned zeros(api, bytes, "measuring");
  std::ranges::fill(zeros.bytes(), std::byte{0});
  for (Address to : {a.address, b.address}) {
    const Copy copy{zeros.address(), to, kHost, device, static_cast<uint64_t>(bytes)};
    check(api, api.copy(&copy), "measuring");
  }
  Product product = {};
  product.device = device;
  product.m = product.n = product.k = extent;
  product.batch = 1;
  product.a = {a.address, element, extent, 1, 0};
  product.b = {b.address, element, extent, 1, 0};
  product.c = {c.address, element, extent, 1, 0};
  product.workspace = workspace.address;
  product.workspace_bytes = static_cast<uint64_t>(options.product_workspace);
  const auto seconds =
      seconds_of(api, kTimes, [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
        return api.add_product(graph, after.data(), after.size(), &product, &node);
      });
  const auto n = static_cast<double>(extent);
  return seconds ? 2.0 * n * n * n * kTimes / *seconds : 0;
}

double kernel_us(const Api& api, int32_t device, int32_t architecture) {
  const Scratch memory(api, device, kAlignment);
  const Block block{.dtype = DType::f32, .shape = {1}, .strides = {1}, .alignment = kAlignment};
  const GeneratedKernel kernel =
      loop_kernel({}, {&block, 1}, 1, "store<float>(out0, i, Real<float>(1));\n");
  KernelLibrary library(api, "", 1);
  library.add({&kernel.source, 1}, architecture, {});
  const KernelLaunch launch{library.function(kernel.source, architecture), device,          1,
                            static_cast<uint32_t>(kernel.source.threads),  &memory.address, 1};
  const auto add = [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
    return api.add_kernel(graph, after.data(), after.size(), &launch, &node);
  };
  const double few = *seconds_of(api, kKernels, add), many = *seconds_of(api, 2 * kKernels, add);
  return std::max(0.0, many - few) / kKernels * 1e6;
}

}  // namespace

DeviceFigures measure(Devices& devices, int32_t device) {
  const Api& api = devices.api();
  const DeviceInfo& info = devices.all().at(static_cast<size_t>(device));
  const auto processors = static_cast<int64_t>(std::max(info.processors, 1));
  const int64_t extent = std::min(processors * kExtent, kMostExtent);
  DeviceFigures figures;
  figures.memory_gbps = memory_gbps(api, device, std::min(processors * kBytes, kMostBytes));
  for (Element element : {Element::f32, Element::f64, Element::f16, Element::bf16}) {
    figures.flops[static_cast<size_t>(element)] = product_flops(api, device, element, extent);
  }
  figures.kernel_us = kernel_us(api, device, info.architecture);
  return figures;
}

}  // namespace einsummable::cuda
