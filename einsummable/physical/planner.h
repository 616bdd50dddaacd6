// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "einsummable/physical/holdings.h"
#include "einsummable/physical/synthesiser.h"

namespace einsummable {

struct PhysicalOptions {
  std::optional<DType> partial_dtype = {};  // in which float sums travel, if not as operators state
  Schedule schedule = {};                   // how programs are made
  Interruption interruption = {};           // asked now and then
};

// Places every cell and writes every exchange program, operator after operator (Section 5.1): where
// an operator is reached, its inputs' blocks lie where their cells ran. `specs` has one spec an
// operator of the pruned graph, of at most `sites` cells.
PhysicalPlan place_and_synthesise(std::shared_ptr<const Graph> graph,
                                  std::vector<JoinAggSpec> specs, int64_t sites,
                                  const PhysicalOptions& options = {});

// The same plan for a graph that differs in what it saves alone: specs, placement and the programs
// before operators stay, only saved tensors are fetched anew.
PhysicalPlan with_saves_of(std::shared_ptr<const Graph> graph, const PhysicalPlan& plan);

// The plan of the first operators alone. What they leave for others is saved and, as what they save
// themselves, fetched anew, by programs that `schedule` makes.
PhysicalPlan first_ops(const PhysicalPlan& plan, size_t ops, const Schedule& schedule);

// What the step leaves where, once its operator has run or its saved tensor is fetched.
void apply(const PhysicalPlan& plan, const ExchangeStep& step, Holdings& holdings);

// The step before an operator, or before a saved tensor is fetched, with its preamble and no body:
// all that follows from specs and placement.
ExchangeStep step_of_op(const PhysicalPlan& plan, OpId op, const Holdings& holdings);
ExchangeStep step_of_save(const PhysicalPlan& plan, size_t save, const Holdings& holdings);

// Checks the step's program (Definition 5.5) and takes one derivation an (aggregate, site) from the
// verdict. Throws PlanError with the reason if it is not valid.
void derive(ExchangeStep& step);
// Takes derivations of expand(program), with the parts they refer to; what is given is none.
void take_derivations(std::span<const exchange::Derivation> derivations,
                      std::span<const exchange::AggregateId> parts, ExchangeStep& step);

// What is fetched of a saved tensor, and from where: the producer's blocks, each, or each part of
// it, where it is complete; what is complete nowhere at the holder of a partial that has the fewest
// so far.
std::vector<Resident> fetches_of(const PhysicalPlan& plan, TensorId tensor,
                                 const Holdings& holdings);

}  // namespace einsummable
