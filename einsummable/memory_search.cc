// SPDX-License-Identifier: Apache-2.0
#include "einsummable/memory_search.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/time_problem.h"
#include "einsummable/prediction.h"
#include "einsummable/task/memory_plan.h"

namespace einsummable {
namespace {

int64_t peak_of(const PlacedPlan& placed) { return peak_bytes(*placed.tasks); }

// What a loop found.
struct Found {
  std::vector<PlacedPlan> fitting;  // the cheapest last
  PlacedPlan least;
  size_t measured = 0;
};

PricedProblem::Merging merging(const MemorySearch& search) {
  if (search.memory == Traits::Memory::shared) return PricedProblem::Merging::in_place;
  return search.schedule.topology ? PricedProblem::Merging::spread
                                  : PricedProblem::Merging::at_one_site;
}

MemoryLoop::Lower lower_with(const MemorySearch& search) {
  return [&search](const LogicalPlan& plan) { return search.lower(plan, search.partial_dtype); };
}

Found search_among(const Candidates& candidates, PlanProblem problem, const PlacedPlan& first,
                   const MemorySearch& search) {
  const PricedProblem priced(candidates, std::move(problem), search.partial_dtype, merging(search));
  const MemoryLoop::Lower lower = lower_with(search);
  MemoryLoop loop(candidates, priced, search.limit, search.logical.table_budget, lower);
  loop.run(first);
  return {loop.fitting(), loop.least(), loop.measured()};
}

Candidates candidates_of(const Graph& graph, const MemorySearch& search, int64_t p, Offer offer) {
  return {graph, p, search.logical.pins, communication_proxy(), offer, search.logical.interruption};
}

// The plan of least memory that is quickly found on so many devices.
std::optional<PlacedPlan> quick_fit(const Graph& graph, const MemorySearch& search, int64_t p) {
  const Candidates candidates = candidates_of(graph, search, p, Offer::most);
  const PricedProblem problem(candidates, proxy_problem(candidates), search.partial_dtype,
                              merging(search));
  const MemoryLoop::Lower lower = lower_with(search);
  MemoryLoop loop(candidates, problem, search.limit, search.logical.table_budget, lower);
  loop.minimise_bytes(4);
  if (loop.fitting().empty()) return std::nullopt;
  return loop.fitting().back();
}

// ", 8 devices, which need 3.1 MB each": the first doubling that is seen to do; else nothing.
std::string devices_that_do(const Graph& graph, const MemorySearch& search) {
  constexpr int64_t most = 128;
  for (int64_t p = 2 * search.logical.p; p <= std::min(most, 8 * search.logical.p); p *= 2) {
    try {
      const std::optional<PlacedPlan> fit = quick_fit(graph, search, p);
      if (fit) {
        return ", or " + std::to_string(p) + " devices, which need " +
               amount_text(peak_of(*fit), Figures::rounded) + " each";
      }
    } catch (const PlanError&) {  // pins that cannot be met there
    }
  }
  return "";
}

// The 16-bit float that some operator makes in partial results of more bits.
std::optional<DType> narrow_partials(const PlacedPlan& placed) {
  const PhysicalPlan& plan = *placed.plan.physical;
  for (size_t i = 0; i < plan.specs.size(); ++i) {
    const Operator& op = *plan.graph->ops()[i].op;
    for (size_t o = 0; o < op.outputs().size(); ++o) {
      const DType dtype = op.outputs()[o].dtype;
      if (plan.specs[i].partials(o) > 1 && is_float(dtype) && size_of(dtype) == 2) return dtype;
    }
  }
  return std::nullopt;
}

// "; with partial_dtype float16 that plan needs 3.1 MB"; nothing where it does not help.
std::string partial_dtype_that_helps(const PlacedPlan& least, const MemorySearch& search) {
  if (search.partial_dtype) return "";
  const std::optional<DType> narrow = narrow_partials(least);
  if (!narrow) return "";
  const int64_t peak = peak_of(search.lower(least.plan.logical, narrow));
  if (peak >= peak_of(least)) return "";
  return "; with partial_dtype " + std::string(long_name(*narrow)) + " that plan needs " +
         amount_text(peak, figures_to_tell(peak, peak_of(least)));
}

[[noreturn]] void refuse(const Graph& graph, const PlacedPlan& least, size_t measured,
                         const MemorySearch& search) {
  const MemoryUse use = memory_use(*least.tasks);
  const Figures figures = figures_to_tell(search.limit, use.peak());
  const std::string peak = amount_text(use.peak(), figures);
  throw MemoryLimitError("no plan was found that fits " + amount_text(search.limit, figures) +
                         " a device on " + std::to_string(search.logical.p) + " devices: of " +
                         std::to_string(measured) + " measured the one of least memory needs " +
                         peak + " on device " + std::to_string(use.site) + " (" +
                         text(use, figures) + "); a limit of " + peak + " would do" +
                         devices_that_do(graph, search) + partial_dtype_that_helps(least, search));
}

// Of those that fit, the one of least simulated time.
PlacedPlan fastest(const std::shared_ptr<const Graph>& graph, std::vector<PlacedPlan> fitting,
                   const MemorySearch& search, TimeModel& model) {
  std::vector<LogicalPlan> plans;
  for (const PlacedPlan& placed : fitting) plans.push_back(placed.plan.logical);
  const SimulatedPlan best = fastest_of(
      graph, plans, model, {.partial_dtype = search.partial_dtype, .schedule = search.schedule},
      search.logical.interruption);
  return std::move(fitting[best.index]);
}

}  // namespace

PlacedPlan find_fitting(const std::shared_ptr<const Graph>& graph, const PlacedPlan& first,
                        const MemorySearch& search) {
  const int64_t p = search.logical.p;
  const Candidates most = candidates_of(*graph, search, p, Offer::most);
  Found proxy = search_among(most, proxy_problem(most), first, search);
  if (!search.topology) {
    if (proxy.fitting.empty()) refuse(*graph, proxy.least, proxy.measured, search);
    return std::move(proxy.fitting.back());
  }
  TimeModel model(*search.topology, search.partial_dtype);
  const Candidates divisors = candidates_of(*graph, search, p, Offer::divisors);
  Found time = search_among(divisors, time_problem(divisors, model), first, search);
  std::vector<PlacedPlan> fitting(time.fitting.rbegin(), time.fitting.rend());
  if (!proxy.fitting.empty()) fitting.push_back(std::move(proxy.fitting.back()));
  if (!fitting.empty()) return fastest(graph, std::move(fitting), search, model);
  const PlacedPlan& least = peak_of(time.least) < peak_of(proxy.least) ? time.least : proxy.least;
  refuse(*graph, least, proxy.measured + time.measured, search);
}

}  // namespace einsummable
