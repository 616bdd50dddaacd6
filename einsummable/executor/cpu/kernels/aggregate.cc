// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/aggregate.h"

#include <algorithm>
#include <limits>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/workspace.h"
#include "einsummable/tensor/view_loop.h"

namespace einsummable::cpu {
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
std::vector<Value> parts_of(Expression& e, const Component& component, size_t parts) {
  std::vector<Value> values;
  for (size_t part = 0; part < parts; ++part) {
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

Expression single(const PartialType& partial, size_t parts, std::optional<DType> finished) {
  Expression e;
  const std::vector<Value> values = parts_of(e, partial.components[0], parts);
  output_value(e, partial, finished, fold(e, function_of(partial.merge), values));
  return e;
}

// The larger value and its index, NaN the largest; of equals the lower index.
Expression first_max(const PartialType& partial, size_t parts, std::optional<DType> finished) {
  Expression e;
  const DType index_dtype = partial.components[0].dtype, dtype = partial.components[1].dtype;
  Value index = e.input(index_dtype), value = e.input(dtype);
  for (size_t part = 1; part < parts; ++part) {
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

// From every part's lse its weight, exp(lse) over their sum; a part without weight has exactly 0.
// Then, unless the block is finished, the merged lse.
Expression weights(const PartialType& partial, size_t parts, std::optional<DType> finished) {
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

// The sum of weight times value; what weighs nothing does not count, even if it is NaN.
Expression weighted(const PartialType& partial, size_t parts, std::optional<DType> finished) {
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

int64_t elements_of(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count = checked_multiply(count, extent);
  return count;
}

// Strides over the axes of `value` for a dense array over those of `lse`.
void broadcast_strides(const Component& value, const Component& lse,
                       std::span<const int64_t> lse_shape, std::span<int64_t> strides) {
  std::ranges::fill(strides, 0);
  int64_t stride = 1;
  for (size_t i = lse.axes.size(); i-- > 0; stride *= lse_shape[i]) {
    const auto at = std::ranges::find(value.axes, lse.axes[i]) - value.axes.begin();
    strides[static_cast<size_t>(at)] = stride;
  }
}

void dense_strides(std::span<const int64_t> shape, std::span<int64_t> strides) {
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
}

}  // namespace

Aggregation::Aggregation(const PartialType& partial, int32_t parts, std::optional<DType> finished,
                         std::span<const StridedView> reads)
    : partial_(partial), parts_(static_cast<size_t>(parts)), finishes_(finished.has_value()) {
  ensure(parts > 0 && reads.size() == parts_ * partial.components.size(),
         "an aggregation of other parts than it has");
  if (partial.merge == Merge::first_max) {
    kernels_.emplace_back(first_max(partial, parts_, finished));
  } else if (partial.merge == Merge::weighted_mean) {
    rows_ = elements_of(reads[1].shape);
    weight_dtype_ = accumulation(partial.components[1].dtype);
    kernels_.emplace_back(weights(partial, parts_, finished));
    kernels_.emplace_back(weighted(partial, parts_, finished));
  } else {
    kernels_.emplace_back(single(partial, parts_, finished));
  }
}

int64_t Aggregation::workspace_bytes() const {
  int64_t kernel = 0;
  for (const Elementwise& e : kernels_) kernel = std::max(kernel, e.workspace_bytes());
  if (partial_.merge != Merge::weighted_mean) return kernel;
  const auto parts = static_cast<int64_t>(parts_);
  const int64_t weights = workspace_array(rows_, size_of(weight_dtype_));
  const int64_t views = workspace_array(2 * parts + 1, sizeof(StridedView));
  return checked_add(kernel, checked_add(2 * views, checked_multiply(parts, weights)));
}

void Aggregation::run(std::span<const StridedView> reads, std::span<const StridedView> writes,
                      std::span<std::byte> workspace) const {
  if (partial_.merge == Merge::weighted_mean) return run_weighted(reads, writes, workspace);
  kernels_[0].run(reads, writes, workspace);
}

void Aggregation::run_weighted(std::span<const StridedView> reads,
                               std::span<const StridedView> writes,
                               std::span<std::byte> workspace) const {
  const std::span<const int64_t> rows = reads[1].shape, shape = reads[0].shape;
  ensure(reads.size() == 2 * parts_ && elements_of(rows) == rows_ && std::ssize(shape) <= kMaxRank,
         "an aggregation of blocks of another shape");
  std::array<int64_t, kMaxRank> dense, broadcast;
  const std::span<int64_t> dense_rows = std::span(dense).first(rows.size());
  const std::span<int64_t> over_values = std::span(broadcast).first(shape.size());
  dense_strides(rows, dense_rows);
  broadcast_strides(partial_.components[0], partial_.components[1], rows, over_values);

  Workspace memory(workspace);
  const auto views = static_cast<int64_t>(2 * parts_ + 1);
  StridedView* in = memory.take<StridedView>(views);
  StridedView* out = memory.take<StridedView>(views);
  std::byte* data = memory.take<std::byte>(static_cast<int64_t>(parts_) *
                                           workspace_array(rows_, size_of(weight_dtype_)));
  const auto weight = [&](size_t part) {
    return data + static_cast<int64_t>(part) * workspace_array(rows_, size_of(weight_dtype_));
  };
  for (size_t part = 0; part < parts_; ++part) {
    std::construct_at(in + part, reads[2 * part + 1]);
    std::construct_at(out + part, weight(part), weight_dtype_, rows, dense_rows);
  }
  if (!finishes_) std::construct_at(out + parts_, writes[1]);
  kernels_[0].run({in, parts_}, {out, parts_ + (finishes_ ? 0 : 1)}, memory.rest());
  for (size_t part = 0; part < parts_; ++part) {
    std::construct_at(in + part, reads[2 * part]);
    std::construct_at(in + parts_ + part, weight(part), weight_dtype_, shape, over_values);
  }
  kernels_[1].run({in, 2 * parts_}, writes.first(1), memory.rest());
}

}  // namespace einsummable::cpu
