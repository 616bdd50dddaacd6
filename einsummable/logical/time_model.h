// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "einsummable/graph/graph.h"
#include "einsummable/logical/exchange_time.h"
#include "einsummable/logical/kernel_time.h"
#include "einsummable/logical/layout.h"

namespace einsummable {

// Bytes of an element of a tensor that an operator makes, with float sums in `partial_dtype`, if
// there is one.
ElementBytes element_bytes(const Graph& graph, TensorId tensor, std::optional<DType> partial_dtype);

// The time objective: what operators and exchanges take on a topology, in nanoseconds, with cell i
// of every operator on site i. A better placement takes less.
class TimeModel {
 public:
  // Nanoseconds (an hour) that nothing is said to exceed.
  static constexpr int64_t longest = int64_t{3'600} * 1'000'000'000;

  // Float sums travel in `partial_dtype`, if there is one.
  explicit TimeModel(const Topology& topology, std::optional<DType> partial_dtype = {})
      : topology_(topology),
        partial_dtype_(partial_dtype),
        exchanges_(topology),
        switch_(exchanges_.as_switch()) {}

  const Topology& topology() const { return topology_; }
  std::optional<DType> partial_dtype() const { return partial_dtype_; }

  // Nanoseconds of the operator's kernels; see kernel_seconds().
  int64_t kernel(const Operator& op, const JoinAggSpec& spec) const;

  // See made_layout() and needed_layout().
  LayoutId made(const JoinAggSpec& spec, size_t output, std::span<const int32_t> sites = {}) {
    return intern(made_layout(spec, output, sites));
  }
  LayoutId needed(const JoinAggSpec& spec, size_t input, std::span<const int32_t> sites = {}) {
    return intern(needed_layout(spec, input, sites));
  }
  ElementBytes element_bytes(const Graph& graph, TensorId tensor) const {
    return einsummable::element_bytes(graph, tensor, partial_dtype_);
  }
  bool complete(LayoutId layout) const { return !layouts_[layout].partial; }
  // The most elements that a site has.
  int64_t largest_share(LayoutId layout) const;

  // Nanoseconds until what lies as `from` lies as `to`; see ExchangeTime.
  int64_t exchange(LayoutId from, LayoutId to, const ElementBytes& bytes);

 private:
  LayoutId intern(Layout layout);
  double seconds(LayoutId from, LayoutId to, const ElementBytes& bytes);

  const Topology& topology_;
  std::optional<DType> partial_dtype_;
  ExchangeTime exchanges_;
  std::optional<SwitchTime> switch_;  // sooner than those, where there is one
  LayoutTable layouts_;
  AxisTable axes_;
  std::vector<std::optional<LayoutGrid>> grids_;  // of each layout
  // Of the exchanges that were asked for, by their layouts.
  struct Known {
    ElementBytes bytes;
    std::unordered_map<uint64_t, int64_t> nanoseconds;
  };
  std::vector<Known> known_;
};

// What a plan takes, operator by operator: its exchange, then its kernels, one operator after the
// other. Nanoseconds.
struct PlannedTime {
  struct OfOp {
    int64_t exchange = 0, kernel = 0;
  };
  std::vector<OfOp> ops;   // by OpId
  int64_t total = 0;       // of all, which is what plans are chosen by
  int64_t overlapped = 0;  // where exchanges, in turn, go on beside kernels, in turn, of operators
                           // that do not wait for them
};

// The time of a spec for every operator. A tensor that several operators read is delivered once in
// one layout, that which makes the sum of its exchanges least; those that need another get it from
// there. `placement` has the site of every cell of every operator; without it, cell i is on site i.
PlannedTime planned_time(const Graph& graph, const std::vector<JoinAggSpec>& specs,
                         TimeModel& model, const std::vector<std::vector<int32_t>>& placement = {});

}  // namespace einsummable
