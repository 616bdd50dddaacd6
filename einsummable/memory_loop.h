// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "einsummable/logical/best_assignments.h"
#include "einsummable/logical/choice.h"
#include "einsummable/logical/priced_problem.h"
#include "einsummable/plan.h"
#include "einsummable/task/memory_use.h"

namespace einsummable {

// A plan and its tasks, with the addresses of all memory.
struct PlacedPlan {
  Plan plan;
  std::shared_ptr<const TaskGraph> tasks;
};

// Looks for the cheapest plan whose tasks fit a limit, of those of one min-sum problem. What plans
// need is measured, as it does not add up; what is added up instead, the bytes of a PricedProblem,
// says where to look:
//   1. bytes alone are minimised, each tensor weighted by how often it was in memory when the plans
//      so far were fullest, until a plan fits;
//   2. a price is put on bytes: the one at which the cheapest plan that does not fit and the best
//      one that does cost the same, which either proves them neighbours or gives one between;
//   3. the price is raised from the first operator to some later one, so that repeated layers may
//      be cut in two ways;
//   4. at that price, then at none, the best plans are listed, and those measured that cost less
//      than the best one so far.
// A plan is measured once, and at most `most_measured()` are.
class MemoryLoop {
 public:
  using Lower = std::function<PlacedPlan(const LogicalPlan&)>;

  // All references are kept.
  MemoryLoop(const Candidates& candidates, const PricedProblem& problem, int64_t limit,
             int64_t table_budget, const Lower& lower);

  // `first`: the best of all plans, which does not fit.
  void run(const PlacedPlan& first);
  // Step 1 alone: until a plan fits, at most so often.
  void minimise_bytes(size_t times);

  // The plans that fit, the cheapest last.
  const std::vector<PlacedPlan>& fitting() const { return fitting_; }
  // That of least peak of all measured.
  const PlacedPlan& least() const { return *least_; }
  size_t measured() const { return points_.size(); }
  size_t most_measured() const;

 private:
  using States = std::vector<uint32_t>;
  // An assignment, what it costs, and whether it fits; one that costs no less than the best that
  // fits is not measured, and counts as one that does.
  struct Point {
    States states;  // of all variables
    Cost cost;
    bool fits = true;
  };

  Point visit(const Assignment& assignment);
  MemoryUse measure(const States& ops, const Cost& cost);
  void learn(const MemoryUse& use);
  PricedProblem::Weights weights() const;
  Point minimised(const PricedProblem::Tables& tables);
  bool find_first_fit();
  void approach();
  void raise_in_part(double price);
  using Enough = std::function<bool(const Assignment& next)>;
  void list(PricedProblem::Tables tables, const Enough& enough);
  BestAssignments::Groups groups() const;
  bool spent() const { return points_.size() >= most_measured(); }

  const Candidates& candidates_;
  const PricedProblem& problem_;
  int64_t limit_, table_budget_;
  const Lower& lower_;
  const PlacedPlan* given_ = nullptr;  // measured already
  std::optional<Cost> bound_;          // of all plans, and how that was found
  int width_ = 0;
  std::map<States, MemoryUse> points_;  // by operator, those measured
  std::optional<Point> best_;           // of those that fit
  std::vector<PlacedPlan> fitting_;
  std::optional<PlacedPlan> least_;
  std::vector<size_t> kinds_;                // of each tensor
  std::vector<double> of_kind_, in_memory_;  // tensors; those that were in memory, of all learnt
  double learnt_ = 0;
};

}  // namespace einsummable
