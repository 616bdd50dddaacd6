// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "einsummable/tensor/array64.h"
#include "einsummable/tensor/tensor_type.h"

namespace einsummable {

// How two partial results of one block become one: the associative and commutative operation that
// Definition 3.7 calls the aggregation.
enum class Merge : uint8_t {
  sum,
  prod,
  max,            // NaN wins
  min,            // NaN wins
  log_sum_exp,    // of one component: log(exp a + exp b); -inf is the identity
  weighted_mean,  // of (value, lse): values weighted by exp(lse); the lse merges by log_sum_exp
  first_max,      // of (index, value): the larger value, NaN the largest; of equals the lower index
};

std::string_view name(Merge merge);

// One array of a partial result: its dtype, and which axes of the output it has (`lse` beside an
// attention output lacks the last one).
struct Component {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int32_t> axes;

  bool operator==(const Component&) const = default;
};

// What travels between the join and the end of the aggregation of one output. A block that one cell
// completes alone is never partial: its kernel writes the finalised block.
struct PartialType {
  Merge merge = Merge::sum;
  std::vector<Component> components;
  double scale = 1;  // finalising multiplies by it (a mean's 1/n), keeps component 0, and rounds to
                     // the output's dtype

  bool operator==(const PartialType&) const = default;
};

// The partial type of one component with all axes of the output. Its dtype is
// accumulation(output.dtype), but the output's own for max and min, which round nothing.
PartialType partial_of(const TensorType& output, Merge merge, double scale = 1);

// The same with float sums in another float dtype, if there is one: the sum itself, the value of a
// log-sum-exp or of a weighted mean. The lse beside a value is never narrowed, as what it is off by
// is exponentiated. Integers and merges that do not add stay as they are.
PartialType with_sums_in(PartialType partial, std::optional<DType> dtype);

// The part of an output's box that a component has.
Box component_box(const Component& component, const Box& output);

// Bytes of a partial block, all components together; checked.
int64_t partial_bytes(const PartialType& partial, const Box& output);

// The identity of the merge, one array a component, for the block `output`. T: double, or int64_t
// if all components are ints or bools.
template <class T = double>
std::vector<Array<T>> identity(const PartialType& partial, const Box& output);

// Whether the value x at `index` beats y at `other` under first_max.
bool comes_first(double index, double x, double other, double y);

// Two values merged, for a merge of one component. Integers wrap.
double merge_values(Merge merge, double a, double b);
int64_t merge_values(Merge merge, int64_t a, int64_t b);

// Merges `part` into `into`: float64 reference of the aggregation. Both hold one array a component.
void merge(const PartialType& partial, std::vector<Array64>& into,
           const std::vector<Array64>& part);

// The finished block: component 0, scaled.
Array64 finalise(const PartialType& partial, const std::vector<Array64>& complete);
IntegerArray finalise(const PartialType& partial, const std::vector<IntegerArray>& complete);

// log(exp(a) + exp(b)) without overflow; -inf and -inf give -inf.
double log_add_exp(double a, double b);

}  // namespace einsummable
