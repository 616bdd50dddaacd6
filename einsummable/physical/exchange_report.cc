// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/exchange_report.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/exchange/bounds.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/simulator.h"
#include "einsummable/physical/pieces.h"
#include "einsummable/physical/synthesiser.h"
#include "einsummable/topology/resolve.h"

namespace einsummable {
namespace {

using exchange::Program;

// What the step does, without times.
ExchangeReport counted(const PhysicalPlan& plan, const ExchangeStep& step) {
  ExchangeReport out;
  out.save = step.save >= 0;
  out.op = out.save ? plan.graph->saves()[static_cast<size_t>(step.save)].name
                    : plan.graph->op(step.op).name;
  const StepInPieces pieces(step);
  for (const Derivation& derivation : pieces->derivations) {
    if (derivation.source.valid()) {
      out.bytes = checked_add(out.bytes, pieces->program.bytes(derivation.aggregate));
    } else {
      ++out.merges;
    }
  }
  return out;
}

// What programs take on a machine; those that differ by names alone are worked out once.
class Appraiser {
 public:
  struct Times {
    double ms = 0;
    exchange::Bound bound = {};
  };

  explicit Appraiser(const Topology& topology) : topology_(topology), cuts_(topology) {}

  const Times& of(const Program& program) {
    const auto known = std::ranges::find_if(known_, [&](const Known& earlier) {
      return earlier.program->body() == program.body() &&
             same_but_for_names(*earlier.program, program);
    });
    if (known != known_.end()) return known->times;
    known_.push_back({&program,
                      {.ms = exchange::simulate(program, topology_).ms,
                       .bound = exchange::quick_bound(exchange::preamble_of(program), cuts_)}});
    return known_.back().times;
  }

 private:
  struct Known {
    const Program* program;
    Times times;
  };

  const Topology& topology_;
  exchange::CutTable cuts_;
  std::vector<Known> known_;
};

}  // namespace

std::optional<double> gap(double ms, double bound_ms) {
  if (bound_ms > 0) return ms / bound_ms - 1;
  return ms > 0 ? std::nullopt : std::optional(0.0);
}

std::optional<double> ExchangeReport::gap() const { return einsummable::gap(ms, bound_ms); }

std::vector<ExchangeReport> report_exchanges(const PhysicalPlan& plan, const Topology& topology,
                                             const Interruption& interruption) {
  require_sites(topology, plan.sites);
  Appraiser appraiser(topology);
  std::vector<ExchangeReport> out;
  for (const ExchangeStep& step : plan.steps) {
    if (step.derivations.empty()) continue;
    interruption.check();
    ExchangeReport& report = out.emplace_back(counted(plan, step));
    try {
      const Appraiser::Times& times = appraiser.of(step.program);
      report.ms = times.ms;
      report.bound_ms = times.bound.ms;
      report.proof = times.bound.proof;
    } catch (const TopologyError& error) {
      throw TopologyError("the exchange before " + quote(report.op) + ": " + error.what());
    }
  }
  return out;
}

}  // namespace einsummable
