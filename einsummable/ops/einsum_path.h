// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "einsummable/tensor/interval.h"

namespace einsummable {

// One product of two operands on the way through a sum of products of many. Positions are in the
// list of operands that are left: both are taken out of it, and the result is put at its end.
struct Contraction {
  size_t left = 0, right = 0;
  std::string spec;  // "ij,jk->ik", the operand at `left` first

  bool operator==(const Contraction&) const = default;
};

// The operands for which the order is exact: the order costs 3^n steps.
inline constexpr size_t kExactOperands = 10;

// In which order to contract a sum of products two operands at a time, each letter summed as soon
// as no other operand has it: the order with the fewest multiplications for up to kExactOperands
// operands; beyond, the pair whose product adds least to the elements that are left comes first.
// Empty for one operand. Throws GraphError where parse_einsum does.
//   "ij,jk,k->i", [9, 9], [9, 9], [9]:  {1, 2, "jk,k->j"}, {0, 1, "ij,j->i"}
std::vector<Contraction> contraction_path(std::string_view notation, std::span<const Shape> shapes,
                                          std::span<const std::string> names);

}  // namespace einsummable
