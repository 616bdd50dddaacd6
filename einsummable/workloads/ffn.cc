// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/ffn.h"

namespace einsummable::workloads {

Graph ffn(int64_t tokens, int64_t d_model, int64_t d_ff, DType dtype) {
  Graph g;
  const TensorId x = g.input(dtype, {tokens, d_model}, "x");
  const TensorId w1 = g.parameter(dtype, {d_model, d_ff}, "w1");
  const TensorId w2 = g.parameter(dtype, {d_ff, d_model}, "w2");
  const TensorId up = g.apply("matmul", {x, w1}, {}, "up")[0];
  const TensorId hidden = g.apply("relu", {up}, {}, "relu")[0];
  g.save(g.apply("matmul", {hidden, w2}, {}, "down")[0], "y");
  return g;
}

}  // namespace einsummable::workloads
