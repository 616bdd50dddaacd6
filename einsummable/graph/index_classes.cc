// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/index_classes.h"

#include <numeric>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// The index that spans the whole axis, a fraction of it for every unit; -1 if none does.
int32_t spanning_index(const Signature& signature, const AxisMap& axis) {
  if (axis.extent <= 1 || axis.shift != 0 || !axis.floor_at.empty() || !axis.ceiling_at.empty()) {
    return -1;
  }
  const auto outermost = std::ranges::find_if(axis.terms, [&](const Term& term) {
    return signature.indices[static_cast<size_t>(term.index)].extent > 1;
  });
  if (outermost == axis.terms.end() || outermost->factor < 1) return -1;
  std::vector<Interval> first_unit;
  for (const Index& index : signature.indices) first_unit.push_back({0, index.extent});
  const auto position = static_cast<size_t>(outermost->index);
  const int64_t extent = first_unit[position].hi;
  first_unit[position] = {0, 1};
  const bool spans = axis.extent % extent == 0 && axis.extent / extent == outermost->factor;
  return spans && axis(first_unit) == Interval{0, outermost->factor} ? outermost->index : -1;
}

}  // namespace

IndexClasses::IndexClasses(const Graph& graph,
                           std::span<const std::shared_ptr<const Signature>> signatures,
                           const Interruption& interruption)
    : signatures_(signatures.begin(), signatures.end()) {
  ensure(signatures_.size() == graph.ops().size(), "index classes need every signature");
  size_t nodes = 0;
  for (const GraphTensor& tensor : graph.tensors()) {
    first_axis_.push_back(nodes);
    nodes += tensor.type.bounds.size();
  }
  for (const auto& signature : signatures_) {
    first_index_.push_back(nodes);
    nodes += signature->indices.size();
  }
  parent_.resize(nodes);
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  for (size_t i = 0; i < signatures_.size(); ++i) {
    interruption.check();
    const OpId op(static_cast<int64_t>(i));
    const Signature& signature = *signatures_[i];
    const GraphOp& node = graph.op(op);
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      unite_operand(op, signature, signature.inputs[k], node.inputs[k]);
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      unite_operand(op, signature, signature.outputs[k], node.outputs[k]);
    }
  }
  find_types(interruption);
}

void IndexClasses::unite_operand(OpId op, const Signature& signature, const OperandMap& operand,
                                 TensorId tensor) {
  for (size_t axis = 0; axis < operand.axes.size(); ++axis) {
    const int32_t index = spanning_index(signature, operand.axes[axis]);
    if (index < 0) continue;
    unite(first_axis_[tensor.index()] + axis, node(op, static_cast<size_t>(index)));
  }
}

size_t IndexClasses::root(size_t node) const {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];
    node = parent_[node];
  }
  return node;
}

void IndexClasses::unite(size_t a, size_t b) {
  a = root(a);
  b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

const std::vector<IndexClasses::KindId>& IndexClasses::kinds_of(const Signature* signature) {
  const auto [place, added] = kinds_of_.try_emplace(signature);
  if (!added) return place->second;
  for (const Index& index : signature->indices) {
    if (index.cut == Index::Cut::never || index.extent <= 1) {
      place->second.push_back(-1);
      continue;
    }
    Index kind = index;
    kind.name.clear();
    kind.within = -1;
    const auto found = std::ranges::find(kinds_, kind);
    place->second.push_back(static_cast<KindId>(found - kinds_.begin()));
    if (found == kinds_.end()) kinds_.push_back(std::move(kind));
  }
  return place->second;
}

void IndexClasses::find_types(const Interruption& interruption) {
  std::vector<std::vector<KindId>> members(parent_.size());
  for (size_t i = 0; i < signatures_.size(); ++i) {
    interruption.check();
    const std::vector<KindId>& kinds = kinds_of(signatures_[i].get());
    for (size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k] < 0) continue;
      std::vector<KindId>& of_class = members[root(first_index_[i] + k)];
      const auto at = std::ranges::lower_bound(of_class, kinds[k]);
      if (at == of_class.end() || *at != kinds[k]) of_class.insert(at, kinds[k]);
    }
  }
  std::map<std::vector<KindId>, ClassTypeId> types;
  type_.resize(parent_.size());
  for (size_t n = 0; n < parent_.size(); ++n) {
    interruption.check();
    if (parent_[n] != n) continue;
    const auto [place, added] =
        types.try_emplace(members[n], ClassTypeId(static_cast<int64_t>(members_.size())));
    if (added) members_.push_back(members[n]);
    type_[n] = place->second;
  }
}

ClassTypeId IndexClasses::type(OpId op, size_t index) const { return type_[root(node(op, index))]; }

bool IndexClasses::together(OpId a, size_t index_of_a, OpId b, size_t index_of_b) const {
  return root(node(a, index_of_a)) == root(node(b, index_of_b));
}

const std::vector<Cuts>& IndexClasses::offers(OpId op, size_t index, int64_t count) {
  const Index& own = signatures_[op.index()]->indices[index];
  const KindId kind = kinds_of(signatures_[op.index()].get())[index];
  if (kind < 0) {
    std::vector<Cuts>& alone = uncut_[{own.extent, count}];
    if (alone.empty() && count == 1) alone.push_back(uncut(own));
    return alone;
  }
  const ClassTypeId type = this->type(op, index);
  const auto [place, added] = offers_.try_emplace(std::tuple(kind, type, count));
  if (!added) return place->second;
  std::vector<Cuts>& out = place->second;
  const auto offer = [&](const std::optional<Cuts>& cuts) {
    if (cuts && is_balanced(own, *cuts) && std::ranges::find(out, *cuts) == out.end()) {
      out.push_back(*cuts);
    }
  };
  offer(near_equal(own, count));
  for (KindId member : members_[type.index()]) {
    const Index& other = kinds_[static_cast<size_t>(member)];
    const std::optional<Cuts> cuts = near_equal(other, count);
    if (member != kind && cuts && is_balanced(other, *cuts)) {
      offer(carry(*cuts, other.extent, own));
    }
  }
  return out;
}

}  // namespace einsummable
