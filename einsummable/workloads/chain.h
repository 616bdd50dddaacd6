// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "einsummable/graph/graph.h"

namespace einsummable::workloads {

// One of the paper's matrix chains A to E (Section 6), parenthesised as there, with inputs M1, M2,
// ... and every extent divided by `scale`, at least 1. Throws GraphError for another name or a
// scale below 1.
//   C: M1(M2 M3) with extents 10240, 12288, 32768, 2048
Graph chain(std::string_view name, int64_t scale = 1, DType dtype = DType::f32);

}  // namespace einsummable::workloads
