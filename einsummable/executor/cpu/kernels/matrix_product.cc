// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/matrix_product.h"

#include <algorithm>
#include <array>
#include <limits>

#include "einsummable/executor/cpu/kernels/blas.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

// Blocks are this large where an operand is copied: large enough that a copy costs one or two
// hundredths of the arithmetic, small enough that a worker's workspace stays at 8 MiB.
constexpr int64_t kRowBlock = 512, kColumnBlock = 1024;
// Sums over k are always taken in these steps, so that a copied and a direct operand round alike.
constexpr int64_t kContractedBlock = 1024;

struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// Calls visit(i, offset, stride, count) for the runs along the innermost axis that make up `range`,
// i counted from its begin.
template <class Visit>
void for_each_run(const Side& side, Range range, Visit&& visit) {
  const auto axes = side.axes();
  const LoopAxis<1> inner = axes.empty() ? LoopAxis<1>{1, {1}} : axes.back();
  for (int64_t i = range.begin; i < range.end;) {
    const int64_t start = i % inner.extent;
    const int64_t count = std::min(inner.extent - start, range.end - i);
    int64_t offset = start * inner.strides[0], rest = i / inner.extent;
    for (size_t axis = axes.size(); axis-- > 1;) {
      const LoopAxis<1>& outer = axes[axis - 1];
      offset += rest % outer.extent * outer.strides[0];
      rest /= outer.extent;
    }
    visit(i - range.begin, offset, inner.strides[0], count);
    i += count;
  }
}

int64_t stride_of(const Side& side) {
  return side.axes().empty() ? 1 : side.axes().back().strides[0];
}

// Whether a copy should hold the columns one after another, because elements down a column lie
// closer together.
bool columns_first(const MatrixOperand& x) {
  if (x.rows.axes().empty()) return false;
  return x.columns.axes().empty() || std::abs(stride_of(x.rows)) < std::abs(stride_of(x.columns));
}

template <class T>
StridedMatrix<T> copy_layout(const MatrixOperand& x, T* buffer, Range rows, Range columns) {
  if (columns_first(x)) return {buffer, rows.size(), columns.size(), 1, rows.size()};
  return {buffer, rows.size(), columns.size(), columns.size(), 1};
}

// Calls visit(first element, stride, its place in a copy of the block, count) for every run of a
// block of x; a copy holds the runs densely, in this order.
template <class Visit>
void for_each_run_of_block(const MatrixOperand& x, Range rows, Range columns, Visit&& visit) {
  const bool transposed = columns_first(x);
  const Side &major = transposed ? x.columns : x.rows, &minor = transposed ? x.rows : x.columns;
  const Range majors = transposed ? columns : rows, minors = transposed ? rows : columns;
  const int64_t size = size_of(x.dtype);
  for_each_run(major, majors, [&](int64_t i, int64_t begin, int64_t step, int64_t repeats) {
    for (int64_t r = 0; r < repeats; ++r) {
      for_each_run(minor, minors, [&](int64_t j, int64_t offset, int64_t stride, int64_t count) {
        visit(x.data + (begin + r * step + offset) * size, stride, (i + r) * minors.size() + j,
              count);
      });
    }
  });
}

template <class T>
void gather(const MatrixOperand& x, Range rows, Range columns, T* copy) {
  const auto load = [&](const std::byte* from, int64_t stride, int64_t place, int64_t count) {
    load_row(x.dtype, from, stride, count, copy + place);
  };
  for_each_run_of_block(x, rows, columns, load);
}

template <class T>
void scatter(const MatrixOperand& x, Range rows, Range columns, const T* copy) {
  const auto store = [&](std::byte* to, int64_t stride, int64_t place, int64_t count) {
    store_row(copy + place, count, x.dtype, to, stride);
  };
  for_each_run_of_block(x, rows, columns, store);
}

void fill_with_zeros(const MatrixOperand& x) {
  static constexpr std::array<float, 64> kZeros{};
  const auto fill = [&](std::byte* to, int64_t stride, int64_t, int64_t count) {
    constexpr auto kStep = static_cast<int64_t>(kZeros.size());
    for (int64_t i = 0; i < count; i += kStep) {
      store_row(kZeros.data(), std::min(kStep, count - i), x.dtype,
                to + i * stride * size_of(x.dtype), stride);
    }
  };
  for_each_run_of_block(x, {0, x.rows.steps()}, {0, x.columns.steps()}, fill);
}

// The part of an operand that needs no copy.
template <class T>
StridedMatrix<T> direct_part(const MatrixOperand& x, Range rows, Range columns) {
  const int64_t row_stride = stride_of(x.rows), column_stride = stride_of(x.columns);
  return {reinterpret_cast<T*>(x.data) + rows.begin * row_stride + columns.begin * column_stride,
          rows.size(), columns.size(), row_stride, column_stride};
}

StridedMatrix<const int64_t> read_only(const StridedMatrix<int64_t>& m) {
  return {m.data, m.rows, m.columns, m.row_stride, m.column_stride};
}

template <class T>
void multiply(const StridedMatrix<T>& a, const StridedMatrix<T>& b, bool add,
              const StridedMatrix<T>& c) {
  blas_gemm({a.data, a.rows, a.columns, a.row_stride, a.column_stride},
            {b.data, b.rows, b.columns, b.row_stride, b.column_stride}, add ? T{1} : T{0}, c);
}

void multiply(const StridedMatrix<int64_t>& a, const StridedMatrix<int64_t>& b, bool add,
              const StridedMatrix<int64_t>& c) {
  const auto x = read_only(a), y = read_only(b);
  for (int64_t i = 0; i < c.rows; ++i) {
    int64_t* out = c.data + i * c.row_stride;
    for (int64_t j = 0; j < c.columns && !add; ++j) out[j * c.column_stride] = 0;
    for (int64_t k = 0; k < x.columns; ++k) {
      // Unsigned, so that sums wrap.
      const auto factor = static_cast<uint64_t>(x.data[i * x.row_stride + k * x.column_stride]);
      const int64_t* row = y.data + k * y.row_stride;
      for (int64_t j = 0; j < c.columns; ++j) {
        int64_t& sum = out[j * c.column_stride];
        sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                                   factor * static_cast<uint64_t>(row[j * y.column_stride]));
      }
    }
  }
}

// Equal blocks of at most `limit`, multiples of 16 but for the last.
int64_t block_of(int64_t extent, int64_t limit) {
  if (extent <= limit) return extent;
  const int64_t blocks = (extent + limit - 1) / limit;
  return ((extent + blocks - 1) / blocks + 15) / 16 * 16;
}

struct Blocking {
  bool copy_a, copy_b, copy_c;
  int64_t rows, columns, contracted;

  Blocking(const MatrixOperand& a, const MatrixOperand& b, const MatrixOperand& c) {
    const DType computed = computed_dtype(a.dtype, b.dtype, c.dtype);
    copy_a = !is_direct(a, computed);
    copy_b = !is_direct(b, computed);
    copy_c = !is_direct(c, computed);
    rows = block_of(c.rows.steps(), copy_a || copy_c ? kRowBlock : kMaxBlasExtent);
    columns = block_of(c.columns.steps(), copy_b || copy_c ? kColumnBlock : kMaxBlasExtent);
    contracted = std::min(a.columns.steps(), kContractedBlock);
  }
};

bool has_layout(const MatrixOperand& x) {
  const auto extent = [](const Side& side) { return std::min(side.steps(), kMaxBlasExtent); };
  return blas_layout(extent(x.rows), extent(x.columns), stride_of(x.rows), stride_of(x.columns))
      .has_value();
}

template <class T>
void product(const MatrixOperand& a, const MatrixOperand& b, const MatrixOperand& c,
             Accumulate accumulate, std::span<std::byte> bytes) {
  const Blocking blocking(a, b, c);
  Workspace workspace(bytes);
  const auto take = [&](bool copy, int64_t m, int64_t n) {
    return copy ? workspace.take<T>(m * n) : nullptr;
  };
  T* const a_copy = take(blocking.copy_a, blocking.rows, blocking.contracted);
  T* const b_copy = take(blocking.copy_b, blocking.contracted, blocking.columns);
  T* const c_copy = take(blocking.copy_c, blocking.rows, blocking.columns);
  const auto part = [](const MatrixOperand& x, T* copy, Range rows, Range columns) {
    return copy ? copy_layout(x, copy, rows, columns) : direct_part<T>(x, rows, columns);
  };
  const int64_t m = c.rows.steps(), n = c.columns.steps(), k = a.columns.steps();
  for (int64_t j = 0; j < n; j += blocking.columns) {
    const Range columns{j, std::min(j + blocking.columns, n)};
    for (int64_t i = 0; i < m; i += blocking.rows) {
      const Range rows{i, std::min(i + blocking.rows, m)};
      if (c_copy && accumulate == Accumulate::add) gather(c, rows, columns, c_copy);
      for (int64_t l = 0; l < k; l += blocking.contracted) {
        const Range contracted{l, std::min(l + blocking.contracted, k)};
        if (a_copy) gather(a, rows, contracted, a_copy);
        if (b_copy) gather(b, contracted, columns, b_copy);
        multiply(part(a, a_copy, rows, contracted), part(b, b_copy, contracted, columns),
                 l > 0 || accumulate == Accumulate::add, part(c, c_copy, rows, columns));
      }
      if (c_copy) scatter(c, rows, columns, c_copy);
    }
  }
}

}  // namespace

DType computed_dtype(DType a, DType b, DType c) {
  if (!is_float(c)) return DType::i64;
  const bool wide = a == DType::f64 || b == DType::f64 || c == DType::f64;
  return wide ? DType::f64 : DType::f32;
}

bool is_direct(const MatrixOperand& x, DType computed) {
  if (x.dtype != computed || x.rows.axes().size() > 1 || x.columns.axes().size() > 1) return false;
  return computed == DType::i64 || has_layout(x);
}

int64_t matrix_product_workspace_bytes(const MatrixOperand& a, const MatrixOperand& b,
                                       const MatrixOperand& c) {
  if (c.rows.empty() || c.columns.empty() || a.columns.empty()) return 0;
  const Blocking blocking(a, b, c);
  const int64_t size = size_of(computed_dtype(a.dtype, b.dtype, c.dtype));
  const auto bytes = [&](bool copy, int64_t m, int64_t n) {
    return copy ? workspace_array(m * n, size) : 0;
  };
  return bytes(blocking.copy_a, blocking.rows, blocking.contracted) +
         bytes(blocking.copy_b, blocking.contracted, blocking.columns) +
         bytes(blocking.copy_c, blocking.rows, blocking.columns);
}

void matrix_product(const MatrixOperand& a, const MatrixOperand& b, const MatrixOperand& c,
                    Accumulate accumulate, std::span<std::byte> workspace) {
  ensure(a.rows.steps() == c.rows.steps() && b.columns.steps() == c.columns.steps() &&
             a.columns.steps() == b.rows.steps(),
         "extents of a matrix product do not agree");
  if (c.rows.empty() || c.columns.empty()) return;
  if (a.columns.empty()) {
    if (accumulate == Accumulate::overwrite) fill_with_zeros(c);
    return;
  }
  switch (computed_dtype(a.dtype, b.dtype, c.dtype)) {
    case DType::f64:
      return product<double>(a, b, c, accumulate, workspace);
    case DType::f32:
      return product<float>(a, b, c, accumulate, workspace);
    default:
      return product<int64_t>(a, b, c, accumulate, workspace);
  }
}

}  // namespace einsummable::cpu
