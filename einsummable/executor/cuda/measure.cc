// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "einsummable/base/checked.h"
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

// Zeros take as long as other numbers.
void fill_with_zeros(const Api& api, int32_t device, Address to, int64_t bytes) {
  const Pinned zeros(api, bytes, "measuring");
  std::ranges::fill(zeros.bytes(), std::byte{0});
  const Copy copy{zeros.address(), to, kHost, device, static_cast<uint64_t>(bytes)};
  check(api, api.copy(&copy), "measuring");
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

// Room for the largest product of an element type.
struct ProductRoom {
  Scratch a, b, c, workspace;

  ProductRoom(const Api& api, int32_t device, Element element, int64_t extent)
      : a(api, device, bytes_of(element, extent)),
        b(api, device, bytes_of(element, extent)),
        c(api, device, bytes_of(element, extent)),
        workspace(api, device, KernelOptions{}.product_workspace) {
    for (Address to : {a.address, b.address}) {
      fill_with_zeros(api, device, to, bytes_of(element, extent));
    }
  }

  static int64_t bytes_of(Element element, int64_t extent) {
    return extent * extent * size_of(static_cast<DType>(element));
  }
};

// Of a product of m x k by k x n; 0 if the library has none.
double product_flops(const Api& api, int32_t device, const ProductRoom& room,
                     const DeviceFigures::Rate& shape) {
  Product product = {};
  product.device = device;
  product.m = shape.m;
  product.n = shape.n;
  product.k = shape.k;
  product.batch = 1;
  product.a = {room.a.address, shape.element, shape.k, 1, 0};
  product.b = {room.b.address, shape.element, shape.n, 1, 0};
  product.c = {room.c.address, shape.element, shape.n, 1, 0};
  product.workspace = room.workspace.address;
  product.workspace_bytes = static_cast<uint64_t>(KernelOptions{}.product_workspace);
  const auto seconds =
      seconds_of(api, kTimes, [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
        return api.add_product(graph, after.data(), after.size(), &product, &node);
      });
  const double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k) * kTimes;
  return seconds ? flops / *seconds : 0;
}

// Squares, and products of few rows, as large as the device and smaller.
std::vector<DeviceFigures::Rate> rates(const Api& api, int32_t device, int64_t extent) {
  std::vector<DeviceFigures::Rate> out;
  for (Element element : {Element::f32, Element::f64, Element::f16, Element::bf16}) {
    const ProductRoom room(api, device, element, extent);
    for (int64_t part : {1, 2, 4, 8}) {
      const int64_t square = std::max<int64_t>(extent / part, 1);
      const int64_t few = std::max<int64_t>(extent / (8 * part * part), 1);
      out.push_back({element, square, square, square, 0});
      out.push_back({element, few, extent, extent, 0});
    }
    for (DeviceFigures::Rate& rate : out) {
      if (rate.element == element) rate.flops = product_flops(api, device, room, rate);
    }
  }
  std::erase_if(out, [](const DeviceFigures::Rate& rate) { return rate.flops <= 0; });
  return out;
}

// 0 if the library has none.
double attention_flops(const Api& api, int32_t device, const DeviceFigures::AttentionRate& shape) {
  const int64_t row = shape.width, head = checked_multiply(shape.queries, row);
  const int64_t elements = checked_multiply(shape.heads, head);
  const int64_t bytes = checked_multiply(elements, size_of(static_cast<DType>(shape.element)));
  const Scratch q(api, device, bytes), out(api, device, bytes),
      workspace(api, device, KernelOptions{}.product_workspace);
  fill_with_zeros(api, device, q.address, bytes);
  Attention attention = {};
  attention.device = device;
  attention.element = shape.element;
  attention.batch = 1;
  attention.heads = attention.kv_heads = shape.heads;
  attention.queries = attention.keys = shape.queries;
  attention.width = attention.value_width = shape.width;
  attention.q = attention.k = attention.v = q.address;
  attention.out = out.address;
  for (int64_t* strides :
       {attention.q_strides, attention.k_strides, attention.v_strides, attention.out_strides}) {
    strides[0] = elements;
    strides[1] = head;
    strides[2] = row;
  }
  attention.scale = 1;
  attention.workspace = workspace.address;
  attention.workspace_bytes = static_cast<uint64_t>(KernelOptions{}.product_workspace);
  const auto seconds =
      seconds_of(api, kTimes, [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
        const Status status =
            api.add_attention(graph, after.data(), after.size(), &attention, &node);
        // Without the library, kernels of our own serve.
        return status == Status::missing ? Status::unsupported : status;
      });
  const double flops = 4.0 * static_cast<double>(elements) * static_cast<double>(shape.queries);
  return seconds ? flops * kTimes / *seconds : 0;
}

// Sequences as long as the device is large, and shorter.
std::vector<DeviceFigures::AttentionRate> attention_rates(const Api& api, int32_t device,
                                                          int64_t processors, int64_t extent) {
  std::vector<DeviceFigures::AttentionRate> out;
  for (Element element : {Element::f16, Element::bf16}) {
    for (int64_t part : {1, 4}) {
      out.push_back({.element = element,
                     .heads = std::clamp<int64_t>(processors / 4, 1, 32),
                     .queries = std::max<int64_t>(extent / part, 1),
                     .width = 128,
                     .flops = 0});
      out.back().flops = attention_flops(api, device, out.back());
    }
  }
  std::erase_if(out, [](const DeviceFigures::AttentionRate& rate) { return rate.flops <= 0; });
  return out;
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
  figures.products = rates(api, device, extent);
  figures.attentions = attention_rates(api, device, processors, extent);
  figures.kernel_us = kernel_us(api, device, info.architecture);
  return figures;
}

bool relu_keeps_nan(const Api& api, int32_t device) {
  constexpr int64_t kSide = 16;
  for (Element element : {Element::f32, Element::f16, Element::bf16}) {
    const auto dtype = static_cast<DType>(element);
    const int64_t bytes = kSide * kSide * size_of(dtype);
    const Scratch memory(api, device, bytes), out(api, device, bytes);
    Pinned host(api, bytes, "a probe of NaN");
    for (int64_t at = 0; at < bytes; at += size_of(dtype)) {
      store_element(dtype, host.bytes().data() + at, std::numeric_limits<double>::quiet_NaN());
    }
    const auto size = static_cast<uint64_t>(bytes);
    const Copy in{host.address(), memory.address, kHost, device, size};
    check(api, api.copy(&in), "a probe of NaN");
    const Matrix matrix{memory.address, element, kSide, 1, 0};
    Product product = {};
    product.device = device;
    product.m = product.n = product.k = kSide;
    product.batch = 1;
    product.a = product.b = product.c = matrix;
    product.c.address = out.address;
    product.activation = Activation::relu;
    const auto ran =
        seconds_of(api, 1, [&](GraphHandle graph, const std::vector<Node>& after, Node& node) {
          return api.add_product(graph, after.data(), after.size(), &product, &node);
        });
    if (!ran) continue;
    const Copy back{out.address, host.address(), device, kHost, size};
    check(api, api.copy(&back), "a probe of NaN");
    if (!std::isnan(load_element(dtype, host.bytes().data()))) return false;
  }
  return true;
}

}  // namespace einsummable::cuda
