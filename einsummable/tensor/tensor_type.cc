// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/tensor_type.h"

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

constexpr size_t kMaximalRank = 32;

}  // namespace

int64_t TensorType::bytes() const { return checked_multiply(elements(), size_of(dtype)); }

TensorType tensor_type(DType dtype, std::span<const int64_t> shape) {
  if (shape.size() > kMaximalRank) {
    throw GraphError("a tensor has at most 32 axes; this one has " + std::to_string(shape.size()));
  }
  int64_t bytes = size_of(dtype);
  for (int64_t extent : shape) {
    if (extent < 0) {
      throw GraphError("an extent is at least 0; the shape is " + text(shape));
    }
    const auto product = try_multiply(bytes, std::max<int64_t>(extent, 1));
    if (!product) {
      throw GraphError("the bytes of " + std::string(long_name(dtype)) + text(shape) +
                       " do not fit in 64 bits");
    }
    bytes = *product;
  }
  return {dtype, box_of(shape)};
}

std::string describe(const TensorType& type) {
  return std::string(long_name(type.dtype)) + text(type.shape());
}

std::string text(const TensorType& type) {
  return std::string(short_name(type.dtype)) + text(type.shape());
}

}  // namespace einsummable
