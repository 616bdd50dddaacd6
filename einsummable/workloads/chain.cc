// SPDX-License-Identifier: Apache-2.0
#include "einsummable/workloads/chain.h"

#include <array>

#include "einsummable/base/text.h"

namespace einsummable::workloads {
namespace {

struct Chain {
  std::string_view name;
  std::vector<int64_t> extents;  // matrix i is [extents[i], extents[i + 1]]
  std::string_view product;      // x stands for the next matrix
};

std::vector<int64_t> thin(int64_t end, int64_t neck, size_t inner) {
  std::vector<int64_t> extents(inner + 4, 20480);
  extents.front() = extents.back() = end;
  extents[1] = extents[inner + 2] = neck;
  return extents;
}

const std::array<Chain, 5>& chains() {
  static const std::array<Chain, 5> all = {{
      {"A",
       {10240, 16384, 6144, 16384, 6144, 16384, 6144, 16384, 6144, 10240},
       "((xx)((xx)((xx)(xx))))x"},
      {"B", {9216, 20480, 5120, 20480, 5120, 9216}, "(xx)((xx)x)"},
      {"C", {10240, 12288, 32768, 2048}, "x(xx)"},
      {"D", thin(24576, 1536, 6), "(x(x(x(x(x(x(xx)))))))x"},
      {"E", thin(49152, 1024, 10), "(x(x(x(x(x(x(x(x(x(x(xx)))))))))))x"},
  }};
  return all;
}

// Reads a product from the front of `text`: factors, each x or a product in parentheses, multiplied
// from the left.
class Multiplier {
 public:
  Multiplier(Graph& graph, const Chain& chain, int64_t scale, DType dtype)
      : graph_(graph), chain_(chain), scale_(scale), dtype_(dtype), text_(chain.product) {}

  TensorId product() {
    TensorId left = factor();
    while (!text_.empty() && text_.front() != ')') {
      left = graph_.apply("matmul", {left, factor()})[0];
    }
    return left;
  }

 private:
  TensorId factor() {
    const bool nested = text_.front() == '(';
    text_.remove_prefix(1);
    if (!nested) return matrix();
    const TensorId inner = product();
    text_.remove_prefix(1);
    return inner;
  }

  TensorId matrix() {
    const size_t i = next_++;
    const auto extent = [&](size_t k) { return std::max<int64_t>(1, chain_.extents[k] / scale_); };
    return graph_.input(dtype_, {extent(i), extent(i + 1)}, "M" + std::to_string(next_));
  }

  Graph& graph_;
  const Chain& chain_;
  int64_t scale_;
  DType dtype_;
  std::string_view text_;
  size_t next_ = 0;
};

}  // namespace

Graph chain(std::string_view name, int64_t scale, DType dtype) {
  const auto found = std::ranges::find(chains(), name, &Chain::name);
  require(found != chains().end(), "there is no chain " + quote(name) + "; there are A to E");
  require(scale >= 1, "the scale of a chain is at least 1, not " + std::to_string(scale));
  Graph g;
  g.save(Multiplier(g, *found, scale, dtype).product(), "y");
  return g;
}

}  // namespace einsummable::workloads
