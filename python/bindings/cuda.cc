// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "einsummable/executor/cuda/cuda_executor.h"
#include "einsummable/executor/cuda/measure.h"
#include "einsummable/executor/cuda/plugin_loader.h"
#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using cuda::DeviceFigures;
using cuda::DeviceInfo;
using cuda::Devices;
using cuda::LibraryInfo;
using cuda::PeerProbe;

// The first architecture that cuDNN's attention, and cuBLASLt's products of bfloat16, serve.
constexpr int32_t kAmpere = 80;

// GPUs through a plugin, which stays open.
class CudaBackend {
 public:
  CudaBackend(const std::string& plugin, const std::string& folders)
      : devices_(std::make_shared<Devices>(cuda::open_plugin(plugin, folders))) {}

  const std::vector<DeviceInfo>& devices() const { return devices_->all(); }
  std::vector<LibraryInfo> libraries() const { return devices_->libraries(); }
  PeerProbe probe(int32_t from, int32_t to) { return devices_->probe(from, to); }
  DeviceFigures measure(int32_t device) { return cuda::measure(*devices_, device); }

  std::shared_ptr<Executor> executor(const std::vector<int32_t>& devices,
                                     const std::string& cache_dir, int64_t threads, bool timed,
                                     bool tf32) const {
    const auto mine = devices_;
    return std::make_shared<cuda::CudaExecutor>(
        devices_->api(),
        cuda::CudaOptions{
            .devices = devices,
            .kernels = {.library_attention = has_cudnn() && are_from(kAmpere, devices),
                        .bfloat16_products = are_from(kAmpere, devices),
                        .tf32 = tf32},
            .reaches = [mine](int32_t from, int32_t to) { return mine->reaches(from, to); },
            .relu_keeps_nan = [mine](int32_t device) { return mine->relu_keeps_nan(device); },
            .cache_dir = cache_dir,
            .threads = threads,
            .timed = timed});
  }

 private:
  bool has_cudnn() const {
    return std::ranges::any_of(devices_->libraries(), [](const LibraryInfo& info) {
      return std::string_view(info.name) == "cuDNN" && !*info.missing;
    });
  }

  bool are_from(int32_t architecture, const std::vector<int32_t>& devices) const {
    return std::ranges::all_of(devices, [&](int32_t device) {
      const auto number = static_cast<size_t>(device);
      return number < devices_->all().size() &&
             devices_->all()[number].architecture >= architecture;
    });
  }

  std::shared_ptr<Devices> devices_;
};

using Rate = std::tuple<std::string, int64_t, int64_t, int64_t, double>;

std::vector<Rate> products_of(const DeviceFigures& figures) {
  std::vector<Rate> out;
  for (const DeviceFigures::Rate& rate : figures.products) {
    const auto dtype = static_cast<DType>(rate.element);
    out.emplace_back(long_name(dtype), rate.m, rate.k, rate.n, rate.flops);
  }
  return out;
}

std::vector<Rate> attentions_of(const DeviceFigures& figures) {
  std::vector<Rate> out;
  for (const DeviceFigures::AttentionRate& rate : figures.attentions) {
    const auto dtype = static_cast<DType>(rate.element);
    out.emplace_back(long_name(dtype), rate.heads, rate.queries, rate.width, rate.flops);
  }
  return out;
}

}  // namespace

void bind_cuda(nb::module_& module) {
  nb::class_<Executor>(module, "Executor", "What runs a compiled graph.");
  nb::class_<DeviceInfo>(module, "CudaDevice", "A GPU.")
      .def_prop_ro("name", [](const DeviceInfo& info) { return std::string(info.name); })
      .def_prop_ro("bus", [](const DeviceInfo& info) { return std::string(info.bus); })
      .def_ro("architecture", &DeviceInfo::architecture, "90 for sm_90.")
      .def_ro("processors", &DeviceInfo::processors)
      .def_ro("memory", &DeviceInfo::memory, "In bytes.")
      .def_ro("free_memory", &DeviceInfo::free_memory, "In bytes, when it was asked.");
  nb::class_<LibraryInfo>(module, "CudaLibrary", "A library that GPUs are used through.")
      .def_prop_ro("name", [](const LibraryInfo& info) { return std::string(info.name); })
      .def_prop_ro("version", [](const LibraryInfo& info) { return std::string(info.version); })
      .def_prop_ro("path", [](const LibraryInfo& info) { return std::string(info.path); })
      .def_prop_ro("missing", [](const LibraryInfo& info) { return std::string(info.missing); });
  nb::class_<PeerProbe>(module, "CudaProbe", "What was found of copies between two GPUs.")
      .def_ro("direct", &PeerProbe::direct, "Whether they need not go through the host.")
      .def_ro("gbps", &PeerProbe::gbps)
      .def_ro("fault", &PeerProbe::fault, "Why they are not direct.");
  nb::class_<DeviceFigures>(module, "CudaFigures", "What a GPU does in a second, measured.")
      .def_ro("memory_gbps", &DeviceFigures::memory_gbps)
      .def_prop_ro("products", &products_of, "Dtype, m, k, n, and FLOP/s of products.")
      .def_prop_ro("attentions", &attentions_of,
                   "Dtype, heads, queries, width, and FLOP/s of attention; none if the library has "
                   "none.")
      .def_ro("kernel_us", &DeviceFigures::kernel_us);
  nb::class_<CudaBackend>(module, "CudaBackend", "GPUs, through the plugin.")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("plugin"),
           nb::arg("folders"))
      .def_prop_ro(
          "devices",
          [](const CudaBackend& backend) { return std::vector<DeviceInfo>(backend.devices()); })
      .def_prop_ro("libraries", &CudaBackend::libraries)
      .def("probe", &CudaBackend::probe, nb::arg("from_device"), nb::arg("to_device"))
      .def("measure", &CudaBackend::measure, nb::arg("device"))
      .def("executor", &CudaBackend::executor, nb::arg("devices"), nb::arg("cache_dir"),
           nb::arg("threads"), nb::arg("timed"), nb::arg("tf32"));
}

}  // namespace einsummable
