// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/compile.h"
#include "tests/support/memory.h"

namespace einsummable {

// Cuts that move the fewest elements, on all devices however small the work is.
inline constexpr auto kProxy = Objective::proxy;
inline constexpr auto kNaive = CompileOptions::ScheduleMode::naive;

// Compiles for what tests run on: virtual CPU devices; or, where EINSUMMABLE_TEST_BACKEND is cuda,
// sites in turn on two devices of a host twin, one of which reaches the other; of every ten
// programs one is for 1, 3 or 8 devices, all or none of which reach one another.
std::unique_ptr<Executable> compiled(const Graph& graph, CompileOptions options);

// Calls with the values of inputs and parameters of `graph`, which was compiled, and gives every
// saved tensor.
std::vector<Memory> call(Executable& executable, const Graph& graph,
                         const std::map<TensorId, Array64>& values);

}  // namespace einsummable
