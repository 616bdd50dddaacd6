// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "einsummable/ops/registry.h"

namespace einsummable {
namespace {

class GraphMaker {
 public:
  GraphMaker(Random& random, DType dtype) : random_(random), dtype_(dtype) {}

  Graph make(int64_t ops) {
    const auto inputs = 1 + below(3);
    for (int64_t i = 0; i < inputs; ++i) {
      pool_.push_back(graph_.input(dtype_, random_dims(1 + below(3))));
    }
    for (int64_t i = 0; i < ops; ++i) add_one();
    for (TensorId id : pool_) {
      if (id == pool_.back() || below(5) == 0) graph_.save(id);
    }
    return std::move(graph_);
  }

 private:
  int64_t below(int64_t n) { return random_below(random_, n); }
  Shape random_dims(int64_t rank) {
    static constexpr std::array<int64_t, 12> extents = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16};
    Shape shape(static_cast<size_t>(rank));
    for (int64_t& extent : shape) extent = extents[static_cast<size_t>(below(extents.size()))];
    return shape;
  }
  TensorId pick() {
    const auto n = static_cast<int64_t>(pool_.size());
    const auto recent = std::min<int64_t>(n, 3);
    return pool_[static_cast<size_t>(below(2) ? n - 1 - below(recent) : below(n))];
  }
  Shape shape(TensorId id) { return graph_.type(id).shape(); }
  void add(std::vector<TensorId> made) {
    for (TensorId id : made) {
      if (graph_.type(id).dtype == dtype_ && graph_.type(id).elements() <= 4096) {
        pool_.push_back(id);
      }
    }
  }
  void add(std::string_view op, std::vector<TensorId> inputs, Attributes attributes = {}) {
    if (!find_operator(op)) return;
    add(graph_.apply(op, inputs, attributes));
  }

  void add_one() {
    const TensorId x = pick();
    const Shape dims = shape(x);
    const auto rank = static_cast<int64_t>(dims.size());
    switch (below(14)) {
      case 0:
        return add(
            std::array{"neg", "abs", "relu", "tanh", "sigmoid"}[static_cast<size_t>(below(5))],
            {x});
      case 1:
        return add_binary(x, dims);
      case 2:
      case 3:
        return add_product(x, dims);
      case 4:
        return add_reduction(x, rank);
      case 5:
        return add_reshape(x, dims);
      case 6:
        return add_transpose(x, rank);
      case 7:
        return add_slice(x, dims);
      case 8:
        return rank == 0 ? void() : add("concat", {x, x, x}, {{"axis", below(rank)}});
      case 9:
        return add_pad(x, dims);
      case 10:
        return rank == 0 ? void() : add("softmax", {x}, {{"axis", below(rank)}});
      case 11:
        return add_norm(x, dims);
      case 12:
        return rank == 3 ? add("attention", {x, x, x}, {{"causal", below(2) == 1}}) : void();
      default:
        return add_broadcast(x, dims);
    }
  }

  void add_binary(TensorId x, const Shape& dims) {
    TensorId y = pick();
    const Shape other = shape(y);
    for (size_t i = 0; i < std::min(dims.size(), other.size()); ++i) {
      const int64_t a = dims[dims.size() - 1 - i], b = other[other.size() - 1 - i];
      if (a != b && a != 1 && b != 1) y = x;
    }
    add(std::array{"add", "multiply", "maximum", "subtract"}[static_cast<size_t>(below(4))],
        {x, y});
  }

  void add_product(TensorId x, const Shape& dims) {
    if (dims.size() < 2) return;
    const int64_t n = random_dims(1)[0];
    add("matmul", {x, graph_.parameter(dtype_, {dims.back(), n})});
  }

  void add_reduction(TensorId x, int64_t rank) {
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (below(2)) axes.push_back(axis);
    }
    add(std::array{"sum", "mean", "max", "logsumexp"}[static_cast<size_t>(below(4))], {x},
        {{"axis", axes}, {"keepdims", below(2) == 1}});
  }

  void add_reshape(TensorId x, const Shape& dims) {
    Shape to;
    if (dims.size() > 1 && below(2)) {
      to = {dims[0] * dims[1]};
      to.insert(to.end(), dims.begin() + 2, dims.end());
    } else if (!dims.empty()) {
      for (int64_t extent : dims) {
        for (int64_t factor : {2, 3}) {
          if (extent % factor == 0 && extent > factor) {
            to.push_back(factor);
            extent /= factor;
          }
        }
        to.push_back(extent);
      }
    }
    add("reshape", {x}, {{"shape", to}});
  }

  void add_transpose(TensorId x, int64_t rank) {
    std::vector<int64_t> axes(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::shuffle(axes, random_);
    add("transpose", {x}, {{"axes", axes}});
  }

  void add_slice(TensorId x, const Shape& dims) {
    std::vector<int64_t> starts, stops, steps;
    for (int64_t extent : dims) {
      starts.push_back(below(extent));
      stops.push_back(starts.back() + 1 + below(extent - starts.back()));
      steps.push_back(1 + below(2));
    }
    add("slice", {x}, {{"starts", starts}, {"stops", stops}, {"steps", steps}});
  }

  void add_pad(TensorId x, const Shape& dims) {
    std::vector<int64_t> before, after;
    for (size_t i = 0; i < dims.size(); ++i) {
      before.push_back(below(3));
      after.push_back(below(3));
    }
    add("pad", {x}, {{"before", before}, {"after", after}});
  }

  void add_norm(TensorId x, const Shape& dims) {
    if (dims.empty()) return;
    add("rms_norm", {x, graph_.parameter(dtype_, {dims.back()})}, {{"eps", 1e-3}});
  }

  void add_broadcast(TensorId x, Shape dims) {
    for (int64_t& extent : dims) {
      if (extent == 1) extent = 1 + below(5);
    }
    dims.insert(dims.begin(), 1 + below(3));
    add("broadcast_to", {x}, {{"shape", dims}});
  }

  Random& random_;
  DType dtype_;
  Graph graph_;
  std::vector<TensorId> pool_;
};

}  // namespace

Graph random_graph(Random& random, int64_t ops, DType dtype) {
  return GraphMaker(random, dtype).make(ops);
}

std::map<TensorId, Array64> random_values(Random& random, const Graph& graph) {
  std::map<TensorId, Array64> values;
  for (size_t t = 0; t < graph.tensors().size(); ++t) {
    const GraphTensor& tensor = graph.tensors()[t];
    if (tensor.kind == GraphTensor::Kind::result) continue;
    Array64 array(tensor.type.bounds);
    for (double& value : array.values()) {
      value = static_cast<double>(random_below(random, 2001) - 1000) / 1000;
    }
    values.emplace(TensorId(static_cast<int64_t>(t)), rounded(std::move(array), tensor.type.dtype));
  }
  return values;
}

}  // namespace einsummable
