// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/compile.h"
#include "einsummable/graph/evaluate.h"
#include "einsummable/workloads/ffn.h"
#include "tests/support/executable.h"

namespace einsummable {

// What the message of the error is that `work` throws; "" if it throws none of that type.
template <class Expected, class Work>
std::string message(const Work& work) {
  try {
    work();
  } catch (const Expected& error) {
    return error.what();
  }
  return "";
}

// y = relu(x w1) w2 of 4 x 6, 6 x 8 and 8 x 6, with all its arrays.
struct Network {
  Graph graph = workloads::ffn(4, 6, 8, DType::f32);
  Memory x = filled({4, 6}, 1), w1 = filled({6, 8}, 2), w2 = filled({8, 6}, 3);
  Memory y{tensor_type(DType::f32, Shape{4, 6})};

  static Memory filled(const Shape& shape, int64_t seed) {
    Array64 array(box_of(shape));
    int64_t i = seed;
    for (double& value : array.values()) value = static_cast<double>((i = i * 5 % 17) - 8);
    return {tensor_type(DType::f32, shape), array};
  }

  using Arguments = std::vector<Executable::Argument>;
  Arguments inputs() { return {{"x", x.view()}}; }
  Arguments all() { return {{"x", x.view()}, {"w1", w1.view()}, {"w2", w2.view()}}; }
  Arguments outputs() { return {{"y", y.view()}}; }
  // What the network gives for x, by the operators' references.
  Array64 expected() const {
    return evaluate(
               graph,
               {{TensorId(0), x.values()}, {TensorId(1), w1.values()}, {TensorId(2), w2.values()}})
        .at(graph.saves()[0].tensor);
  }
};

}  // namespace einsummable
