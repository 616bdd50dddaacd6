// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

template <typename T>
void define_raise(nanobind::module_& module, const char* name) {
  module.def(name, [](const char* message) { throw T(message); });
}

using Bits = nanobind::ndarray<const uint16_t, nanobind::c_contig, nanobind::device::cpu>;

// The same memory as an array of bfloat16 that only DLPack can read.
nanobind::ndarray<> lend_bfloat16(const Bits& bits) {
  std::vector<size_t> shape;
  for (size_t axis = 0; axis < bits.ndim(); ++axis) shape.push_back(bits.shape(axis));
  const nanobind::dlpack::dtype bfloat16 = {
      static_cast<uint8_t>(nanobind::dlpack::dtype_code::Bfloat), 16, 1};
  return nanobind::ndarray<>(const_cast<uint16_t*>(bits.data()), shape.size(), shape.data(),
                             nanobind::cast(bits), nullptr, bfloat16);
}

}  // namespace
}  // namespace einsummable

NB_MODULE(error_probe, module) {
  using namespace einsummable;
  define_raise<Error>(module, "Error");
  define_raise<GraphError>(module, "GraphError");
  define_raise<PlanError>(module, "PlanError");
  define_raise<ExchangeError>(module, "ExchangeError");
  define_raise<TopologyError>(module, "TopologyError");
  define_raise<MemoryLimitError>(module, "MemoryLimitError");
  define_raise<DeviceError>(module, "DeviceError");
  define_raise<InputError>(module, "InputError");
  module.def("lend_bfloat16", &lend_bfloat16);
  module.def("ensure_fails", [] { ensure(false, "the probe holds"); });
}
