// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "einsummable/exchange/size.h"

namespace einsummable::exchange {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }

std::string fixed(double value, int decimals, int width = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f", width, decimals, value);
  return text;
}

// Enough digits to tell times apart, whatever their size.
int decimals_of(double ms) {
  if (ms <= 0) return 3;
  return std::clamp(4 - static_cast<int>(std::floor(std::log10(ms))), 3, 9);
}

std::string line(double start, double end, int decimals, const std::string& what) {
  const int width = decimals + 6;
  return fixed(start, decimals, width) + fixed(end, decimals, width + 1) + "  " + what + '\n';
}

// The resources that carried something, the busiest first.
std::vector<const Simulation::Load*> busiest(const Simulation& simulation) {
  std::vector<const Simulation::Load*> loads;
  for (const Simulation::Load& load : simulation.load) {
    if (load.bytes > 0) loads.push_back(&load);
  }
  std::ranges::stable_sort(loads, std::greater<>(),
                           [](const Simulation::Load* load) { return load->share; });
  return loads;
}

}  // namespace

std::string step_text(const Simulation& simulation, const Simulation::Step& step) {
  std::string text =
      aggregate_text(simulation.program, step.aggregate) + " @ " + std::to_string(step.site.value);
  if (step.is_transfer()) return text + " -> " + std::to_string(step.destination.value);
  std::string_view separator = " of ";
  for (AggregateId part : simulation.parts_of(step)) {
    text += separator;
    text += aggregate_text(simulation.program, part);
    separator = ", ";
  }
  return text;
}

std::string timeline_text(const Simulation& simulation, size_t limit) {
  const int decimals = decimals_of(simulation.ms);
  std::string text;
  const size_t count = std::min(limit, simulation.timeline.size());
  for (size_t k = 0; k < count; ++k) {
    const Simulation::Step& step = simulation.timeline[k];
    text += line(step.start_ms, step.end_ms, decimals, step_text(simulation, step));
  }
  if (count < simulation.timeline.size()) {
    text += "and " + std::to_string(simulation.timeline.size() - count) + " more\n";
  }
  return text;
}

std::string critical_path_text(const Simulation& simulation) {
  const int decimals = decimals_of(simulation.ms);
  std::string text = fixed(simulation.ms, decimals) + " ms";
  const auto loads = busiest(simulation);
  if (!loads.empty()) {
    text += "; " + loads[0]->name + " busy " + fixed(100 * loads[0]->share, 0) + " %";
  }
  text += '\n';
  const auto& path = simulation.critical_path;
  for (size_t k = 0; k < path.size();) {
    const Simulation::Step& first = simulation.timeline[index(path[k])];
    size_t next = k + 1;
    for (; next < path.size(); ++next) {
      const Simulation::Step& step = simulation.timeline[index(path[next])];
      if (step.site != first.site || step.destination != first.destination) break;
    }
    std::string what = step_text(simulation, first);
    if (next - k > 1) what += " and " + std::to_string(next - k - 1) + " more";
    const Simulation::Step& last = simulation.timeline[index(path[next - 1])];
    text += line(first.start_ms, last.end_ms, decimals, what);
    k = next;
  }
  return text;
}

std::string load_text(const Simulation& simulation) {
  const int decimals = decimals_of(simulation.ms);
  std::string text;
  for (const Simulation::Load* load : busiest(simulation)) {
    text += fixed(100 * load->share, 0, 5) + " %  " + load->name + ": " +
            size_text(std::llround(load->bytes)) + " in " + fixed(load->busy_ms, decimals) +
            " ms\n";
  }
  return text;
}

}  // namespace einsummable::exchange
