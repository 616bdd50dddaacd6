// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory.h"

namespace einsummable {

Memory::Memory(const TensorType& type)
    : type_(type),
      shape_(type.shape()),
      strides_(row_major_strides(shape_)),
      bytes_(static_cast<size_t>(type.bytes())) {}

Memory::Memory(const TensorType& type, const Array64& values) : Memory(type) {
  const auto size = static_cast<size_t>(size_of(type.dtype));
  for (size_t i = 0; i < values.values().size(); ++i) {
    store_element(type.dtype, bytes_.data() + i * size, values.values()[i]);
  }
}

Array64 Memory::values() const {
  Array64 out(type_.bounds);
  const auto size = static_cast<size_t>(size_of(type_.dtype));
  for (size_t i = 0; i < out.values().size(); ++i) {
    out.values()[i] = load_element(type_.dtype, bytes_.data() + i * size);
  }
  return out;
}

uint64_t hash_of(std::span<const Memory> arrays) {
  uint64_t hash = 14695981039346656037u;
  for (const Memory& array : arrays) {
    for (std::byte byte : array.bytes())
      hash = (hash ^ static_cast<uint64_t>(byte)) * 1099511628211u;
  }
  return hash;
}

}  // namespace einsummable
