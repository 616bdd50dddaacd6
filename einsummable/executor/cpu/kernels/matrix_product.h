// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/tensor/dtype.h"

namespace einsummable::cpu {

// Whether a kernel replaces what its output holds, or adds to it.
enum class Accumulate : uint8_t { overwrite, add };

// The rows or columns of a matrix: an index over several axes, the first outermost, in elements.
using Side = StridedLoop<1>;

// A matrix whose element (i, j) lies rows' offset of i plus columns' offset of j from `data`.
struct MatrixOperand {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  Side rows, columns;
};

// Whether a product of these needs no copy of `x`: BLAS can address it, and its dtype is the one
// the product is computed in.
bool is_direct(const MatrixOperand& x, DType computed);

// The dtype in which a product is computed: int64 if the output holds integers (exact, wrapping),
// float64 if any operand is, else float32.
DType computed_dtype(DType a, DType b, DType c);

// Bytes of workspace that `matrix_product` of the same arguments needs.
int64_t matrix_product_workspace_bytes(const MatrixOperand& a, const MatrixOperand& b,
                                       const MatrixOperand& c);

// c (+)= a b, where a is m x k, b is k x n and c is m x n. The sum over k is taken in steps of
// fixed length whatever the strides, is rounded to c's dtype once, and is zero if k is 0.
void matrix_product(const MatrixOperand& a, const MatrixOperand& b, const MatrixOperand& c,
                    Accumulate accumulate, std::span<std::byte> workspace);

}  // namespace einsummable::cpu
