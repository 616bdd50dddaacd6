// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

template <typename T>
void define_raise(nanobind::module_& module, const char* name) {
  module.def(name, [](const char* message) { throw T(message); });
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
  module.def("ensure_fails", [] { ensure(false, "the probe holds"); });
}
