// SPDX-License-Identifier: Apache-2.0
// The fast kernel of attention: one block, in tiles that stay in the cache.

#include <cmath>

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/attention.h"

namespace einsummable::cpu {
namespace {

struct AttentionRun {
  AttentionBlocks blocks;
  AttentionOptions options;
  std::vector<int64_t> ends;
};

// Which views of the call are the value and its lse: beside a partial value its own lse, and the
// output lse where it is asked for.
struct Outputs {
  StridedView value;
  std::vector<StridedView> lse;
};

Outputs outputs_of(const KernelCall& call) {
  return {call.outputs[0], {call.outputs.begin() + 1, call.outputs.end()}};
}

AttentionOptions options_of(const KernelCall& call) {
  const Attributes& attributes = call.op.attributes();
  const TensorType &q = call.op.inputs()[0], &k = call.op.inputs()[1];
  const size_t rank = call.cell.inputs[0].size();
  return {.scale = attributes.has("scale") ? attributes.real("scale")
                                           : 1 / std::sqrt(static_cast<double>(q.extent(-1))),
          .causal = attributes.boolean("causal") ? Causal::yes : Causal::no,
          .query_begin = call.cell.inputs[0][rank - 2].lo,
          .key_begin = call.cell.inputs[1][rank - 2].lo,
          .query_length = q.extent(-2),
          .key_length = k.extent(-2)};
}

std::optional<PreparedKernel> prepare(const KernelCall& call) {
  if (call.inputs[0].rank() < 3 || !is_float(call.inputs[0].dtype)) return std::nullopt;
  auto run = std::make_shared<AttentionRun>();
  const Outputs outputs = outputs_of(call);
  run->blocks = {.q = call.inputs[0],
                 .k = call.inputs[1],
                 .v = call.inputs[2],
                 .value = outputs.value,
                 .lse = {},
                 .mask = {}};
  if (!outputs.lse.empty()) run->blocks.lse.emplace(outputs.lse[0]);
  if (call.inputs.size() > 3) run->blocks.mask.emplace(call.inputs[3]);
  run->options = options_of(call);
  if (call.op.attributes().has("ends")) run->ends = call.op.attributes().integers("ends");
  run->options.ends = run->ends;
  const int64_t workspace = attention_workspace_bytes(run->blocks, run->options);
  std::vector<StridedView> copies(outputs.lse.begin() + (outputs.lse.empty() ? 0 : 1),
                                  outputs.lse.end());
  return PreparedKernel{
      .kind = PreparedKernel::Kind::fast,
      .workspace = workspace,
      .run = [run = std::move(run), copies = std::move(copies)](std::span<std::byte> scratch) {
        attention(run->blocks, run->options, scratch);
        for (const StridedView& copy : copies) copy_elements(*run->blocks.lse, copy);
      }};
}

}  // namespace

KernelEntry attention_kernel() { return {"attention", prepare}; }

}  // namespace einsummable::cpu
