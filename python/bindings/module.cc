// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "python/bindings/bindings.h"

NB_MODULE(_core, module) {
  // Graphs and operators that modules hold live until the interpreter ends.
  nanobind::set_leak_warnings(false);
  module.doc() = "The C++ core of einsummable.";
  module.attr("version") = EINSUMMABLE_VERSION;
  module.attr("build_type") = EINSUMMABLE_BUILD_TYPE;
  einsummable::bind_errors(module);
  einsummable::bind_arrays(module);
  einsummable::bind_operators(module);
  einsummable::bind_graph(module);
  einsummable::bind_cuda(module);
  einsummable::bind_plan(module);
  einsummable::bind_executable(module);
  einsummable::bind_workloads(module);
  einsummable::bind_exchange(module);
  einsummable::bind_proposer(module);
  einsummable::bind_topology(module);
}
