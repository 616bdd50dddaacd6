// SPDX-License-Identifier: Apache-2.0
// Plans of products on random roles and strides, carried out on integers, against the sum as it is
// defined.
#include "einsummable/executor/cuda/kernels/product_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace einsummable::cuda {
namespace {

using Values = std::map<int64_t, int64_t>;  // of an operand, by offset
constexpr ProductOperand kOperands[] = {kA, kB, kC};

int64_t value_at(ProductOperand operand, int64_t offset) {
  return (offset * (operand == kA ? 7 : 11) + 3) % 19 - 9;
}

// Calls `visit(offsets)` with the offset in every operand of every point of the axes.
template <class Visit>
void each_point(const ProductAxes& axes, const Visit& visit, std::array<int64_t, 3> at = {},
                size_t axis = 0) {
  if (axis == axes.size()) return visit(at);
  for (int64_t i = 0; i < axes[axis].extent; ++i) {
    std::array<int64_t, 3> next = at;
    for (ProductOperand x : kOperands) next[x] += i * axes[axis].strides[x];
    each_point(axes, visit, next, axis + 1);
  }
}

Values defined(const ProductRoles& roles) {
  ProductAxes all;
  for (const ProductAxes& role : {roles.batch, roles.rows, roles.columns, roles.contracted}) {
    all.insert(all.end(), role.begin(), role.end());
  }
  Values c;
  each_point(all, [&](const std::array<int64_t, 3>& at) {
    c[at[kC]] += value_at(kA, at[kA]) * value_at(kB, at[kB]);
  });
  return c;
}

// Where every element of an operand's dense copy comes from, or goes to.
std::vector<int64_t> copied_offsets(const ProductPlan& plan, ProductOperand operand) {
  std::vector<int64_t> offsets;
  each_point(axes_of(plan.roles, operand),
             [&](const std::array<int64_t, 3>& at) { offsets.push_back(at[operand]); });
  return offsets;
}

Values carried_out(const ProductPlan& plan) {
  std::array<std::vector<int64_t>, 3> copies;
  for (ProductOperand x : kOperands) {
    if (plan.copied[x]) copies[x] = copied_offsets(plan, x);
  }
  const auto place = [&](ProductOperand x, int64_t offset) {
    return plan.copied[x] ? copies[x].at(static_cast<size_t>(offset)) : offset;
  };
  Values c;
  const auto element = [&](ProductOperand x, const std::array<int64_t, 3>& base, int64_t batch,
                           int64_t i, int64_t j) {
    const auto [rows, columns, matrices] = plan.strides[x];
    return place(x, base[x] + batch * matrices + i * rows + j * columns);
  };
  each_point(plan.loops, [&](const std::array<int64_t, 3>& base) {
    for (int64_t b = 0; b < plan.batch; ++b) {
      for (int64_t i = 0; i < plan.m; ++i) {
        for (int64_t j = 0; j < plan.n; ++j) {
          int64_t sum = 0;
          for (int64_t k = 0; k < plan.k; ++k) {
            sum +=
                value_at(kA, element(kA, base, b, i, k)) * value_at(kB, element(kB, base, b, k, j));
          }
          const bool first = c.emplace(element(kC, base, b, i, j), sum).second;
          EXPECT_TRUE(first) << "an element of the output is written twice";
        }
      }
    }
  });
  return c;
}

// What the library demands of a matrix of `rows` x `columns`.
void expect_addressable(const std::array<int64_t, 3>& strides, int64_t rows, int64_t columns) {
  const bool by_rows = strides[1] == 1 && strides[0] >= columns;
  const bool by_columns = strides[0] == 1 && strides[1] >= rows;
  EXPECT_TRUE(by_rows || by_columns)
      << strides[0] << ", " << strides[1] << " of " << rows << " x " << columns;
  EXPECT_GE(strides[2], 0);
}

// Up to two axes a role, laid out in every operand in a random order, with gaps; inputs may repeat
// along an axis, which has stride 0.
ProductRoles random_roles(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
  ProductRoles roles;
  ProductAxes* const all[] = {&roles.batch, &roles.rows, &roles.columns, &roles.contracted};
  for (ProductAxes* role : all) {
    role->resize(static_cast<size_t>(below(3)));
    for (ProductAxis& axis : *role) axis.extent = 2 + below(3);
  }
  for (ProductOperand operand : kOperands) {
    std::vector<ProductAxis*> axes;
    for (size_t role = 0; role < 4; ++role) {
      const bool has = role == 0 || (role == 1 && operand != kB) || (role == 2 && operand != kA) ||
                       (role == 3 && operand != kC);
      if (!has) continue;
      for (ProductAxis& axis : *all[role]) axes.push_back(&axis);
    }
    if (below(2) == 0) std::ranges::shuffle(axes, random);
    int64_t stride = below(4) == 0 ? 2 : 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const bool repeats = operand != kC && below(8) == 0;
      (*axis)->strides[operand] = repeats ? 0 : stride;
      if (!repeats) stride *= (*axis)->extent;
      if (below(6) == 0) stride += 1 + below(3);
    }
  }
  return roles;
}

TEST(ProductPlan, GivesTheSumAsItIsDefinedInMatricesThatTheLibraryCanAddress) {
  std::mt19937_64 random(6);
  int in_place = 0, loops = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const ProductRoles roles = random_roles(random);
    const Output output = round % 4 == 0 ? Output::copied : Output::in_place;
    const ProductPlan plan = plan_product(roles, output);
    expect_addressable(plan.strides[kA], plan.m, plan.k);
    expect_addressable(plan.strides[kB], plan.k, plan.n);
    expect_addressable(plan.strides[kC], plan.m, plan.n);
    EXPECT_TRUE(plan.copied[kC] || output == Output::in_place);
    ASSERT_EQ(carried_out(plan), defined(roles));
    in_place += !plan.copied[kA] && !plan.copied[kB] && !plan.copied[kC];
    loops += !plan.loops.empty();
  }
  EXPECT_GT(in_place, 100);
  EXPECT_GT(loops, 10);
}

}  // namespace
}  // namespace einsummable::cuda
