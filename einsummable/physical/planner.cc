// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/planner.h"

#include <algorithm>
#include <utility>

#include "einsummable/base/checked.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/physical/placement.h"
#include "einsummable/physical/preamble.h"
#include "einsummable/physical/regions.h"
#include "einsummable/physical/synthesiser.h"

namespace einsummable {
namespace {

// Everything the cells of an operator read is at their sites once its step is done.
void hold_inputs(const PhysicalPlan& plan, OpId op, Holdings& holdings) {
  const std::vector<TensorId>& inputs = plan.graph->op(op).inputs;
  for (size_t k = 0; k < inputs.size(); ++k) {
    for (Resident& need : needs(plan.specs[op.index()], k, plan.placement[op.index()])) {
      holdings.hold(inputs[k], std::move(need));
    }
  }
}

// The parts of the boxes that are complete at sites, each at one of them; `rest` is what remains.
// From one site where one holds all.
std::vector<Resident> complete_parts(const std::vector<Resident>& complete,
                                     std::vector<Box>& rest) {
  const auto all = std::ranges::find_if(
      complete, [&](const Resident& held) { return contains(held.box, rest.front()); });
  if (all != complete.end()) return {{all->site, std::exchange(rest, {}).front()}};
  std::vector<Resident> out;
  for (const Resident& held : complete) {
    for (const Box& box : rest) {
      Box common = intersect(box, held.box);
      if (!empty(common)) out.push_back({held.site, std::move(common)});
    }
    subtract(rest, held.box);
  }
  return out;
}

// The steps that fetch the saved tensors, once the operators' are there.
void add_saves(PhysicalPlan& plan, Holdings& holdings, Synthesiser& synthesiser) {
  for (size_t s = 0; s < plan.graph->saves().size(); ++s) {
    const TensorId tensor = plan.graph->saves()[s].tensor;
    plan.fetches.push_back(fetches_of(plan, tensor, holdings));
    plan.steps.push_back(step_of_save(plan, s, holdings));
    synthesiser.run_last();
    apply(plan, plan.steps.back(), holdings);
  }
}

// The specs, placement and programs of the plan for the first operators of its graph, which may
// save, and number tensors, in another way.
PhysicalPlan with_steps_of(std::shared_ptr<const Graph> graph, const PhysicalPlan& plan,
                           const Schedule& schedule) {
  const auto ops = static_cast<std::ptrdiff_t>(graph->ops().size());
  PhysicalPlan out{.graph = std::move(graph),
                   .specs = {plan.specs.begin(), plan.specs.begin() + ops},
                   .sites = plan.sites,
                   .partial_dtype = plan.partial_dtype,
                   .placement = {plan.placement.begin(), plan.placement.begin() + ops},
                   .fetches = {},
                   .steps = {plan.steps.begin(), plan.steps.begin() + ops}};
  Holdings holdings(*out.graph);
  for (ExchangeStep& step : out.steps) {
    for (Region& region : step.regions) {
      const GraphTensor& tensor = plan.graph->tensor(region.tensor);
      region.tensor = out.graph->op(tensor.producer).outputs[static_cast<size_t>(tensor.output)];
    }
    apply(out, step, holdings);
  }
  Synthesiser synthesiser(out, schedule);
  add_saves(out, holdings, synthesiser);
  return out;
}

}  // namespace

std::vector<Resident> fetches_of(const PhysicalPlan& plan, TensorId tensor,
                                 const Holdings& holdings) {
  if (plan.graph->tensor(tensor).is_given()) return {{SiteId(0), plan.graph->type(tensor).bounds}};
  std::vector<Resident> out;
  std::vector<int64_t> load(static_cast<size_t>(plan.sites), 0);
  const auto fetch = [&](SiteId site, Box box) {
    load[site.index()] = checked_add(load[site.index()], elements(box));
    out.push_back({site, std::move(box)});
  };
  const std::vector<ProducedBlock>& blocks = holdings.blocks(tensor);
  for (size_t b = 0; b < blocks.size(); ++b) {
    std::vector<Box> rest = {blocks[b].box};
    for (Resident& held : complete_parts(holdings.complete(tensor), rest)) {
      fetch(held.site, std::move(held.box));
    }
    for (Box& box : rest) {
      const SiteId site = *std::ranges::min_element(
          holdings.partial_sites(tensor, b), {},
          [&](SiteId holder) { return std::pair(load[holder.index()], holder); });
      fetch(site, std::move(box));
    }
  }
  return out;
}

ExchangeStep step_of_op(const PhysicalPlan& plan, OpId op, const Holdings& holdings) {
  ExchangeStep step{.op = op, .regions = {}, .program = {}, .derivations = {}};
  const std::vector<TensorId>& inputs = plan.graph->op(op).inputs;
  std::vector<TensorId> distinct;
  for (TensorId tensor : inputs) {
    const bool seen = std::ranges::find(distinct, tensor) != distinct.end();
    if (!seen && !plan.graph->tensor(tensor).is_given()) distinct.push_back(tensor);
  }
  for (TensorId tensor : distinct) {
    std::vector<Resident> needed;
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k] != tensor) continue;
      const auto of_input = needs(plan.specs[op.index()], k, plan.placement[op.index()]);
      needed.insert(needed.end(), of_input.begin(), of_input.end());
    }
    for (Region& region : regions_to_move(tensor, holdings, needed)) {
      step.regions.push_back(std::move(region));
    }
  }
  write_preamble(plan, holdings, step);
  return step;
}

ExchangeStep step_of_save(const PhysicalPlan& plan, size_t save, const Holdings& holdings) {
  ExchangeStep step{
      .save = static_cast<int32_t>(save), .regions = {}, .program = {}, .derivations = {}};
  const TensorId tensor = plan.graph->saves()[save].tensor;
  if (!plan.graph->tensor(tensor).is_given()) {
    step.regions = regions_to_move(tensor, holdings, plan.fetches[save]);
  }
  write_preamble(plan, holdings, step);
  return step;
}

void derive(ExchangeStep& step) {
  const exchange::Verdict verdict = exchange::check(step.program);
  if (!verdict.ok()) throw PlanError("the exchange program is not valid: " + verdict.reason);
  take_derivations(verdict.derivations, verdict.parts, step);
}

void take_derivations(std::span<const exchange::Derivation> derivations,
                      std::span<const exchange::AggregateId> parts, ExchangeStep& step) {
  step.derivations.clear();
  for (const exchange::Derivation& derivation : derivations) {
    if (derivation.kind == exchange::Derivation::Kind::given) continue;
    Derivation out{.aggregate = derivation.aggregate, .site = derivation.site};
    if (derivation.kind == exchange::Derivation::Kind::received) {
      out.source = derivation.source;
    } else {
      const auto of = parts.subspan(static_cast<size_t>(derivation.first_part),
                                    static_cast<size_t>(derivation.part_count));
      out.parts.assign(of.begin(), of.end());
    }
    step.derivations.push_back(std::move(out));
  }
}

void apply(const PhysicalPlan& plan, const ExchangeStep& step, Holdings& holdings) {
  if (step.save >= 0) {
    const TensorId tensor = plan.graph->saves()[static_cast<size_t>(step.save)].tensor;
    for (const Resident& fetch : plan.fetches[static_cast<size_t>(step.save)]) {
      holdings.hold(tensor, fetch);
    }
    return;
  }
  hold_inputs(plan, step.op, holdings);
  holdings.produce(step.op, plan.specs[step.op.index()], plan.placement[step.op.index()]);
}

PhysicalPlan place_and_synthesise(std::shared_ptr<const Graph> graph,
                                  std::vector<JoinAggSpec> specs, int64_t sites,
                                  const PhysicalOptions& options) {
  PhysicalPlan plan{.graph = std::move(graph),
                    .specs = std::move(specs),
                    .sites = sites,
                    .partial_dtype = options.partial_dtype,
                    .placement = {},
                    .fetches = {},
                    .steps = {}};
  ensure(plan.specs.size() == plan.graph->ops().size(), "a plan needs a spec an operator");
  Holdings holdings(*plan.graph);
  Synthesiser synthesiser(plan, options.schedule);
  for (size_t i = 0; i < plan.specs.size(); ++i) {
    options.interruption.check();
    const OpId op(static_cast<int64_t>(i));
    plan.placement.push_back(place(*plan.graph, op, plan.specs[i], holdings, sites));
    plan.steps.push_back(step_of_op(plan, op, holdings));
    synthesiser.run_last();
    apply(plan, plan.steps.back(), holdings);
  }
  add_saves(plan, holdings, synthesiser);
  return plan;
}

PhysicalPlan with_saves_of(std::shared_ptr<const Graph> graph, const PhysicalPlan& plan) {
  return with_steps_of(std::move(graph), plan, Schedule());
}

PhysicalPlan first_ops(const PhysicalPlan& plan, size_t ops, const Schedule& schedule) {
  return with_steps_of(std::make_shared<const Graph>(prefix(*plan.graph, ops)), plan, schedule);
}

}  // namespace einsummable
