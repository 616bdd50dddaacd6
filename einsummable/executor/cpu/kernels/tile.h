// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "einsummable/tensor/dtype.h"

namespace einsummable::cpu {

// Bytes of an element in the type that `dtype` computes in: a float for float16 and bfloat16.
constexpr int64_t computing_size(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::boolean:
      return 1;
    default:
      return 4;
  }
}

// Where `rows` times `columns` elements of a view lie. Strides are in bytes.
struct Tile {
  std::byte* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;

  size_t count() const { return static_cast<size_t>(rows * columns); }
};

// Whether kernels can use the tile where it lies: elements of the computing type, dense, aligned.
bool is_direct(const Tile& tile, DType dtype);

// Reads a tile into dense elements of the computing type of `dtype`, and writes one from them.
void gather(const Tile& tile, DType dtype, std::byte* to);
void scatter(const std::byte* from, const Tile& tile, DType dtype);

// `count` elements of the computing type of `dtype`, all of one value.
void fill(DType dtype, double real, int64_t integer, size_t count, std::byte* to);

}  // namespace einsummable::cpu
