// SPDX-License-Identifier: Apache-2.0
#include "tests/logical/random_graph.h"

namespace einsummable {
namespace {

class RandomGraph {
 public:
  RandomGraph(std::mt19937_64& random, const RandomGraphOptions& options)
      : random_(random), options_(options) {}

  Graph build() {
    for (int tries = 0; static_cast<int>(g_.ops().size()) < options_.ops && tries < 100; ++tries) {
      add_op();
    }
    const auto readers = consumers(g_);
    for (const GraphOp& op : g_.ops()) {
      for (TensorId tensor : op.outputs) {
        if (readers[tensor.index()].empty() || below(6) == 0) g_.save(tensor);
      }
    }
    return std::move(g_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t extent() {
    static constexpr int64_t extents[] = {2, 3, 4, 6, 8, 12, 1};
    return extents[static_cast<size_t>(below(7))];
  }
  TensorId given(const Shape& shape) { return g_.input(DType::f32, shape); }

  // A matrix made before, if there is one and chance has it; else a new input.
  TensorId matrix() {
    std::vector<TensorId> made;
    const auto readers = consumers(g_);
    for (const GraphOp& op : g_.ops()) {
      for (TensorId tensor : op.outputs) {
        const bool free = !options_.tree || (readers[tensor.index()].empty() && !taken(tensor));
        if (g_.type(tensor).rank() == 2 && g_.type(tensor).dtype == DType::f32 && free) {
          made.push_back(tensor);
        }
      }
    }
    if (made.empty() || below(5) == 0) return given({extent(), extent()});
    taken_.push_back(made[static_cast<size_t>(below(static_cast<int64_t>(made.size())))]);
    return taken_.back();
  }
  bool taken(TensorId tensor) const { return std::ranges::find(taken_, tensor) != taken_.end(); }

  // A matrix of that shape made before, or a new input.
  TensorId like(const Shape& shape) {
    const TensorId one = matrix();
    if (g_.type(one).shape() == shape) return one;
    std::erase(taken_, one);
    return given(shape);
  }

  void add_op() {
    taken_.clear();
    const TensorId x = matrix();
    const Shape s = g_.type(x).shape();
    switch (below(options_.tree ? 6 : 8)) {
      case 0:
      case 1:
        g_.apply("matmul", {x, like({s[1], extent()})});
        break;
      case 2:
        g_.apply("add", {x, like(s)});
        break;
      case 3:
        g_.apply("rms_norm", {x, given({s[1]})}, {{"eps", 1e-5}});
        break;
      case 4:
        g_.apply("transpose", {x});
        break;
      case 5:
        add_layout(x, s);
        break;
      case 6:
        if (s[1] > 1) g_.apply("top_k", {x}, {{"k", s[1] / 2}});
        break;
      default:
        add_attention(x, s);
    }
  }

  void add_layout(TensorId x, const Shape& s) {
    if (below(3) == 0) {
      g_.apply("concat", {x, like(s)}, {{"axis", below(2)}});
    } else if (below(2) == 0 && s[0] > 1) {
      const int64_t start = below(s[0] - 1);
      g_.apply("slice", {x}, {{"starts", Shape{start, 0}}, {"stops", Shape{s[0], s[1]}}});
    } else {
      g_.apply("reshape", {x},
               {{"shape", s[0] % 2 == 0 ? Shape{s[0] / 2, s[1] * 2} : Shape{s[1], s[0]}}});
    }
  }

  // x holds 1 or 2 heads of queries in its columns; attention over its rows as one sequence or two.
  void add_attention(TensorId x, const Shape& s) {
    const int64_t heads = s[1] % 2 == 0 ? 2 : 1;
    const Attributes split = {{"shape", Shape{s[0], heads, s[1] / heads}}};
    const TensorId rows = g_.apply("reshape", {x}, split)[0];
    const TensorId q = g_.apply("transpose", {rows}, {{"axes", Shape{1, 0, 2}}})[0];
    const TensorId kv = given({1, s[0], s[1] / heads});
    Attributes attributes = {{"causal", below(2) == 0}};
    if (s[0] > 1 && below(2) == 0) attributes.set("ends", Shape{s[0] / 2, s[0]});
    g_.apply("attention", {q, kv, kv}, attributes);
  }

  std::mt19937_64& random_;
  RandomGraphOptions options_;
  Graph g_;
  std::vector<TensorId> taken_;  // by the operator being added
};

}  // namespace

Graph random_graph(std::mt19937_64& random, const RandomGraphOptions& options) {
  return RandomGraph(random, options).build();
}

}  // namespace einsummable
