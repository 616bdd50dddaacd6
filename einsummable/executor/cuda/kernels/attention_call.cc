// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/attention_call.h"

#include <cmath>
#include <numeric>

#include "einsummable/base/checked.h"
#include "einsummable/executor/cuda/kernels/attention_pieces.h"
#include "einsummable/executor/cuda/kernels/expression_kernel.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

// cuDNN's own bounds on the width of a head, and what addresses and strides are multiples of.
constexpr int64_t kWidthUnit = 8, kMostWidth = 128, kUnitBytes = 16;
// More calls than this, one after another, are worse than one generated kernel.
constexpr size_t kMostCalls = 32;

std::vector<int64_t> mask_strides(const KernelCall& call, const AttentionExtents& x) {
  Shape scores = call.inputs[0].shape;
  scores.back() = x.keys;
  return broadcast_strides(call.inputs[3].shape, call.inputs[3].strides, scores);
}

// A block and where it begins.
struct Place {
  Block block;
  Argument begin;
};

// With all axes but the last `inner` as one; nothing if no stride is theirs.
std::optional<Block> with_one_batch(const Block& block, size_t inner) {
  const auto batch_rank = static_cast<int64_t>(block.shape.size() - inner);
  const Shape batch(block.shape.begin(), block.shape.begin() + batch_rank);
  const Axes axes = collapse(batch, {{block.strides.begin(), block.strides.begin() + batch_rank}});
  if (axes.extents.size() > 1) return std::nullopt;
  Block out = block;
  out.shape.assign(1, elements(batch));
  out.strides.assign(1, axes.extents.empty() ? 0 : axes.strides[0][0]);
  out.shape.insert(out.shape.end(), block.shape.begin() + batch_rank, block.shape.end());
  out.strides.insert(out.strides.end(), block.strides.begin() + batch_rank, block.strides.end());
  return out;
}

// Rows of a block [batch, heads, rows, ...], which follow one another in sequences of a piece.
Place rows_of(const Place& all, const AttentionPiece& piece, int64_t first, int64_t count) {
  Place out = all;
  const int64_t row = all.block.strides[2];
  out.block.shape[2] = count;
  if (piece.sequences > 1) {
    out.block.shape[0] = piece.sequences;
    out.block.strides[0] = checked_multiply(piece.apart, row);
  }
  const int64_t bytes = checked_multiply(checked_multiply(first, row), size_of(all.block.dtype));
  out.begin.bytes = checked_add(out.begin.bytes, bytes);
  out.block.alignment = std::gcd(all.block.alignment, bytes);
  return out;
}

// The strides of batch, head and row, if the library can read every row by units. An axis of one
// element gets the stride that it had in a dense block.
std::optional<std::array<int64_t, 3>> library_strides(const Block& block) {
  const bool unit_rows = block.strides[3] == 1 || block.shape[3] == 1;
  if (!unit_rows || block.alignment % kUnitBytes != 0) return std::nullopt;
  std::array<int64_t, 3> out = {};
  int64_t dense = block.shape[3];
  for (size_t i = out.size(); i-- > 0;) {
    out[i] = block.shape[i] == 1 ? dense : block.strides[i];
    if (out[i] <= 0 || out[i] * size_of(block.dtype) % kUnitBytes != 0) return std::nullopt;
    dense = checked_multiply(out[i], block.shape[i]);
  }
  return out;
}

Place dense_place(DType dtype, const Shape& shape, int64_t at) {
  return {{dtype, shape, row_major_strides(shape), kWorkspaceUnit},
          {.of = Argument::Of::workspace, .bytes = at}};
}

// A copy that casts.
GeneratedKernel copied(const Place& from, const Place& to) {
  Expression expression;
  expression.output(expression.cast(expression.input(from.block.dtype), to.block.dtype));
  PreparedTask task = prepare_expression(expression, {&from.block, 1}, {&to.block, 1});
  auto kernel = std::get<GeneratedKernel>(std::move(task.nodes.at(0)));
  kernel.arguments = {from.begin, to.begin};
  return kernel;
}

bool is_served(const KernelCall& call, const AttentionExtents& x) {
  // A mask may have rank 0, thus no rows.
  if (call.inputs.size() != 3) return false;
  const DType dtype = call.inputs[0].dtype;
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  const bool alike =
      std::ranges::all_of(call.inputs, [&](const Block& block) { return block.dtype == dtype; });
  const bool widths = x.width % kWidthUnit == 0 && x.value_width % kWidthUnit == 0 && 0 < x.width &&
                      x.width <= kMostWidth && 0 < x.value_width && x.value_width <= kMostWidth;
  return half && alike && widths && x.queries > 0 && x.keys > 0 && x.heads_of_all() > 0;
}

// The pieces of a block as calls of the library, each with copies of what it cannot write in place.
class LibraryCalls {
 public:
  LibraryCalls(const AttentionExtents& extents, const KernelOptions& options)
      : x_(extents), options_(options) {
    task_.workspace = options.product_workspace;
  }

  // Nothing where the library cannot address a block.
  std::optional<PreparedTask> prepare(const KernelCall& call) {
    const auto pieces = pieces_of(x_.visible, {x_.first_query, x_.first_query + x_.queries},
                                  {x_.first_key, x_.first_key + x_.keys});
    if (!pieces || pieces->size() > kMostCalls || !find_places(call)) return std::nullopt;
    for (const AttentionPiece& piece : *pieces) {
      if (!add(piece)) return std::nullopt;
    }
    return std::move(task_);
  }

 private:
  bool find_places(const KernelCall& call) {
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const auto block = with_one_batch(call.inputs[i], 3);
      if (!block) return false;
      inputs_.push_back({*block, {.of = Argument::Of::read, .index = static_cast<int32_t>(i)}});
    }
    for (size_t o = 0; o < call.outputs.size(); ++o) {
      const auto block = with_one_batch(call.outputs[o], o == 0 ? 3 : 2);
      if (!block) return false;
      outputs_.push_back({*block, {.of = Argument::Of::write, .index = static_cast<int32_t>(o)}});
    }
    return true;
  }

  bool add(const AttentionPiece& piece) {
    // Sequences become a batch, so there is no other.
    if (piece.sequences > 1 && inputs_[0].block.shape[0] > 1) return false;
    const Place q = rows_of(inputs_[0], piece, piece.first_query, piece.queries);
    const Place k = rows_of(inputs_[1], piece, piece.first_key, piece.keys);
    const Place v = rows_of(inputs_[2], piece, piece.first_key, piece.keys);
    const Place y = rows_of(outputs_[0], piece, piece.first_query, piece.queries);
    const DType dtype = q.block.dtype;
    const bool direct = y.block.dtype == dtype && library_strides(y.block);
    const Place out = direct ? y : dense_place(dtype, y.block.shape, options_.product_workspace);
    AttentionCall call = call_of(piece, q, k, v, out);
    const auto set = [](const Place& place, int64_t(&strides)[3]) {
      const auto found = library_strides(place.block);
      if (found) std::ranges::copy(*found, strides);
      return found.has_value();
    };
    Attention& attention = call.attention;
    if (!set(q, attention.q_strides) || !set(k, attention.k_strides) ||
        !set(v, attention.v_strides) || !set(out, attention.out_strides)) {
      return false;
    }
    Shape rows = y.block.shape;
    rows.pop_back();
    const Place lse =
        dense_place(DType::f32, rows, direct ? options_.product_workspace : end_of(out));
    if (outputs_.size() > 1) call.lse = lse.begin;
    task_.nodes.emplace_back(call);
    if (!direct) add_copy(out, y);
    for (size_t o = 1; o < outputs_.size(); ++o) {
      add_copy(lse, rows_of(outputs_[o], piece, piece.first_query, piece.queries));
    }
    return true;
  }

  AttentionCall call_of(const AttentionPiece& piece, const Place& q, const Place& k, const Place& v,
                        const Place& out) const {
    AttentionCall call;
    Attention& attention = call.attention;
    attention.element = static_cast<Element>(q.block.dtype);
    attention.batch = q.block.shape[0];
    attention.heads = x_.heads;
    attention.kv_heads = x_.kv_heads;
    attention.queries = piece.queries;
    attention.keys = piece.keys;
    attention.width = x_.width;
    attention.value_width = x_.value_width;
    attention.scale = x_.scale;
    attention.causal = piece.causal;
    attention.workspace_bytes = static_cast<uint64_t>(options_.product_workspace);
    call.q = q.begin;
    call.k = k.begin;
    call.v = v.begin;
    call.out = out.begin;
    call.workspace = {.of = Argument::Of::workspace};
    return call;
  }

  // Copies a place in the workspace, which the task asks for.
  void add_copy(const Place& from, const Place& to) {
    task_.nodes.emplace_back(copied(from, to));
    task_.workspace = std::max(task_.workspace, end_of(from));
  }
  static int64_t end_of(const Place& place) {
    const int64_t bytes = checked_multiply(elements(place.block.shape), size_of(place.block.dtype));
    return checked_add(place.begin.bytes, round_up(bytes, kWorkspaceUnit));
  }

  const AttentionExtents& x_;
  const KernelOptions& options_;
  std::vector<Place> inputs_, outputs_;  // [batch, heads, rows, ...]
  PreparedTask task_;
};

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
  return LibraryCalls(x, options).prepare(call);
}

}  // namespace einsummable::cuda
