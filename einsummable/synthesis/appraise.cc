// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/appraise.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {

using namespace exchange;

namespace {

constexpr size_t most_steps = 40;
constexpr size_t most_loads = 5;

std::string digits(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
  return buffer.data();
}

std::string step_text(const Simulation& simulation, const Simulation::Step& step) {
  std::string text = aggregate_text(simulation.program, step.aggregate);
  if (step.is_transfer()) {
    text +=
        " @ " + std::to_string(step.site.value) + " -> " + std::to_string(step.destination.value);
  } else {
    text += " aggregated at " + std::to_string(step.site.value);
  }
  return text + " from " + digits(step.start_ms) + " to " + digits(step.end_ms) + " ms\n";
}

}  // namespace

std::string critical_path_text(const Simulation& simulation) {
  const auto& path = simulation.critical_path;
  std::string text;
  const size_t first = path.size() > most_steps ? path.size() - most_steps : 0;
  if (first > 0) text += std::to_string(first) + " steps, and then\n";
  for (size_t i = first; i < path.size(); ++i)
    text += step_text(simulation, simulation.timeline[static_cast<size_t>(path[i])]);
  std::vector<std::pair<double, std::string>> busy;
  for (const Simulation::Load& load : simulation.load) {
    if (simulation.ms > 0 && load.busy_ms > 0)
      busy.emplace_back(100 * load.busy_ms / simulation.ms, load.name);
  }
  std::ranges::stable_sort(busy, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (busy.size() > most_loads) busy.resize(most_loads);
  for (const auto& [share, name] : busy)
    text += name + " is busy " + digits(share) + " % of the time\n";
  return text;
}

Appraise appraise_on(const Topology& topology, SimulateOptions options) {
  return [&topology, options = std::move(options)](const Program& program, const Members& members) {
    SimulateOptions with = options;
    with.members = members;
    const Simulation simulation = simulate(program, topology, with);
    if (!simulation.uniform)
      throw ExchangeError("replicas of an aggregate are made of different parts");
    return Appraisal{.seconds = 1e-3 * simulation.ms,
                     .critical_path = critical_path_text(simulation)};
  };
}

}  // namespace einsummable::synthesis
