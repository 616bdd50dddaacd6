// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/aggregate.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/workspace.h"
#include "einsummable/executor/merge_expression.h"
#include "einsummable/tensor/view_loop.h"

namespace einsummable::cpu {
namespace {

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
  if (partial.merge == Merge::weighted_mean) {
    rows_ = elements_of(reads[1].shape);
    weight_dtype_ = accumulation(partial.components[1].dtype);
    kernels_.emplace_back(weights_expression(partial, parts, finished));
    kernels_.emplace_back(weighted_expression(partial, parts, finished));
  } else {
    kernels_.emplace_back(merge_expression(partial, parts, finished));
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
