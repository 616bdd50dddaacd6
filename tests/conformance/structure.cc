// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/structure.h"

#include <algorithm>
#include <map>
#include <set>

#include "einsummable/spec/join_agg_spec.h"

namespace einsummable {
namespace {

bool is_projection(const Box& block, const Box& bounds) {
  if (block.size() != bounds.size()) return false;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool inside = bounds[i].lo <= block[i].lo && block[i].hi <= bounds[i].hi;
    if (!inside || block[i].lo > block[i].hi) return false;
  }
  return true;
}

bool fits(const OperandMap& operand, const TensorType& type) {
  return std::ranges::equal(operand.axes, type.shape(), {}, &AxisMap::extent);
}

std::set<Box> blocks_of(const Tiling& tiling) {
  std::vector<Box> blocks = {Box{}};
  for (const auto& axis : tiling.axes) {
    std::vector<Box> longer;
    for (const Box& block : blocks) {
      for (Interval interval : axis) longer.emplace_back(block).push_back(interval);
    }
    blocks = std::move(longer);
  }
  return {blocks.begin(), blocks.end()};
}

std::string fault_of_tiling(const std::set<Box>& listed, const Tiling& tiling) {
  const std::set<Box> blocks = blocks_of(tiling);
  const bool equal = tiling.product ? listed == blocks : std::ranges::includes(blocks, listed);
  return equal ? "" : "its blocks are not those of the tiling " + text(tiling);
}

std::string fault_of_input(const JoinAggSpec& spec, size_t input, const Box& bounds) {
  std::set<Box> listed;
  int64_t read = 0;
  for (int64_t number = 0; number < spec.cells(); ++number) {
    const Box block = spec.cell(number).inputs[input];
    if (!is_projection(block, bounds)) return text(block) + " is no projection";
    if (!empty(block)) listed.insert(block);
    read += elements(block);
  }
  if (read != spec.join_elements(input)) return "its join elements are " + std::to_string(read);
  return fault_of_tiling(listed, spec.input(input));
}

std::string fault_of_output(const JoinAggSpec& spec, size_t output, const Box& bounds) {
  std::map<Box, std::vector<int64_t>> partials;
  std::set<Box> listed;
  for (int64_t number = 0; number < spec.cells(); ++number) {
    const Box block = spec.cell(number).outputs[output];
    if (!is_projection(block, bounds)) return text(block) + " is no projection";
    if (empty(block) && !empty(bounds)) return text(block) + " is empty";
    partials[block].push_back(spec.partial_of_cell(output, number));
    if (!empty(block)) listed.insert(block);
  }
  Array64 covered(bounds);
  for (const Box& block : listed) {
    for_each_position(block, [&](auto position) { covered.at(position) += 1; });
  }
  const bool tile = std::ranges::all_of(covered.values(), [](double times) { return times == 1; });
  if (!tile) return "its blocks do not tile";
  for (auto& [block, numbers] : partials) {
    std::ranges::sort(numbers);
    if (empty(bounds)) continue;
    if (std::ssize(numbers) != spec.partials(output)) return "the number of partials is wrong";
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != static_cast<int64_t>(i)) return "partials of a block are not numbered";
    }
  }
  return fault_of_tiling(listed, spec.output(output));
}

}  // namespace

std::string fault_of_signature(const Operator& op, const Signature& signature) {
  const auto fit = [](const OperandMap& operand, const TensorType& type) {
    return fits(operand, type);
  };
  if (!std::ranges::equal(signature.inputs, op.inputs(), fit)) return "inputs do not fit";
  if (!std::ranges::equal(signature.outputs, op.outputs(), fit)) return "outputs do not fit";
  std::set<std::string> names;
  for (const Index& index : signature.indices) {
    if (!names.insert(index.name).second) return "two indices are called " + index.name;
  }
  return "";
}

std::string fault_of_spec(const Operator& op, const JoinAggSpec& spec) {
  for (size_t i = 0; i < op.inputs().size(); ++i) {
    const std::string fault = fault_of_input(spec, i, op.inputs()[i].bounds);
    if (!fault.empty()) return "input " + std::to_string(i) + ": " + fault;
  }
  for (size_t o = 0; o < op.outputs().size(); ++o) {
    const std::string fault = fault_of_output(spec, o, op.outputs()[o].bounds);
    if (!fault.empty()) return "output " + std::to_string(o) + ": " + fault;
  }
  return "";
}

}  // namespace einsummable
