// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "einsummable/tensor/interval.h"

namespace einsummable {

// NumPy's index notation applied to shapes: which label each axis has. A label is a letter, or one
// of the axes under "...", which are counted from the right, broadcast, and are called batch0,
// batch1, ...
//   "bij,jk->bik", [4, 2, 3], [3, 5]:  labels b 4, i 2, j 3, k 5;  inputs {0 1 2}, {2 3};  output
//   {0 1 3}
struct EinsumNotation {
  struct Label {
    std::string name;
    int64_t extent = 0;

    bool operator==(const Label&) const = default;
  };
  static constexpr int32_t kBroadcast = -1;  // an axis of extent 1 under "..." that is repeated

  std::vector<Label> labels;
  std::vector<std::vector<int32_t>> inputs;  // the label of each axis, or kBroadcast
  std::vector<int32_t> output;

  bool aggregates(int32_t label) const;  // whether the output lacks it
  bool operator==(const EinsumNotation&) const = default;
};

// Reads `notation` for inputs of `shapes` called `names`. Without "->" the output has the axes
// under
// "...", then the letters that occur once, sorted. Throws GraphError, naming letter and sizes, if
// the text is unreadable, does not fit the shapes, or gives one letter two extents.
EinsumNotation parse_einsum(std::string_view notation, std::span<const Shape> shapes,
                            std::span<const std::string> names);

}  // namespace einsummable
