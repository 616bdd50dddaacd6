// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/graph/graph.h"

namespace einsummable::workloads {

// The paper's feed-forward network (Section 2): y = relu(x w1) w2, with x [tokens, d_model] given
// at every call, w1 [d_model, d_ff] and w2 [d_ff, d_model] parameters. Operators "up", "relu",
// "down". Throws GraphError as the graph does.
Graph ffn(int64_t tokens, int64_t d_model, int64_t d_ff, DType dtype = DType::f32);

}  // namespace einsummable::workloads
