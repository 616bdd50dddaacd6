// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda {

// The operands of a sum of products: c[...] = sum of a[...] * b[...].
enum ProductOperand : size_t { kA, kB, kC };

// An index of a contraction with its stride in every operand, in elements; 0 in those without it.
struct ProductAxis {
  int64_t extent = 1;
  std::array<int64_t, 3> strides = {};
  int32_t of_c = -1;  // which axis of c it is; -1: contracted
};
using ProductAxes = std::vector<ProductAxis>;

// The indices by the role they play: batch in all operands, rows in a and c, columns in b and c,
// contracted in a and b.
struct ProductRoles {
  ProductAxes batch, rows, columns, contracted;
};

// The roles of the indices of a contraction of two operands; none if one is summed over in one
// operand only, or the output has one that no operand has: that is no matrix product.
std::optional<ProductRoles> roles_of(const Signature& signature, std::span<const Block> inputs,
                                     const Block& output);

// A contraction as matrix products of the library. Operands that it cannot address in place are
// copied, in the order that the products want: `copied` says which.
struct ProductPlan {
  ProductRoles roles;  // in the order of dense copies
  std::array<bool, 3> copied = {};
  // Of one product: extents, and the strides of each operand as a matrix: rows, columns, batch.
  int64_t m = 1, n = 1, k = 1, batch = 1;
  std::array<std::array<int64_t, 3>, 3> strides = {};
  ProductAxes loops;  // one product a step, which `batch` does not take in
};

// Whether the library can write the output's dtype, or it comes from a copy of another.
enum class Output : uint8_t { in_place, copied };

// The plan that copies the fewest elements.
ProductPlan plan_product(const ProductRoles& roles, Output output);

// All axes of an operand, in the order of its dense copy: batch, rows, columns or contracted.
ProductAxes axes_of(const ProductRoles& roles, ProductOperand operand);

}  // namespace einsummable::cuda
