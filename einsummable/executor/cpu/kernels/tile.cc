// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/tile.h"

#include <algorithm>
#include <cstring>

#include "einsummable/executor/cpu/kernels/convert.h"

namespace einsummable::cpu {
namespace {

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void gather_same(const Tile& tile, std::byte* out) {
  T* to = reinterpret_cast<T*>(out);
  if (tile.row_stride == 0 && tile.column_stride == 0) {
    std::fill_n(to, tile.count(), read<T>(tile.data));
    return;
  }
  for (int64_t i = 0; i < tile.rows; ++i, to += tile.columns) {
    const std::byte* from = tile.data + i * tile.row_stride;
    if (tile.column_stride == static_cast<int64_t>(sizeof(T))) {
      std::memcpy(to, from, static_cast<size_t>(tile.columns) * sizeof(T));
    } else if (tile.column_stride == 0) {
      std::fill_n(to, tile.columns, read<T>(from));
    } else {
      for (int64_t j = 0; j < tile.columns; ++j) to[j] = read<T>(from + j * tile.column_stride);
    }
  }
}

template <class T>
void scatter_same(const std::byte* in, const Tile& tile) {
  const T* from = reinterpret_cast<const T*>(in);
  for (int64_t i = 0; i < tile.rows; ++i, from += tile.columns) {
    std::byte* to = tile.data + i * tile.row_stride;
    if (tile.column_stride == static_cast<int64_t>(sizeof(T))) {
      std::memcpy(to, from, static_cast<size_t>(tile.columns) * sizeof(T));
    } else {
      for (int64_t j = 0; j < tile.columns; ++j) {
        std::memcpy(to + j * tile.column_stride, from + j, sizeof(T));
      }
    }
  }
}

bool is_dense(const Tile& tile, int64_t size) {
  return (tile.columns == 1 || tile.column_stride == size) &&
         (tile.rows == 1 || tile.row_stride == tile.columns * size);
}

// A dense tile of halves as one row.
Tile as_row(const Tile& tile) {
  if (!is_dense(tile, 2)) return tile;
  return {tile.data, 1, tile.rows * tile.columns, 0, 2};
}

}  // namespace

bool is_direct(const Tile& tile, DType dtype) {
  return !is_half(dtype) && is_dense(tile, size_of(dtype)) &&
         reinterpret_cast<uintptr_t>(tile.data) % static_cast<uintptr_t>(size_of(dtype)) == 0;
}

void gather(const Tile& tile, DType dtype, std::byte* to) {
  if (is_half(dtype)) {
    const Tile rows = as_row(tile);
    for (int64_t i = 0; i < rows.rows; ++i) {
      load_row<float>(dtype, rows.data + i * rows.row_stride, rows.column_stride / 2, rows.columns,
                      reinterpret_cast<float*>(to) + i * rows.columns);
    }
    return;
  }
  switch (size_of(dtype)) {
    case 1:
      return gather_same<uint8_t>(tile, to);
    case 4:
      return gather_same<uint32_t>(tile, to);
    default:
      return gather_same<uint64_t>(tile, to);
  }
}

void scatter(const std::byte* from, const Tile& tile, DType dtype) {
  if (is_half(dtype)) {
    const Tile rows = as_row(tile);
    for (int64_t i = 0; i < rows.rows; ++i) {
      store_row<float>(reinterpret_cast<const float*>(from) + i * rows.columns, rows.columns, dtype,
                       rows.data + i * rows.row_stride, rows.column_stride / 2);
    }
    return;
  }
  switch (size_of(dtype)) {
    case 1:
      return scatter_same<uint8_t>(from, tile);
    case 4:
      return scatter_same<uint32_t>(from, tile);
    default:
      return scatter_same<uint64_t>(from, tile);
  }
}

void fill(DType dtype, double real, int64_t integer, size_t count, std::byte* to) {
  switch (dtype) {
    case DType::f64:
      std::fill_n(reinterpret_cast<double*>(to), count, real);
      return;
    case DType::i32:
      std::fill_n(reinterpret_cast<int32_t*>(to), count, static_cast<int32_t>(integer));
      return;
    case DType::i64:
      std::fill_n(reinterpret_cast<int64_t*>(to), count, integer);
      return;
    case DType::boolean:
      std::fill_n(reinterpret_cast<uint8_t*>(to), count, integer != 0 ? uint8_t{1} : uint8_t{0});
      return;
    default:
      std::fill_n(reinterpret_cast<float*>(to), count, static_cast<float>(real));
  }
}

}  // namespace einsummable::cpu
