// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/attention_call.h"

#include <cmath>

#include "einsummable/base/checked.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

// cuDNN's own bounds on the width of a head, and what addresses and strides are multiples of.
constexpr int64_t kWidthUnit = 8, kMostWidth = 128, kUnitBytes = 16;

std::vector<int64_t> mask_strides(const KernelCall& call, const AttentionExtents& x) {
  Shape scores = call.inputs[0].shape;
  scores.back() = x.keys;
  return broadcast_strides(call.inputs[3].shape, call.inputs[3].strides, scores);
}

bool has_unit_rows(const Block& block) {
  return block.strides.back() == 1 || block.shape.back() == 1;
}

// The strides of batch, head and row, if the batch has one and every row can be read by units. An
// axis of one element gets the stride that it had in a dense block.
std::optional<std::array<int64_t, 3>> library_strides(const Block& block) {
  if (block.alignment % kUnitBytes != 0) return std::nullopt;
  const size_t rank = block.shape.size();
  Shape batch(block.shape.begin(), block.shape.end() - 3);
  std::vector<int64_t> strides(block.strides.begin(), block.strides.end() - 3);
  const Axes axes = collapse(batch, {strides});
  if (axes.extents.size() > 1) return std::nullopt;
  std::array<int64_t, 3> out = {axes.extents.empty() ? 0 : axes.strides[0][0],
                                block.strides[rank - 3], block.strides[rank - 2]};
  const int64_t extents[] = {elements(batch), block.shape[rank - 3], block.shape[rank - 2]};
  int64_t dense = block.shape[rank - 1];
  for (size_t i = out.size(); i-- > 0;) {
    if (extents[i] == 1) out[i] = dense;
    if (out[i] <= 0 || out[i] * size_of(block.dtype) % kUnitBytes != 0) return std::nullopt;
    dense = checked_multiply(out[i], extents[i]);
  }
  return out;
}

bool is_served(const KernelCall& call, const AttentionExtents& x) {
  // A mask may have rank 0, thus no rows.
  if (call.inputs.size() != 3) return false;
  const DType dtype = call.inputs[0].dtype;
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  const bool alike = std::ranges::all_of(call.inputs, [&](const Block& block) {
    return block.dtype == dtype && has_unit_rows(block);
  });
  const bool widths = x.width % kWidthUnit == 0 && x.value_width % kWidthUnit == 0 && 0 < x.width &&
                      x.width <= kMostWidth && 0 < x.value_width && x.value_width <= kMostWidth;
  // Its causal mask is of a whole sequence, whose every query sees a key.
  const bool whole = x.first_query == 0 && x.first_key == 0 && x.queries == x.visible.rows &&
                     x.keys == x.visible.keys && x.queries <= x.keys;
  return half && alike && widths && call.outputs.size() == 1 && call.complete[0] &&
         call.outputs[0].dtype == dtype && has_unit_rows(call.outputs[0]) &&
         x.visible.ends.empty() && (!x.visible.causal || whole) && x.queries > 0 && x.keys > 0 &&
         x.heads_of_all() > 0;
}

}  // namespace

AttentionExtents::AttentionExtents(const KernelCall& call) {
  const Shape &q = call.inputs[0].shape, &k = call.inputs[1].shape, &v = call.inputs[2].shape;
  const size_t rank = q.size();
  heads = q[rank - 3];
  kv_heads = k[rank - 3];
  queries = q[rank - 2];
  keys = k[rank - 2];
  width = q[rank - 1];
  value_width = v[rank - 1];
  batch.assign(q.begin(), q.end() - 3);
  const Attributes& attributes = call.op.attributes();
  const TensorType &whole_q = call.op.inputs()[0], &whole_k = call.op.inputs()[1];
  visible.causal = attributes.boolean("causal");
  visible.rows = whole_q.extent(-2);
  visible.keys = whole_k.extent(-2);
  if (attributes.has("ends")) visible.ends = attributes.integers("ends");
  first_query = call.cell.inputs[0][rank - 2].lo;
  first_key = call.cell.inputs[1][rank - 2].lo;
  const auto whole_width = static_cast<double>(std::max<int64_t>(whole_q.extent(-1), 1));
  scale = attributes.has("scale") ? attributes.real("scale") : 1 / std::sqrt(whole_width);
}

std::string AttentionExtents::stride(const KernelCall& call, size_t input, size_t from_end) const {
  const std::vector<int64_t>& strides = call.inputs[input].strides;
  return std::to_string(strides[strides.size() - from_end]);
}

std::string AttentionExtents::mask_stride(const KernelCall& call, size_t from_end) const {
  const std::vector<int64_t> strides = mask_strides(call, *this);
  return std::to_string(strides[strides.size() - from_end]);
}

Axes AttentionExtents::head_axes(const KernelCall& call) const {
  // Query heads are two axes: a KV head, and those that share it.
  const int64_t group = kv_heads == 0 ? 1 : heads / kv_heads;
  Shape shape = batch;
  shape.push_back(kv_heads);
  shape.push_back(group);
  const auto over = [&](const std::vector<int64_t>& strides, bool query_heads) {
    std::vector<int64_t> out(strides.begin(), strides.begin() + static_cast<int64_t>(batch.size()));
    const int64_t head = strides[batch.size()];
    out.push_back(query_heads ? checked_multiply(head, group) : head);
    out.push_back(query_heads ? head : 0);
    return out;
  };
  const std::vector<int64_t> none(shape.size(), 0);
  const bool has_lse = call.outputs.size() > 1, has_mask = call.inputs.size() > 3;
  return collapse(shape, {over(call.inputs[0].strides, true), over(call.inputs[1].strides, false),
                          over(call.inputs[2].strides, false), over(call.outputs[0].strides, true),
                          has_lse ? over(call.outputs[1].strides, true) : none,
                          has_mask ? over(mask_strides(call, *this), true) : none});
}

std::optional<PreparedTask> prepare_library_attention(const KernelCall& call,
                                                      const AttentionExtents& x,
                                                      const KernelOptions& options) {
  if (!is_served(call, x)) return std::nullopt;
  const auto q = library_strides(call.inputs[0]), k = library_strides(call.inputs[1]);
  const auto v = library_strides(call.inputs[2]), out = library_strides(call.outputs[0]);
  if (!q || !k || !v || !out) return std::nullopt;
  AttentionCall one;
  Attention& attention = one.attention;
  attention.element = static_cast<Element>(call.inputs[0].dtype);
  attention.batch = elements(x.batch);
  attention.heads = x.heads;
  attention.kv_heads = x.kv_heads;
  attention.queries = x.queries;
  attention.keys = x.keys;
  attention.width = x.width;
  attention.value_width = x.value_width;
  std::ranges::copy(*q, attention.q_strides);
  std::ranges::copy(*k, attention.k_strides);
  std::ranges::copy(*v, attention.v_strides);
  std::ranges::copy(*out, attention.out_strides);
  attention.scale = x.scale;
  attention.causal = x.visible.causal;
  attention.workspace_bytes = static_cast<uint64_t>(options.product_workspace);
  one.q = {.of = Argument::Of::read, .index = 0};
  one.k = {.of = Argument::Of::read, .index = 1};
  one.v = {.of = Argument::Of::read, .index = 2};
  one.out = {.of = Argument::Of::write, .index = 0};
  one.workspace = {.of = Argument::Of::workspace};
  PreparedTask task;
  task.nodes.emplace_back(one);
  task.workspace = options.product_workspace;
  return task;
}

}  // namespace einsummable::cuda
