// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "einsummable/executor/executor.h"
#include "einsummable/executor/profile.h"
#include "einsummable/numeric_check.h"
#include "einsummable/plan.h"
#include "einsummable/task/verify.h"

namespace einsummable {

// Seconds that each stage of a compilation took. `choice` is a part of `logical`: plans are chosen
// by planned time, and those chosen simulated afterwards; of another objective it is all.
struct StageTimes {
  double choice = 0, logical = 0, physical = 0, lowering = 0, verification = 0, preparation = 0;
};

// What a call needs on one device, in bytes: what is set aside, and the largest sum of what is in
// use at one time, below which no placement of it gets.
struct DeviceMemory {
  int64_t peak = 0, least = 0;
};

// A plan as tasks, proven, with the addresses of all its memory: what an executor is given.
struct LoweredPlan {
  Plan plan;
  std::shared_ptr<const TaskGraph> tasks;
  VerifyReport report;
  StageTimes times;

  int64_t peak_bytes() const;  // the largest of all devices
  std::vector<DeviceMemory> memory() const;
};

// A graph on its devices. Calls are safe from several threads; they run one after another. A call
// allocates nothing after the first, but for operators without a fast kernel.
class Executable {
 public:
  Executable(LoweredPlan lowered, std::unique_ptr<Execution> execution,
             std::unique_ptr<NumericCheck> numeric = {});

  const Graph& graph() const { return *lowered_.plan.graph; }
  const Plan& plan() const { return lowered_.plan; }
  const TaskGraph& tasks() const { return *lowered_.tasks; }
  const VerifyReport& report() const { return lowered_.report; }
  // What calls were compared in so far; none unless they are (Verify::numeric).
  std::optional<Check> numeric() const {
    return numeric_ ? std::optional(numeric_->report()) : std::nullopt;
  }
  const StageTimes& times() const { return lowered_.times; }
  int64_t peak_bytes() const { return lowered_.peak_bytes(); }
  std::vector<DeviceMemory> memory() const { return lowered_.memory(); }

  // Copies a parameter to where its blocks are needed. Throws InputError for an unknown name,
  // another dtype or shape.
  void load(std::string_view parameter, const StridedView& array);

  // One array for a call, by name; one for a result.
  struct Argument {
    std::string name;
    StridedView array;
  };
  // Runs the graph: `inputs` are its inputs (parameters too, which stay), `outputs` are filled, one
  // a saved tensor to be fetched. Throws InputError for inputs that are missing, unknown, misshapen
  // or mistyped, and for values out of range; DeviceError where Verify::numeric finds results that
  // are not those of the graph, whose outputs are left unfilled. `interrupted`, asked now and then,
  // stops the call.
  void call(std::span<const Argument> inputs, std::span<const Argument> outputs,
            const std::function<bool()>& interrupted = {});

  // What the last call took, by kind of work; waits for a call that is running. Here and below,
  // throws DeviceError where the executor does not time tasks one by one.
  std::vector<ProfileLine> last_profile();
  // The tasks of the last call, each where and when it ran.
  std::vector<Span> last_spans();

 private:
  TensorId checked_tensor(const Argument& argument) const;
  void load_checked(TensorId tensor, const StridedView& array);
  void require_loaded() const;
  std::vector<TaskTime> times_of_tasks() const;

  LoweredPlan lowered_;
  std::unique_ptr<Execution> execution_;
  std::unique_ptr<NumericCheck> numeric_;  // none unless calls are compared
  std::vector<char> read_;                 // tensors that some task or save needs
  std::vector<char> loaded_;               // inputs and parameters given so far
  std::vector<TensorId> given_;            // of the call at hand, as its inputs
  std::vector<int32_t> wanted_;            // of the call at hand, as its outputs
  std::mutex mutex_;
};

}  // namespace einsummable
