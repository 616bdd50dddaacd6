// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <vector>

#include "einsummable/tensor/array64.h"
#include "einsummable/tensor/strided_view.h"
#include "einsummable/tensor/tensor_type.h"

namespace einsummable {

// A dense array in memory that owns its elements, as a caller of the library has it.
class Memory {
 public:
  explicit Memory(const TensorType& type);
  // Every element rounded to the dtype.
  Memory(const TensorType& type, const Array64& values);

  StridedView view() { return {bytes_.data(), type_.dtype, shape_, strides_}; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  Array64 values() const;

 private:
  TensorType type_;
  Shape shape_;
  std::vector<int64_t> strides_;
  std::vector<std::byte> bytes_;
};

// A number that differs for arrays that differ in any bit, as good as always (FNV-1a).
uint64_t hash_of(std::span<const Memory> arrays);

}  // namespace einsummable
