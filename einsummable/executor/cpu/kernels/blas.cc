// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/blas.h"

#include <cblas.h>

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable::cpu {
namespace {

struct Call {
  CBLAS_TRANSPOSE transposed;
  int leading_dimension;
};

template <class T>
BlasLayout layout_of(const StridedMatrix<T>& m) {
  const auto layout = blas_layout(m.rows, m.columns, m.row_stride, m.column_stride);
  ensure(layout.has_value(), "a matrix that BLAS cannot address");
  return *layout;
}

template <class T>
Call call_of(const StridedMatrix<T>& m) {
  const BlasLayout layout = layout_of(m);
  return {layout.order == BlasLayout::Order::rows ? CblasNoTrans : CblasTrans,
          static_cast<int>(layout.leading_dimension)};
}

template <class T>
StridedMatrix<T> transposed(const StridedMatrix<T>& m) {
  return {m.data, m.columns, m.rows, m.column_stride, m.row_stride};
}

template <class T, class Function>
void gemm(const StridedMatrix<const T>& a, const StridedMatrix<const T>& b, T beta,
          const StridedMatrix<T>& c, Function* function) {
  const BlasLayout out = layout_of(c);
  if (out.order == BlasLayout::Order::columns) {
    return gemm(transposed(b), transposed(a), beta, transposed(c), function);
  }
  const Call left = call_of(a), right = call_of(b);
  function(CblasRowMajor, left.transposed, right.transposed, static_cast<int>(c.rows),
           static_cast<int>(c.columns), static_cast<int>(a.columns), 1, a.data,
           left.leading_dimension, b.data, right.leading_dimension, beta, c.data,
           static_cast<int>(out.leading_dimension));
}

}  // namespace

void use_one_blas_thread() { scipy_openblas_set_num_threads(1); }

std::optional<BlasLayout> blas_layout(int64_t rows, int64_t columns, int64_t row_stride,
                                      int64_t column_stride) {
  if (std::max(rows, columns) > kMaxBlasExtent) return std::nullopt;
  const auto fits = [](int64_t stride, int64_t steps, int64_t extent) {
    return steps <= 1 || (stride >= std::max<int64_t>(extent, 1) && stride <= kMaxBlasExtent);
  };
  using Order = BlasLayout::Order;
  if ((column_stride == 1 || columns <= 1) && fits(row_stride, rows, columns)) {
    return BlasLayout{Order::rows, rows <= 1 ? std::max<int64_t>(columns, 1) : row_stride};
  }
  if ((row_stride == 1 || rows <= 1) && fits(column_stride, columns, rows)) {
    return BlasLayout{Order::columns, columns <= 1 ? std::max<int64_t>(rows, 1) : column_stride};
  }
  return std::nullopt;
}

void blas_gemm(const StridedMatrix<const float>& a, const StridedMatrix<const float>& b, float beta,
               const StridedMatrix<float>& c) {
  gemm(a, b, beta, c, scipy_cblas_sgemm);
}

void blas_gemm(const StridedMatrix<const double>& a, const StridedMatrix<const double>& b,
               double beta, const StridedMatrix<double>& c) {
  gemm(a, b, beta, c, scipy_cblas_dgemm);
}

}  // namespace einsummable::cpu
