// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// What kernels ask of n elements that lie one after another. T is float or double.

// The sum, in double.
double sum_of(const float* x, int64_t n);
double sum_of(const double* x, int64_t n);

// The largest and the smallest; NaN if there is one; -inf and inf of nothing.
float max_of(const float* x, int64_t n);
double max_of(const double* x, int64_t n);
float min_of(const float* x, int64_t n);
double min_of(const double* x, int64_t n);

// Whether none is infinite or NaN.
bool all_finite(const float* x, int64_t n);
bool all_finite(const double* x, int64_t n);

// The sum of exp(x - shift), where no x is above shift; y, unless null, gets the terms.
float exponentials(const float* x, float shift, float* y, int64_t n);
double exponentials(const double* x, double shift, double* y, int64_t n);

// The rows of a view along one axis as dense arrays of T: in place where they are that, else
// through a buffer of one row.
template <class T>
class Rows {
 public:
  Rows(const StridedView& view, int64_t axis, T* buffer)
      : data_(view.data),
        dtype_(view.dtype),
        stride_(view.strides[static_cast<size_t>(axis)]),
        n_(view.shape[static_cast<size_t>(axis)]),
        buffer_(buffer) {}

  // The row that begins `offset` elements into the view.
  const T* read(int64_t offset) const {
    if (in_place()) return address(offset);
    load_row(dtype_, at(offset), stride_, n_, buffer_);
    return buffer_;
  }
  // Where to compute that row; `write` then puts it in place.
  T* target(int64_t offset) const { return in_place() ? address(offset) : buffer_; }
  void write(int64_t offset) const {
    if (!in_place()) store_row(buffer_, n_, dtype_, at(offset), stride_);
  }

 private:
  bool in_place() const { return dtype_ == kDTypeOf<T> && (stride_ == 1 || n_ <= 1); }
  std::byte* at(int64_t offset) const { return data_ + offset * size_of(dtype_); }
  T* address(int64_t offset) const { return reinterpret_cast<T*>(at(offset)); }

  std::byte* data_;
  DType dtype_;
  int64_t stride_, n_;
  T* buffer_;
};

}  // namespace einsummable::cpu
