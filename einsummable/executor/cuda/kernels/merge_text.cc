// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/merge_text.h"

#include <array>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {

std::string merge_text(Merge merge) {
  switch (merge) {
    case Merge::sum:
      return "a + b";
    case Merge::prod:
      return "a * b";
    case Merge::max:
      return "maximum(a, b)";
    case Merge::min:
      return "minimum(a, b)";
    default:
      throw InternalError("a merge of several components, or none of one step");
  }
}

std::string neutral_text(const PartialType& partial, size_t component, DType computed) {
  const DType dtype = partial.components[component].dtype;
  const Box one(partial.components[0].axes.size(), Interval{0, 1});
  const double value = identity<double>(partial, one)[component].values()[0];
  if (is_float(dtype)) return constant(computed, value);
  std::array<std::byte, 8> element{};
  store_element(dtype, element.data(), value);
  return integer_constant(load_integer(dtype, element.data()));
}

}  // namespace einsummable::cuda
