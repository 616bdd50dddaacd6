// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace einsummable::cpu {

// Makes every later BLAS call in this process run on its caller's thread alone. Call once, before
// the first kernel.
void use_one_blas_thread();

// The largest extent or leading dimension that one BLAS call takes.
inline constexpr int64_t kMaxBlasExtent = int64_t{1} << 30;

// A matrix whose element (i, j) lies at data + i * row_stride + j * column_stride.
template <class T>
struct StridedMatrix {
  T* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;  // in elements

  T& at(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }
};

// How BLAS is told of a matrix: rows one after another, or columns.
struct BlasLayout {
  enum class Order : uint8_t { rows, columns } order = Order::rows;
  int64_t leading_dimension = 1;
};

// The layout of a matrix, or nothing if BLAS cannot address it: one of the strides must be 1, and
// the other at least the extent it steps over.
std::optional<BlasLayout> blas_layout(int64_t rows, int64_t columns, int64_t row_stride,
                                      int64_t column_stride);

// c = beta * c + a b for nonempty matrices that have a BlasLayout; c is not read if beta is 0.
void blas_gemm(const StridedMatrix<const float>& a, const StridedMatrix<const float>& b, float beta,
               const StridedMatrix<float>& c);
void blas_gemm(const StridedMatrix<const double>& a, const StridedMatrix<const double>& b,
               double beta, const StridedMatrix<double>& c);

}  // namespace einsummable::cpu
