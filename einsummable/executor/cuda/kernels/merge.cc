// SPDX-License-Identifier: Apache-2.0
// Partial results merged, and finished: an element of the block a thread.

#include "einsummable/executor/merge_expression.h"

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/expression_text.h"
#include "einsummable/executor/cuda/kernels/expression_kernel.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

// Every second block, from the first: the values of (value, lse), or from the second their lse.
std::vector<Block> every_second(std::span<const Block> reads, size_t first) {
  std::vector<Block> out;
  for (size_t i = first; i < reads.size(); i += 2) out.push_back(reads[i]);
  return out;
}

// The arguments of a kernel whose reads are every second one of the task's.
std::vector<Argument> second_arguments(size_t parts, size_t first) {
  std::vector<Argument> out;
  for (size_t part = 0; part < parts; ++part) {
    out.push_back({.of = Argument::Of::read, .index = static_cast<int32_t>(2 * part + first)});
  }
  return out;
}

// The strides over the axes of a value with which its lse is read: 0 along those it lacks.
std::vector<int64_t> over_values(const PartialType& partial, const Block& lse) {
  std::vector<int64_t> strides(partial.components[0].axes.size(), 0);
  for (size_t i = 0; i < lse.strides.size(); ++i) {
    const auto& axes = partial.components[0].axes;
    const auto at = std::ranges::find(axes, partial.components[1].axes[i]) - axes.begin();
    strides[static_cast<size_t>(at)] = lse.strides[i];
  }
  return strides;
}

// Values with their weights, which every element computes from the lse of its row.
GeneratedKernel value_kernel(const PartialType& partial, int32_t parts,
                             std::optional<DType> finished, std::span<const Block> reads,
                             const Block& write) {
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::string> names;
  for (size_t i = 0; i < reads.size(); ++i) {
    strides.push_back(i % 2 == 0 ? reads[i].strides : over_values(partial, reads[i]));
    names.push_back("a" + std::to_string(i));
  }
  strides.push_back(write.strides);
  names.push_back("c");
  const Axes axes = collapse(write.shape, std::move(strides));
  const Expression weights = weights_expression(partial, parts, finished);
  const Expression weighted = weighted_expression(partial, parts, finished);
  const auto lse = [&](int32_t part) { return load_text(reads, 2 * part + 1); };
  const auto operand = [&](int32_t i) {
    if (i < parts) return load_text(reads, 2 * i);
    return "w" + std::to_string(weights.outputs()[static_cast<size_t>(i - parts)]);
  };
  const std::string body = offsets(axes, "i", names) + expression_text(weights, "w", lse) +
                           expression_text(weighted, "v", operand) + "store<" +
                           element_type(write.dtype) + ">(out0, c, v" +
                           std::to_string(weighted.outputs()[0]) + ");\n";
  return loop_kernel(reads, {&write, 1}, axes.elements(), body);
}

GeneratedKernel lse_kernel(const PartialType& partial, int32_t parts, std::span<const Block> reads,
                           const Block& write) {
  const std::vector<Block> lse = every_second(reads, 1);
  Expression weights = weights_expression(partial, parts, std::nullopt);
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::string> names;
  for (size_t i = 0; i < lse.size(); ++i) {
    strides.push_back(lse[i].strides);
    names.push_back("a" + std::to_string(i));
  }
  strides.push_back(write.strides);
  names.push_back("c");
  const Axes axes = collapse(write.shape, std::move(strides));
  const std::string body =
      offsets(axes, "i", names) +
      expression_text(weights, "w", [&](int32_t i) { return load_text(lse, i); }) + "store<" +
      element_type(write.dtype) + ">(out0, c, w" + std::to_string(weights.outputs().back()) +
      ");\n";
  GeneratedKernel kernel = loop_kernel(lse, {&write, 1}, axes.elements(), body);
  kernel.arguments = second_arguments(lse.size(), 1);
  kernel.arguments.push_back({.of = Argument::Of::write, .index = 1});
  return kernel;
}

}  // namespace

PreparedTask prepare_merge(const PartialType& partial, int32_t parts, std::optional<DType> finished,
                           std::span<const Block> reads, std::span<const Block> writes) {
  ensure(parts > 0 && reads.size() == static_cast<size_t>(parts) * partial.components.size(),
         "a merge of other parts than it has");
  if (partial.merge != Merge::weighted_mean) {
    return prepare_expression(merge_expression(partial, parts, finished), reads, writes);
  }
  PreparedTask task;
  if (elements(writes[0].shape) > 0) {
    task.nodes.push_back(value_kernel(partial, parts, finished, reads, writes[0]));
  }
  if (!finished && elements(writes[1].shape) > 0) {
    task.nodes.push_back(lse_kernel(partial, parts, reads, writes[1]));
  }
  return task;
}

}  // namespace einsummable::cuda
