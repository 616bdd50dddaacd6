// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/product_plan.h"

#include <algorithm>
#include <map>

#include "einsummable/base/checked.h"

namespace einsummable::cuda {
namespace {

// More products than this, one after another, are worse than a copy.
constexpr int64_t kMostLoops = 16;

int64_t extent_of(const ProductAxes& axes) {
  int64_t n = 1;
  for (const ProductAxis& axis : axes) n = checked_multiply(n, axis.extent);
  return n;
}

// With neighbours joined where the operands cross them evenly.
ProductAxes joined(const ProductAxes& axes) {
  ProductAxes out;
  for (const ProductAxis& axis : axes) {
    const auto evenly = [&](size_t x) {
      return out.back().strides[x] == axis.strides[x] * axis.extent;
    };
    if (!out.empty() && evenly(kA) && evenly(kB) && evenly(kC)) {
      out.back().extent *= axis.extent;
      out.back().strides = axis.strides;
    } else {
      out.push_back(axis);
    }
  }
  return out;
}

// Whether an operand crosses the axes evenly, in their order; and the stride with which it does.
std::optional<int64_t> stride_of(const ProductAxes& axes, ProductOperand operand) {
  if (axes.empty()) return 0;
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    const ProductAxis &outer = axes[i], &inner = axes[i + 1];
    if (outer.strides[operand] != inner.strides[operand] * inner.extent) return std::nullopt;
  }
  return axes.back().strides[operand];
}

ProductAxes sorted(ProductAxes axes, ProductOperand by) {
  std::ranges::stable_sort(axes, [by](const ProductAxis& x, const ProductAxis& y) {
    return x.strides[by] > y.strides[by];
  });
  return axes;
}

// What an operand is as a matrix: the axes of its rows, and of its columns.
std::pair<const ProductAxes&, const ProductAxes&> sides_of(const ProductRoles& roles,
                                                           ProductOperand operand) {
  if (operand == kA) return {roles.rows, roles.contracted};
  if (operand == kB) return {roles.contracted, roles.columns};
  return {roles.rows, roles.columns};
}

// The strides of an operand as the library can address it: by rows or by columns, none into
// another.
std::optional<std::array<int64_t, 3>> in_place(const ProductRoles& roles, ProductOperand operand,
                                               int64_t batch_stride) {
  const auto& [down, across] = sides_of(roles, operand);
  auto rows = stride_of(down, operand), columns = stride_of(across, operand);
  if (!rows || !columns || batch_stride < 0) return std::nullopt;
  const int64_t m = extent_of(down), n = extent_of(across);
  // A side of one element has no stride of its own.
  if (n == 1 && *rows != 1) columns = 1;
  if (m == 1 && *columns != 1) rows = 1;
  if (m == 1 && *columns == 1) rows = std::max<int64_t>(n, 1);
  if (n == 1 && *rows == 1) columns = std::max<int64_t>(m, 1);
  const bool by_rows = *columns == 1 && *rows >= n, by_columns = *rows == 1 && *columns >= m;
  if (!by_rows && !by_columns) return std::nullopt;
  return std::array<int64_t, 3>{*rows, *columns, batch_stride};
}

std::array<int64_t, 3> dense(const ProductRoles& roles, ProductOperand operand) {
  const auto& [down, across] = sides_of(roles, operand);
  const int64_t n = extent_of(across);
  return {std::max<int64_t>(n, 1), 1, checked_multiply(extent_of(down), n)};
}

// Splits the batch into what one product takes in, the innermost axis, and loops.
ProductPlan planned(const ProductRoles& roles, Output output) {
  ProductPlan plan;
  plan.roles = roles;
  plan.m = extent_of(roles.rows);
  plan.n = extent_of(roles.columns);
  plan.k = extent_of(roles.contracted);
  ProductAxes batch = joined(roles.batch);
  const bool loops = extent_of(batch) / (batch.empty() ? 1 : batch.back().extent) <= kMostLoops;
  const std::array<int64_t, 3> still = {};
  for (ProductOperand operand : {kA, kB, kC}) {
    const auto& inner = batch.empty() ? still : batch.back().strides;
    const bool may = loops && (operand != kC || output == Output::in_place);
    const auto place = may ? in_place(roles, operand, inner[operand]) : std::nullopt;
    plan.copied[operand] = !place;
    plan.strides[operand] = place ? *place : dense(roles, operand);
  }
  // A dense copy has one batch, whose axes are not those of operands in place.
  const bool copies = plan.copied[kA] || plan.copied[kB] || plan.copied[kC];
  if (copies && batch.size() > 1) {
    for (ProductOperand operand : {kA, kB, kC}) {
      if (stride_of(batch, operand)) continue;
      plan.copied[operand] = true;
      plan.strides[operand] = dense(roles, operand);
    }
    plan.batch = extent_of(batch);
    return plan;
  }
  if (!batch.empty()) {
    plan.batch = batch.back().extent;
    batch.pop_back();
  }
  plan.loops = batch;
  return plan;
}

int64_t copied_elements(const ProductPlan& plan) {
  int64_t n = 0;
  for (ProductOperand operand : {kA, kB, kC}) {
    if (!plan.copied[operand]) continue;
    n = checked_add(n, extent_of(axes_of(plan.roles, operand)));
  }
  return n;
}

// The outer axes of a side as a part of the batch: its products are smaller, and in place.
ProductRoles peeled(ProductRoles roles, ProductAxes ProductRoles::*side) {
  ProductAxes& axes = roles.*side;
  if (axes.size() < 2) return roles;
  const ProductAxis inner = axes.back();
  roles.batch.insert(roles.batch.end(), axes.begin(), axes.end() - 1);
  axes = {inner};
  return roles;
}

}  // namespace

std::optional<ProductRoles> roles_of(const Signature& signature, std::span<const Block> inputs,
                                     const Block& output) {
  if (inputs.size() != 2) return std::nullopt;
  std::map<int32_t, ProductAxis> indices;
  std::map<int32_t, std::array<bool, 3>> has;
  const auto add = [&](ProductOperand operand, const OperandMap& map, const Block& block) {
    for (size_t i = 0; i < map.axes.size(); ++i) {
      if (map.axes[i].terms.empty()) continue;
      if (map.axes[i].terms.size() > 1) return false;
      const int32_t index = map.axes[i].terms[0].index;
      indices[index].extent = block.shape[i];
      indices[index].strides[operand] += block.strides[i];
      has[index][operand] = true;
      if (operand == kC) indices[index].of_c = static_cast<int32_t>(i);
    }
    return true;
  };
  if (!add(kA, signature.inputs[0], inputs[0]) || !add(kB, signature.inputs[1], inputs[1]) ||
      !add(kC, signature.outputs[0], output)) {
    return std::nullopt;
  }
  ProductRoles roles;
  for (const auto& [index, axis] : indices) {
    const auto [a, b, c] = has[index];
    if (axis.extent == 1) continue;
    if (!c && !(a && b)) return std::nullopt;
    if (c && !a && !b) return std::nullopt;
    ProductAxes& role = !c       ? roles.contracted
                        : a && b ? roles.batch
                        : a      ? roles.rows
                                 : roles.columns;
    role.push_back(axis);
  }
  return roles;
}

ProductAxes axes_of(const ProductRoles& roles, ProductOperand operand) {
  const auto& [down, across] = sides_of(roles, operand);
  ProductAxes axes = roles.batch;
  axes.insert(axes.end(), down.begin(), down.end());
  axes.insert(axes.end(), across.begin(), across.end());
  return axes;
}

ProductPlan plan_product(const ProductRoles& roles, Output output) {
  std::optional<ProductPlan> best;
  const auto consider = [&](const ProductRoles& candidate) {
    ProductPlan plan = planned(candidate, output);
    if (!best || copied_elements(plan) < copied_elements(*best)) best = std::move(plan);
  };
  // Axes of a role may come in any order, the same in both operands: that of either.
  for (int choice = 0; choice < 8; ++choice) {
    const ProductRoles ordered{.batch = sorted(roles.batch, kC),
                               .rows = sorted(roles.rows, choice & 1 ? kA : kC),
                               .columns = sorted(roles.columns, choice & 2 ? kB : kC),
                               .contracted = sorted(roles.contracted, choice & 4 ? kA : kB)};
    consider(ordered);
    consider(peeled(ordered, &ProductRoles::columns));
    consider(peeled(ordered, &ProductRoles::rows));
  }
  return *best;
}

}  // namespace einsummable::cuda
