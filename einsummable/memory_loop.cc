// SPDX-License-Identifier: Apache-2.0
#include "einsummable/memory_loop.h"

#include <algorithm>

#include "einsummable/task/memory_plan.h"

namespace einsummable {
namespace {

constexpr size_t kMostMeasured = 24;  // of large graphs
// Plans measured times operators squared times p, of small ones.
constexpr size_t kMostWork = 48'000;
// Plans of more operators than this are told apart by all operators of a kind together.
constexpr size_t kApart = 40;
constexpr size_t kMostListed = 5;     // of those, in each list
constexpr double kUnseen = 1.0 / 16;  // the weight of what was never in memory when it was full

}  // namespace

MemoryLoop::MemoryLoop(const Candidates& candidates, const PricedProblem& problem, int64_t limit,
                       int64_t table_budget, const Lower& lower)
    : candidates_(candidates),
      problem_(problem),
      limit_(limit),
      table_budget_(table_budget),
      lower_(lower) {
  // Tensors that operators of one kind make are alike.
  std::map<std::pair<const void*, int32_t>, size_t> numbers;
  const Graph& graph = candidates.graph();
  for (size_t t = 0; t < graph.tensors().size(); ++t) {
    const GraphTensor& tensor = graph.tensors()[t];
    const void* by = tensor.is_given() ? static_cast<const void*>(&tensor)
                                       : static_cast<const void*>(&candidates.of(tensor.producer));
    kinds_.push_back(numbers.try_emplace({by, tensor.output}, numbers.size()).first->second);
  }
  of_kind_.assign(numbers.size(), 0);
  in_memory_.assign(numbers.size(), 0);
  for (size_t kind : kinds_) of_kind_[kind] += 1;
}

size_t MemoryLoop::most_measured() const {
  const size_t ops = std::max<size_t>(1, problem_.plain().ops());
  return std::max(kMostMeasured, kMostWork / (ops * ops * static_cast<size_t>(candidates_.p())));
}

void MemoryLoop::learn(const MemoryUse& use) {
  for (size_t t = 0; t < kinds_.size(); ++t) {
    if (use.tensors[t]) in_memory_[kinds_[t]] += 1 / of_kind_[kinds_[t]];
  }
  learnt_ += 1;
}

PricedProblem::Weights MemoryLoop::weights() const {
  PricedProblem::Weights out;
  for (size_t t = 0; t < kinds_.size(); ++t) {
    const bool parameter = candidates_.graph().tensors()[t].kind == GraphTensor::Kind::parameter;
    const double seen = learnt_ == 0 ? 1 / of_kind_[kinds_[t]] : in_memory_[kinds_[t]] / learnt_;
    out.push_back(parameter ? 1 : std::max(seen, kUnseen / of_kind_[kinds_[t]]));
  }
  return out;
}

// Lowers the plan and keeps it if it is of use.
MemoryUse MemoryLoop::measure(const States& ops, const Cost& cost) {
  candidates_.interruption().check();
  Choice choice{.pick = {}, .cost = cost, .bound = bound_, .width = width_};
  for (size_t i = 0; i < ops.size(); ++i) {
    choice.pick.push_back((*problem_.plain().picks[i])[ops[i]]);
  }
  LogicalPlan plan = plan_of(candidates_, choice);
  add_costs(plan, candidates_.graph());
  const bool given = given_ && specs_of(given_->plan.logical) == specs_of(plan);
  PlacedPlan placed = given ? *given_ : lower_(plan);
  const MemoryUse use = memory_use(*placed.tasks);
  if (!least_ || use.peak() < peak_bytes(*least_->tasks)) least_ = placed;
  if (use.peak() <= limit_) fitting_.push_back(std::move(placed));
  return use;
}

MemoryLoop::Point MemoryLoop::visit(const Assignment& assignment) {
  const auto end = assignment.state.begin() + static_cast<std::ptrdiff_t>(problem_.plain().ops());
  const States ops(assignment.state.begin(), end);
  Point out{assignment.state, cost_of(problem_.plain(), ops)};
  const auto known = points_.find(ops);
  if (known == points_.end() && ((best_ && out.cost >= best_->cost) || spent())) return out;
  const MemoryUse& use = known != points_.end()
                             ? known->second
                             : points_.emplace(ops, measure(ops, out.cost)).first->second;
  learn(use);
  out.fits = use.peak() <= limit_;
  if (out.fits && known == points_.end()) best_ = out;
  return out;
}

MemoryLoop::Point MemoryLoop::minimised(const PricedProblem::Tables& tables) {
  return visit(minimise(tables.unary, tables.pairs, table_budget_, candidates_.interruption()));
}

void MemoryLoop::minimise_bytes(size_t times) {
  for (size_t i = 0; i < times && !best_ && !spent(); ++i) {
    minimised(problem_.bytes_alone(weights()));
  }
}

bool MemoryLoop::find_first_fit() {
  minimise_bytes(kMostMeasured);
  if (!best_) {
    list(problem_.bytes_alone(weights()), [&](const Assignment&) { return best_.has_value(); });
  }
  return best_.has_value();
}

// Steps 2 to 4, once.
void MemoryLoop::approach() {
  const PricedProblem::Weights now = weights();
  const PlanProblem& plain = problem_.plain();
  Point below = minimised({plain.unary, plain.pairs});
  if (below.fits) return;
  Point above = minimised(problem_.bytes_alone(now));
  if (!above.fits) above = *best_;
  double price = 0;
  while (!spent()) {
    const double more = problem_.bytes(below.states, now) - problem_.bytes(above.states, now);
    const auto dearer = static_cast<double>(above.cost.main - below.cost.main);
    if (more <= 0 || dearer <= 0) break;
    price = std::min(dearer / more, problem_.largest_price());
    const std::vector<double> prices(plain.ops(), price);
    Point between = minimised(problem_.priced(prices, now));
    if (between.states == below.states || between.states == above.states) break;
    const auto priced = [&](const Point& point) {
      return static_cast<double>(point.cost.main) + price * problem_.bytes(point.states, now);
    };
    const double rounding = static_cast<double>(plain.unary.size() + plain.pairs.size());
    if (priced(between) >= priced(below) - rounding) break;
    (between.fits ? above : below) = std::move(between);
  }
  if (price == 0) return;
  raise_in_part(price);
  list(problem_.priced(std::vector<double>(plain.ops(), price), now),
       [](const Assignment&) { return false; });
}

void MemoryLoop::raise_in_part(double price) {
  constexpr double little = 1.0 / 64;
  const PricedProblem::Weights now = weights();
  std::vector<double> prices(problem_.plain().ops());
  size_t too_few = 0, enough = prices.size();
  while (enough - too_few > 1 && !spent()) {
    const size_t raised = (too_few + enough) / 2;
    for (size_t i = 0; i < prices.size(); ++i) {
      prices[i] = price * (i < raised ? 1 + little : 1 - little);
    }
    (minimised(problem_.priced(prices, now)).fits ? enough : too_few) = raised;
  }
}

BestAssignments::Groups MemoryLoop::groups() const {
  BestAssignments::Groups out;
  const size_t ops = problem_.plain().ops();
  std::map<const CandidateSet*, size_t> kinds;
  for (uint32_t i = 0; i < ops; ++i) {
    const auto [place, added] =
        kinds.try_emplace(&candidates_.of(OpId(static_cast<int64_t>(i))), out.size());
    if (added || ops <= kApart) {
      out.push_back({i});
    } else {
      out[place->second].push_back(i);
    }
  }
  return out;
}

// Step 4: the best by these tables, until `enough` of one.
void MemoryLoop::list(PricedProblem::Tables tables, const Enough& enough) {
  BestAssignments best(std::move(tables.unary), std::move(tables.pairs), groups(), table_budget_,
                       candidates_.interruption());
  const bool large = problem_.plain().ops() > kApart;
  const size_t most = large ? kMostListed : most_measured();
  for (size_t i = 0; i < most && !spent(); ++i) {
    const std::optional<Assignment> next = best.next();
    if (!next || enough(*next)) return;
    visit(*next);
  }
}

void MemoryLoop::run(const PlacedPlan& first) {
  given_ = &first;
  bound_ = first.plan.logical.bound;
  width_ = first.plan.logical.width;
  learn(memory_use(*first.tasks));
  if (!find_first_fit()) return;
  for (int round = 0; round < 2; ++round) approach();
  const PlanProblem& plain = problem_.plain();
  list({plain.unary, plain.pairs},
       [&](const Assignment& next) { return next.cost >= best_->cost; });
}

}  // namespace einsummable
