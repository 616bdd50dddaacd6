// SPDX-License-Identifier: Apache-2.0
// Blocks copied within a device, strided at both ends: slices, concatenations, layout operators.

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

GeneratedKernel copy_kernel(const Block& read, const Block& write, int32_t operand) {
  ensure(read.dtype == write.dtype && read.shape == write.shape, "a copy changes nothing");
  const Axes axes = collapse(read.shape, {read.strides, write.strides});
  const Block blocks[] = {read, write};
  // A group of one element that is read again and again is none.
  const bool repeats = !axes.extents.empty() && axes.strides[0].back() == 0;
  const int64_t group = repeats ? 1 : group_of(axes, blocks);
  const Axes groups = in_groups(axes, group);
  const std::string names[] = {"a", "c"};
  const std::string of = element_type(read.dtype) + ", " + std::to_string(group);
  GeneratedKernel kernel = loop_kernel(
      {&read, 1}, {&write, 1}, groups.elements(),
      offsets(groups, "i", names) +
          (group == 1 ? "ES_SET(out0, c, ES_GET(in0, a));\n"
                      : "ES_SET_GROUP(" + of + ", out0, c, ES_GET_GROUP(" + of + ", in0, a));\n"));
  kernel.arguments = {{.of = Argument::Of::read, .index = operand},
                      {.of = Argument::Of::write, .index = operand}};
  return kernel;
}

}  // namespace

PreparedTask prepare_copies(std::span<const Block> reads, std::span<const Block> writes) {
  ensure(reads.size() == writes.size(), "every block that is read is written somewhere");
  PreparedTask task;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (elements(reads[i].shape) == 0) continue;
    task.nodes.push_back(copy_kernel(reads[i], writes[i], static_cast<int32_t>(i)));
  }
  return task;
}

}  // namespace einsummable::cuda
