// SPDX-License-Identifier: Apache-2.0
// Blocks copied within a device, strided at both ends: slices, concatenations, layout operators.

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

GeneratedKernel copy_kernel(const Block& read, const Block& write, int32_t operand) {
  ensure(read.dtype == write.dtype && read.shape == write.shape, "a copy changes nothing");
  const Axes axes = collapse(read.shape, {read.strides, write.strides});
  const std::string names[] = {"a", "c"};
  KernelSource source{.parameters = parameters({&read, 1}, {&write, 1}), .body = {}};
  source.body = "ES_LOOP(i, " + std::to_string(axes.elements()) + ") {\n" +
                offsets(axes, "i", names) + "ES_SET(out0, c, ES_GET(in0, a));\n}\n";
  const int64_t blocks = blocks_for(axes.elements(), source.threads);
  return {std::move(source),
          blocks,
          {{.of = Argument::Of::read, .index = operand},
           {.of = Argument::Of::write, .index = operand}}};
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
