// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/strided_view.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "einsummable/tensor/view_loop.h"

namespace einsummable {
namespace {

constexpr size_t kFrom = 0, kTo = 1;

// Copies the last two axes of the loop (or its only one) from its position, blocks of them at a
// time, so that a transposition reads and writes whole cache lines.
template <class T>
void copy_plane(const ViewLoop& loop) {
  constexpr int64_t kBlock = 128 / sizeof(T);
  const int64_t columns_axis = loop.rank() - 1, rows_axis = loop.rank() - 2;
  const int64_t columns = loop.extent(columns_axis);
  const int64_t rows = rows_axis < 0 ? 1 : loop.extent(rows_axis);
  const int64_t from_row = rows_axis < 0 ? 0 : loop.stride(kFrom, rows_axis);
  const int64_t to_row = rows_axis < 0 ? 0 : loop.stride(kTo, rows_axis);
  const int64_t from_column = loop.stride(kFrom, columns_axis);
  const int64_t to_column = loop.stride(kTo, columns_axis);
  for (int64_t row = 0; row < rows; row += kBlock) {
    for (int64_t column = 0; column < columns; column += kBlock) {
      const int64_t last_row = std::min(rows, row + kBlock);
      const int64_t last_column = std::min(columns, column + kBlock);
      for (int64_t i = row; i < last_row; ++i) {
        const std::byte* from = loop.data(kFrom) + i * from_row;
        std::byte* to = loop.data(kTo) + i * to_row;
        for (int64_t j = column; j < last_column; ++j) {
          std::memcpy(to + j * to_column, from + j * from_column, sizeof(T));
        }
      }
    }
  }
}

template <class T>
void copy_same(ViewLoop& loop) {
  constexpr int64_t kSize = sizeof(T);
  const int64_t last = loop.rank() - 1;
  if (loop.stride(kFrom, last) == kSize && loop.stride(kTo, last) == kSize) {
    const auto bytes = static_cast<size_t>(loop.extent(last) * kSize);
    do {
      std::memcpy(loop.data(kTo), loop.data(kFrom), bytes);
    } while (loop.next(last));
    return;
  }
  // The axis along which the source is dense comes beside the last one.
  for (int64_t axis = 0; axis < last - 1; ++axis) {
    if (loop.stride(kFrom, axis) == kSize) loop.swap_axes(axis, last - 1);
  }
  do {
    copy_plane<T>(loop);
  } while (loop.next(std::max<int64_t>(last - 1, 0)));
}

void copy_converting(ViewLoop& loop, DType from, DType to) {
  const int64_t last = loop.rank() - 1;
  const bool integers = !is_float(from) && !is_float(to);
  do {
    for (int64_t i = 0; i < loop.extent(last); ++i) {
      const std::byte* source = loop.data(kFrom) + i * loop.stride(kFrom, last);
      std::byte* target = loop.data(kTo) + i * loop.stride(kTo, last);
      if (integers) {
        store_integer(to, target, load_integer(from, source));
      } else {
        store_element(to, target, load_element(from, source));
      }
    }
  } while (loop.next(last));
}

}  // namespace

void copy_elements(const StridedView& from, const StridedView& to) {
  std::array<ViewLoop::Operand, 2> operands;
  ViewLoop loop({&from, 1}, {&to, 1}, operands);
  if (loop.empty()) return;
  if (from.dtype != to.dtype) return copy_converting(loop, from.dtype, to.dtype);
  switch (size_of(from.dtype)) {
    case 1:
      return copy_same<uint8_t>(loop);
    case 2:
      return copy_same<uint16_t>(loop);
    case 4:
      return copy_same<uint32_t>(loop);
    default:
      return copy_same<uint64_t>(loop);
  }
}

bool is_dense(const StridedView& view) {
  int64_t stride = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != stride) return false;
    stride *= view.shape[i];
  }
  return true;
}

}  // namespace einsummable
