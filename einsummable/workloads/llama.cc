// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/llama.h"

#include "einsummable/base/checked.h"

namespace einsummable::workloads {
namespace {

class Builder {
 public:
  explicit Builder(const LlamaOptions& options) : o_(options) {
    require(o_.layers >= 1 && o_.batch >= 1 && o_.seq >= 1,
            "layers, batch and seq must be at least 1");
    tokens_ = checked_multiply(o_.batch, o_.seq);
    constexpr int64_t most = 1 << 20;
    require(o_.batch <= most, "at most 1,048,576 sequences can be packed");
    for (int64_t i = 1; i <= o_.batch; ++i) ends_.push_back(i * o_.seq);
  }

  Graph build() {
    TensorId x = g_.input(o_.dtype, {tokens_, o_.d_model}, "x");
    if (o_.rope) positions_ = g_.input(DType::i32, {tokens_}, "positions");
    for (int64_t layer = 0; layer < o_.layers; ++layer) {
      o_.interruption.check();
      if (o_.layers > 1) prefix_ = "layers." + std::to_string(layer) + ".";
      x = feed_forward(attend(x));
    }
    g_.save(x, "y");
    return std::move(g_);
  }

 private:
  TensorId attend(TensorId x) {
    const TensorId n = norm(x, "norm1");
    TensorId q = heads(n, "q", o_.heads), k = heads(n, "k", o_.kv_heads);
    const TensorId v = heads(n, "v", o_.kv_heads);
    if (o_.rope) {
      q = apply("rope", {q, positions_}, {}, "rope_q");
      k = apply("rope", {k, positions_}, {}, "rope_k");
    }
    const TensorId a =
        apply("attention", {q, k, v}, {{"ends", ends_}, {"causal", true}}, "attention");
    return apply("add", {x, from_heads(a)}, {}, "add1");
  }

  TensorId feed_forward(TensorId x) {
    const TensorId n = norm(x, "norm2");
    const TensorId gate = project(n, "gate", o_.d_model, o_.d_ff);
    const TensorId up = project(n, "up", o_.d_model, o_.d_ff);
    const TensorId silu = apply("silu", {gate}, {}, "silu");
    const TensorId hidden = apply("multiply", {silu, up}, {}, "mul");
    return apply("add", {x, project(hidden, "down", o_.d_ff, o_.d_model)}, {}, "add2");
  }

  TensorId norm(TensorId x, const std::string& name) {
    return apply("rms_norm", {x, parameter({o_.d_model}, "w_" + name)}, {{"eps", 1e-5}}, name);
  }

  TensorId project(TensorId x, const std::string& name, int64_t from, int64_t to) {
    return apply("matmul", {x, parameter({from, to}, "w_" + name)}, {}, name);
  }

  // [tokens, d_model] to [count, tokens, head_dim].
  TensorId heads(TensorId x, const std::string& name, int64_t count) {
    if (o_.style == HeadStyle::indexed) {
      const TensorId w = parameter({o_.d_model, count, o_.head_dim}, "w_" + name);
      return apply("einsum", {x, w}, {{"spec", std::string("td,dhk->htk")}}, name);
    }
    const TensorId flat = project(x, name, o_.d_model, checked_multiply(count, o_.head_dim));
    const TensorId split =
        apply("reshape", {flat}, {{"shape", Shape{tokens_, count, o_.head_dim}}}, name + "_split");
    return apply("transpose", {split}, {{"axes", Shape{1, 0, 2}}}, name + "_heads");
  }

  // [heads, tokens, head_dim] to [tokens, d_model].
  TensorId from_heads(TensorId a) {
    if (o_.style == HeadStyle::indexed) {
      const TensorId w = parameter({o_.heads, o_.head_dim, o_.d_model}, "w_out");
      return apply("einsum", {a, w}, {{"spec", std::string("htk,hkd->td")}}, "out");
    }
    const int64_t columns = checked_multiply(o_.heads, o_.head_dim);
    const TensorId rows = apply("transpose", {a}, {{"axes", Shape{1, 0, 2}}}, "attention_rows");
    const TensorId flat =
        apply("reshape", {rows}, {{"shape", Shape{tokens_, columns}}}, "attention_flat");
    return project(flat, "out", columns, o_.d_model);
  }

  TensorId parameter(const Shape& shape, const std::string& name) {
    return g_.parameter(o_.dtype, shape, prefix_ + name);
  }

  TensorId apply(std::string_view op, std::initializer_list<TensorId> inputs,
                 const Attributes& attributes, const std::string& name) {
    return g_.apply(op, inputs, attributes, prefix_ + name)[0];
  }

  LlamaOptions o_;
  Graph g_;
  int64_t tokens_ = 0;
  std::vector<int64_t> ends_;
  TensorId positions_;
  std::string prefix_;
};

}  // namespace

Graph llama(const LlamaOptions& options) { return Builder(options).build(); }

}  // namespace einsummable::workloads
