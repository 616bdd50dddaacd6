// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace einsummable {

// Each adds the classes and functions of one concept to the module einsummable._core.
void bind_arrays(nanobind::module_& module);
void bind_cuda(nanobind::module_& module);
void bind_errors(nanobind::module_& module);
void bind_exchange(nanobind::module_& module);
void bind_executable(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_operators(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_proposer(nanobind::module_& module);
void bind_topology(nanobind::module_& module);
void bind_workloads(nanobind::module_& module);

}  // namespace einsummable
