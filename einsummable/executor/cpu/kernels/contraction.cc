// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/contraction.h"

#include <array>

namespace einsummable::cpu {
namespace {

enum Operand : size_t { kA, kB, kC };

// From this extent on, many products with it are as fast as one larger product.
constexpr int64_t kLongEnough = 48;

struct Index {
  int32_t label = 0;
  LoopAxis<3> axis;
  std::array<bool, 3> in{};
};

// The distinct labels, with the strides of all operands; of a label twice in one, their sum.
class Indices {
 public:
  void add(Operand operand, std::span<const int32_t> labels, const StridedView& view) {
    ensure(labels.size() == view.shape.size(), "one label an axis");
    for (size_t i = 0; i < labels.size(); ++i) {
      Index& index = find(labels[i], view.shape[i]);
      ensure(index.axis.extent == view.shape[i], "extents of one label do not agree");
      ensure(operand != kC || !index.in[kC], "a label twice in the output");
      index.axis.strides[operand] += view.strides[i];
      index.in[operand] = true;
    }
  }

  std::span<const Index> all() const { return {indices_.data(), size_}; }

 private:
  Index& find(int32_t label, int64_t extent) {
    for (Index& index : std::span(indices_.data(), size_)) {
      if (index.label == label) return index;
    }
    ensure(size_ < indices_.size(), "too many labels in one contraction");
    return indices_[size_++] = {label, {extent, {}}, {}};
  }

  std::array<Index, kMaxAxes> indices_;
  size_t size_ = 0;
};

// The labels by the role they play in the matrix products.
struct Roles {
  StridedLoop<3> batch, rows, columns, contracted;
};

Roles roles_of(const ContractionLabels& labels, const StridedView& a, const StridedView& b,
               const StridedView& c) {
  Indices indices;
  indices.add(kA, labels.a, a);
  indices.add(kB, labels.b, b);
  indices.add(kC, labels.c, c);
  Roles roles;
  for (const Index& index : indices.all()) {
    ensure(index.in[kA] || index.in[kB], "a label of the output in neither operand");
    const auto& strides = index.axis.strides;
    // An operand that a label does not move takes no part in it, even if it has the label.
    const bool in_a = index.in[kA] && strides[kA] != 0, in_b = index.in[kB] && strides[kB] != 0;
    StridedLoop<3>& role = !index.in[kC]  ? roles.contracted
                           : in_a && in_b ? roles.batch
                           : in_b         ? roles.columns
                                          : roles.rows;
    role.add(index.axis.extent, strides);
  }
  return roles;
}

// Orders the axes so that both operands that have them need as few as possible.
void arrange(StridedLoop<3>& role, Operand first, Operand second) {
  StridedLoop<3> other = role;
  role.sort_and_merge(first);
  other.sort_and_merge(second);
  if (other.axes().size() < role.axes().size()) role = other;
}

Side side_of(const StridedLoop<3>& role, Operand operand) {
  Side side;
  for (const LoopAxis<3>& axis : role.axes()) side.add(axis.extent, {axis.strides[operand]});
  side.merge();
  return side;
}

struct Product {
  StridedLoop<3> loops;  // one matrix product a step
  MatrixOperand a, b, c;

  DType computed() const { return computed_dtype(a.dtype, b.dtype, c.dtype); }
  bool direct() const {
    return is_direct(a, computed()) && is_direct(b, computed()) && is_direct(c, computed());
  }
};

Product product_of(const Roles& roles, const StridedView& a, const StridedView& b,
                   const StridedView& c) {
  Product p;
  p.loops = roles.batch;
  p.a = {a.data, a.dtype, side_of(roles.rows, kA), side_of(roles.contracted, kA)};
  p.b = {b.data, b.dtype, side_of(roles.contracted, kB), side_of(roles.columns, kB)};
  p.c = {c.data, c.dtype, side_of(roles.rows, kC), side_of(roles.columns, kC)};
  return p;
}

// Makes loops of all but the innermost of several axes, if what stays is long enough.
void peel(StridedLoop<3>& role, StridedLoop<3>& loops) {
  if (role.axes().size() < 2 || role.axes().back().extent < kLongEnough) return;
  const LoopAxis<3> inner = role.pop_inner();
  for (const LoopAxis<3>& axis : role.axes()) loops.add(axis.extent, axis.strides);
  role = {};
  role.add(inner.extent, inner.strides);
}

Product plan(const ContractionLabels& labels, const StridedView& a, const StridedView& b,
             const StridedView& c) {
  Roles roles = roles_of(labels, a, b, c);
  arrange(roles.rows, kC, kA);
  arrange(roles.columns, kC, kB);
  arrange(roles.contracted, kB, kA);
  roles.batch.sort_and_merge(kC);
  const Product large = product_of(roles, a, b, c);
  if (large.direct()) return large;
  peel(roles.rows, roles.batch);
  peel(roles.columns, roles.batch);
  const Product peeled = product_of(roles, a, b, c);
  return peeled.direct() ? peeled : large;
}

}  // namespace

int64_t contraction_workspace_bytes(const ContractionLabels& labels, const StridedView& a,
                                    const StridedView& b, const StridedView& c) {
  const Product p = plan(labels, a, b, c);
  return p.loops.empty() ? 0 : matrix_product_workspace_bytes(p.a, p.b, p.c);
}

void contract(const ContractionLabels& labels, const StridedView& a, const StridedView& b,
              const StridedView& c, Accumulate accumulate, std::span<std::byte> workspace) {
  Product p = plan(labels, a, b, c);
  p.loops.run([&](const std::array<int64_t, 3>& at) {
    p.a.data = a.data + at[kA] * size_of(a.dtype);
    p.b.data = b.data + at[kB] * size_of(b.dtype);
    p.c.data = c.data + at[kC] * size_of(c.dtype);
    matrix_product(p.a, p.b, p.c, accumulate, workspace);
  });
}

}  // namespace einsummable::cpu
