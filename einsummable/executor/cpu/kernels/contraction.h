// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cpu/kernels/matrix_product.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// Which index every axis of two operands and of the output stands for. Axes of one label have one
// extent; a label twice in an operand takes its diagonal; each of c's occurs once, in a or b too.
//   "t d, d h k -> h t k":  {.a = {0, 1}, .b = {1, 2, 3}, .c = {2, 0, 3}}
struct ContractionLabels {
  std::span<const int32_t> a, b, c;
};

// Bytes of workspace that `contract` of the same arguments needs.
int64_t contraction_workspace_bytes(const ContractionLabels& labels, const StridedView& a,
                                    const StridedView& b, const StridedView& c);

// c[...] (+)= the sum, over all labels that c lacks, of a[...] * b[...]: as few and as large matrix
// products as the strides allow, without a copy of an operand whose strides BLAS can address.
// Dtypes as in computed_dtype.
void contract(const ContractionLabels& labels, const StridedView& a, const StridedView& b,
              const StridedView& c, Accumulate accumulate, std::span<std::byte> workspace);

}  // namespace einsummable::cpu
