// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "einsummable/spec/index.h"

namespace einsummable {

// One summand of an axis's position: `factor` elements for each unit of an index.
struct Term {
  int32_t index = 0;
  int64_t factor = 1;

  bool operator==(const Term&) const = default;
};

// Which positions of an axis a cell touches: for index positions x within the cell's intervals, all
// of
//   shift + sum of factor * x + [0, width),   as one interval, clamped to [0, extent).
// Without terms: the whole axis. `floor_at` and `ceiling_at` (rising positions) widen the interval
// to the nearest listed position at or below its start, at or above its end: a causal read starts
// at 0 or at the start of the sequence. `counting` (rising positions): the axis has one element a
// listed position, and the interval becomes the range of those that lie above its start and not
// above its end: segments in the place of their elements.
//   rows (h k), k of 128:  terms {h, 128}, {k, 1}        4 query heads a KV head:  term {h, 4},
//   width 4 a slice [a:b:3]:       term {i, 3}, shift a          a convolution of 5 taps:  width 5,
//   shift -2
struct AxisMap {
  std::vector<Term> terms = {};
  int64_t shift = 0;
  int64_t width = 1;
  int64_t extent = 0;
  std::vector<int64_t> floor_at = {};
  std::vector<int64_t> ceiling_at = {};
  std::optional<std::vector<int64_t>> counting = {};

  Interval operator()(std::span<const Interval> cell) const;
  bool operator==(const AxisMap&) const = default;
};

struct OperandMap {
  std::vector<AxisMap> axes;

  Box operator()(std::span<const Interval> cell) const;
  bool operator==(const OperandMap&) const = default;
};

// How the blocks of an operator's inputs and outputs follow from intervals of its indices. An index
// that is missing from an output is aggregated there.
struct Signature {
  std::string name = {};  // what sets it apart from an operator's others: "", "query"
  std::vector<Index> indices = {};
  std::vector<OperandMap> inputs = {}, outputs = {};
  bool layout = false;  // only moves elements: free in the proxy beyond repartition

  bool operator==(const Signature&) const = default;
};

// The signature of index notation: operands left and right of "->", separated by commas; an operand
// lists its axes from the outermost on.
//   t       an index             4h      an index, 4 elements a unit
//   d*      never cut            1       an axis of extent 1, no index
//   (h k)   two indices, k inner; k is cut only where h is in units
//   ...     as many indices as the shape has axes left over, the same wherever it stands
// Extents come from the shapes; an inner index needs a plain axis elsewhere. Shapes and notation
// must agree (an InternalError otherwise: types are inferred first).
//   parse_notation("4h s d*, h s d*, h s d* -> 4h s d*", inputs, outputs)
Signature parse_notation(std::string_view notation, std::span<const Shape> inputs,
                         std::span<const Shape> outputs);

// The position of the index called `name` in the signature; -1 if there is none.
int32_t find_index(const Signature& signature, std::string_view name);

// "4h s d*, h s d* -> 4h s d*": back to notation, with shifts and widths where there are any.
std::string text(const Signature& signature);

}  // namespace einsummable
