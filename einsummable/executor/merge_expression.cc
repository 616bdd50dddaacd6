// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/merge_expression.h"

#include <limits>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Value = Expression::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FunctionId function_of(Merge merge) {
  switch (merge) {
    case Merge::sum:
      return FunctionId::add;
    case Merge::prod:
      return FunctionId::multiply;
    case Merge::max:
      return FunctionId::maximum;
    case Merge::min:
      return FunctionId::minimum;
    case Merge::log_sum_exp:
      return FunctionId::logaddexp;
    default:
      throw InternalError("a merge of several components");
  }
}

// The inputs of one component, part after part, in the dtype they are merged in.
std::vector<Value> parts_of(Expression& e, const Component& component, int32_t parts) {
  std::vector<Value> values;
  for (int32_t part = 0; part < parts; ++part) {
    values.push_back(e.cast(e.input(component.dtype), accumulation(component.dtype)));
  }
  return values;
}

Value fold(Expression& e, FunctionId function, const std::vector<Value>& values) {
  Value merged = values[0];
  for (size_t i = 1; i < values.size(); ++i) merged = e.apply(function, {merged, values[i]});
  return merged;
}

// The finished block from what component 0 has been merged to, or that component again.
void output_value(Expression& e, const PartialType& partial, std::optional<DType> finished,
                  Value merged) {
  if (!finished) return e.output(e.cast(merged, partial.components[0].dtype));
  if (partial.scale != 1) {
    if (!is_float(e.dtype(merged))) merged = e.cast(merged, DType::f64);
    const Value scale = e.constant(e.dtype(merged), partial.scale);
    merged = e.apply(FunctionId::multiply, {merged, scale});
  }
  e.output(e.cast(merged, *finished));
}

Expression single(const PartialType& partial, int32_t parts, std::optional<DType> finished) {
  Expression e;
  const std::vector<Value> values = parts_of(e, partial.components[0], parts);
  output_value(e, partial, finished, fold(e, function_of(partial.merge), values));
  return e;
}

// The larger value and its index, NaN the largest; of equals the lower index.
Expression first_max(const PartialType& partial, int32_t parts, std::optional<DType> finished) {
  Expression e;
  const DType index_dtype = partial.components[0].dtype, dtype = partial.components[1].dtype;
  Value index = e.input(index_dtype), value = e.input(dtype);
  for (int32_t part = 1; part < parts; ++part) {
    const Value other_index = e.input(index_dtype), other = e.input(dtype);
    const auto both = [&](Value x, Value y) { return e.apply(FunctionId::logical_and, {x, y}); };
    const auto either = [&](Value x, Value y) { return e.apply(FunctionId::logical_or, {x, y}); };
    const Value nan = e.apply(FunctionId::isnan, {value});
    const Value other_nan = e.apply(FunctionId::isnan, {other});
    const Value only_other_nan = e.apply(FunctionId::greater, {other_nan, nan});
    const Value larger = e.apply(FunctionId::greater, {other, value});
    const Value tie = either(e.apply(FunctionId::equal, {other, value}), both(other_nan, nan));
    const Value lower = e.apply(FunctionId::less, {other_index, index});
    const Value wins = either(either(only_other_nan, larger), both(tie, lower));
    index = e.apply(FunctionId::where, {e.cast(wins, index_dtype), other_index, index});
    value = e.apply(FunctionId::where, {e.cast(wins, dtype), other, value});
  }
  output_value(e, partial, finished, index);
  if (!finished) e.output(value);
  return e;
}

}  // namespace

Expression merge_expression(const PartialType& partial, int32_t parts,
                            std::optional<DType> finished) {
  return partial.merge == Merge::first_max ? first_max(partial, parts, finished)
                                           : single(partial, parts, finished);
}

Expression weights_expression(const PartialType& partial, int32_t parts,
                              std::optional<DType> finished) {
  Expression e;
  const Component& component = partial.components[1];
  const std::vector<Value> lse = parts_of(e, component, parts);
  const DType dtype = e.dtype(lse[0]);
  const Value most = fold(e, FunctionId::maximum, lse), zero = e.constant(dtype, 0);
  const Value nothing = e.constant(dtype, -kInfinity);
  std::vector<Value> exponentials;
  for (Value x : lse) {
    const Value weighs = e.cast(e.apply(FunctionId::not_equal, {x, nothing}), dtype);
    const Value relative = e.apply(FunctionId::exp, {e.apply(FunctionId::subtract, {x, most})});
    exponentials.push_back(e.apply(FunctionId::where, {weighs, relative, zero}));
  }
  const Value sum = fold(e, FunctionId::add, exponentials);
  for (Value x : exponentials) {
    const Value share = e.apply(FunctionId::divide, {x, sum});
    e.output(e.apply(FunctionId::where, {x, share, zero}));
  }
  if (!finished) e.output(e.cast(fold(e, FunctionId::logaddexp, lse), component.dtype));
  return e;
}

Expression weighted_expression(const PartialType& partial, int32_t parts,
                               std::optional<DType> finished) {
  Expression e;
  const std::vector<Value> values = parts_of(e, partial.components[0], parts);
  const DType dtype = e.dtype(values[0]);
  const Value zero = e.constant(dtype, 0);
  std::vector<Value> terms;
  for (Value value : values) {
    const Value weight = e.cast(e.input(accumulation(partial.components[1].dtype)), dtype);
    const Value product = e.apply(FunctionId::multiply, {weight, value});
    terms.push_back(e.apply(FunctionId::where, {weight, product, zero}));
  }
  output_value(e, partial, finished, fold(e, FunctionId::add, terms));
  return e;
}

}  // namespace einsummable
