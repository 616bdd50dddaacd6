// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators.h"

#include <bit>
#include <map>
#include <numeric>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

// A NaN that no computation makes.
constexpr uint64_t kUnfilled = 0x7ff4dead0000beef;

// The cells in an order that looks random and is always the same.
std::vector<int64_t> shuffled_cells(int64_t count) {
  std::vector<int64_t> cells(static_cast<size_t>(count));
  std::iota(cells.begin(), cells.end(), 0);
  Random random(static_cast<uint64_t>(count));
  std::ranges::shuffle(cells, random);
  return cells;
}

}  // namespace

std::shared_ptr<const Operator> operator_of(std::string_view name, std::vector<TensorType> inputs,
                                            Attributes attributes) {
  const OperatorInfo* info = find_operator(name);
  ensure(info != nullptr, "no operator of that name");
  return make_operator(*info, {std::move(inputs), std::move(attributes), {}});
}

std::string refusal(std::string_view name, std::vector<TensorType> inputs, Attributes attributes) {
  try {
    operator_of(name, std::move(inputs), std::move(attributes));
  } catch (const GraphError& error) {
    return error.what();
  }
  return "";
}

TensorType f32(const Shape& shape) { return tensor_type(DType::f32, shape); }
TensorType i32(const Shape& shape) { return tensor_type(DType::i32, shape); }

Array64 array(const Shape& shape, std::vector<double> values) {
  Array64 out(box_of(shape));
  ensure(out.values().size() == values.size(), "values for another shape");
  out.values() = std::move(values);
  return out;
}

Array64 counting(const Shape& shape) {
  Array64 out(box_of(shape));
  std::iota(out.values().begin(), out.values().end(), 0);
  return out;
}

Array64 random_integers(Random& random, const Shape& shape, int64_t below) {
  Array64 out(box_of(shape));
  for (double& value : out.values()) {
    value = static_cast<double>(random_below(random, 2 * below) - below);
  }
  return out;
}

Array64 random_reals(Random& random, const Shape& shape) {
  Array64 out(box_of(shape));
  std::normal_distribution<double> normal;
  for (double& value : out.values()) value = normal(random);
  return out;
}

std::vector<Array64> partials_of(const Operator& op, const FunctionSpec& cell,
                                 const std::vector<Array64>& inputs) {
  std::vector<Array64> blocks, out;
  for (size_t i = 0; i < inputs.size(); ++i) blocks.push_back(inputs[i].project(cell.inputs[i]));
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    for (const Component& component : op.partial(o).components) {
      out.emplace_back(component_box(component, cell.outputs[o]), std::bit_cast<double>(kUnfilled));
    }
  }
  op.reference(cell, blocks, out);
  for (const Array64& component : out) {
    const auto unfilled = [](double v) { return std::bit_cast<uint64_t>(v) == kUnfilled; };
    ensure(std::ranges::none_of(component.values(), unfilled), "an output left unfilled");
  }
  return out;
}

std::vector<double> applied(std::string_view name, const Shape& x, Attributes attributes) {
  const auto op = operator_of(name, {f32(x)}, std::move(attributes));
  return whole_reference(*op, {counting(x)})[0].values();
}

std::string notation(std::string_view name, std::vector<TensorType> inputs, Attributes attributes) {
  return text(operator_of(name, std::move(inputs), std::move(attributes))->signatures()[0]);
}

std::vector<Array64> implemented(const Operator& op, const JoinAggSpec& spec,
                                 const std::vector<Array64>& inputs) {
  std::vector<std::map<Box, std::vector<Array64>>> blocks(op.outputs().size());
  for (int64_t c : shuffled_cells(spec.cells())) {
    const FunctionSpec cell = spec.cell(c);
    const std::vector<Array64> partials = partials_of(op, cell, inputs);
    size_t next = 0;
    for (size_t o = 0; o < op.outputs().size(); ++o) {
      const PartialType type = op.partial(o);
      const auto first = partials.begin() + static_cast<std::ptrdiff_t>(next);
      next += type.components.size();
      const std::vector<Array64> part = {
          first, first + static_cast<std::ptrdiff_t>(type.components.size())};
      const auto [place, added] = blocks[o].try_emplace(cell.outputs[o], part);
      if (!added) merge(type, place->second, part);
    }
  }
  std::vector<Array64> out;
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    out.emplace_back(op.outputs()[o].bounds);
    for (const auto& [box, complete] : blocks[o]) {
      if (!empty(box)) out[o].assign(finalise(op.partial(o), complete));
    }
  }
  return out;
}

}  // namespace einsummable
