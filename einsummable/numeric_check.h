// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "einsummable/executor/executor.h"
#include "einsummable/ops/error_bound.h"
#include "einsummable/plan.h"
#include "einsummable/task/verify.h"

namespace einsummable {

// The plan with every tensor saved that an operator reads or makes: specs, placement and programs
// are the same.
std::shared_ptr<const PhysicalPlan> keeping_all(const PhysicalPlan& plan);

// Compares calls with the operators' float64 references. A propagated bound of a whole graph grows
// beyond use, and a fixed tolerance proves nothing, so each operator is compared on its own: a
// second program of the same plan keeps every tensor; every operator's reference, undistributed, is
// given that program's own inputs and must agree with its outputs as `allowed_values` says; and the
// saved tensors of the program itself must have the second one's bits (NaN is NaN).
class NumericCheck {
 public:
  // `program` is the plan's; `kept` runs what was lowered from keeping_all(program).
  NumericCheck(std::shared_ptr<const PhysicalPlan> program, std::shared_ptr<const PhysicalPlan> all,
               std::unique_ptr<Execution> kept);

  // The inputs and parameters of the program, which has loaded them too.
  void load(TensorId tensor, const StridedView& array) { kept_->load(tensor, array); }

  // Runs the second program on what was loaded and compares, after `execution` has run. Throws
  // DeviceError for the first element that is off, with the tensor, its position, both values, and
  // how far apart they may be.
  void compare(Execution& execution, const std::function<bool()>& interrupted);

  // Over all calls: how many elements were compared, in how many seconds, the last failure, and the
  // difference that came closest to its bound. Safe from any thread.
  Check report() const;

 private:
  Array64 kept(TensorId tensor);
  void compare_op(size_t op);
  void compare_saves(Execution& execution);
  void compare_output(const GraphOp& op, size_t output, const Array64& found,
                      const AllowedValues& allowed);
  [[noreturn]] void fail(const std::string& what);

  std::shared_ptr<const PhysicalPlan> program_, all_;
  std::unique_ptr<Execution> kept_;
  std::vector<int32_t> save_of_;  // in `all_`, by TensorId; -1: not saved
  double closest_ = -1;           // part of its bound
  mutable std::mutex mutex_;      // of report_
  Check report_{.name = "numeric", .note = "before the first call"};
};

}  // namespace einsummable
