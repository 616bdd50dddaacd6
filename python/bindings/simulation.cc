// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "einsummable/exchange/collective.h"
#include "einsummable/exchange/simulator_machine.h"
#include "einsummable/exchange/simulator_text.h"
#include "einsummable/topology/load.h"
#include "python/bindings/exchange.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using exchange::Program;
using exchange::Simulation;

// A step with its names, as Python reads it.
struct NamedStep {
  std::string text, aggregate;
  std::vector<std::string> parts;
  int64_t site = 0;
  std::optional<int64_t> destination;
  double start_ms = 0, end_ms = 0;
  int64_t bytes = 0;
};

NamedStep named(const Simulation& simulation, const Simulation::Step& step) {
  NamedStep out{.text = step_text(simulation, step),
                .aggregate = aggregate_text(simulation.program, step.aggregate),
                .parts = {},
                .site = step.site.value,
                .destination = std::nullopt,
                .start_ms = step.start_ms,
                .end_ms = step.end_ms,
                .bytes = step.bytes};
  for (exchange::AggregateId part : simulation.parts_of(step)) {
    out.parts.push_back(aggregate_text(simulation.program, part));
  }
  if (step.is_transfer()) out.destination = step.destination.value;
  return out;
}

std::vector<NamedStep> timeline(const Simulation& simulation) {
  std::vector<NamedStep> out;
  for (const Simulation::Step& step : simulation.timeline) out.push_back(named(simulation, step));
  return out;
}

std::vector<NamedStep> critical_steps(const Simulation& simulation) {
  std::vector<NamedStep> out;
  for (int32_t step : simulation.critical_path) {
    out.push_back(named(simulation, simulation.timeline[static_cast<size_t>(step)]));
  }
  return out;
}

Simulation simulate(const Program& program, const std::string& machine, bool ideal,
                    const NamedMembers& members) {
  const nb::gil_scoped_release release;
  return exchange::simulate(program, topology_for(program, load_machine(machine)),
                            {.ideal = ideal, .members = members_of(program, members)});
}

}  // namespace

void bind_simulation(nb::module_& module, nb::class_<Program>& program) {
  nb::class_<NamedStep>(module, "Step", "A transfer, or the forming of an aggregate at a site.")
      .def_ro("aggregate", &NamedStep::aggregate, "Its name: \"A+B\".")
      .def_ro("site", &NamedStep::site, "Where it is formed, or sent from.")
      .def_ro("destination", &NamedStep::destination, "Where it is sent; None if it is formed.")
      .def_ro("parts", &NamedStep::parts, "What it is formed of.")
      .def_ro("start_ms", &NamedStep::start_ms)
      .def_ro("end_ms", &NamedStep::end_ms)
      .def_ro("bytes", &NamedStep::bytes,
              "Of the transfer; through the memory of the site if it is formed.")
      .def("__str__", [](const NamedStep& step) { return step.text; })
      .def("__repr__", [](const NamedStep& step) { return "<" + step.text + ">"; });
  nb::class_<Simulation::Load>(module, "Load", "What a resource carried.")
      .def_ro("name", &Simulation::Load::name, "\"link 2->6\", \"memory of 3\".")
      .def_ro("bytes", &Simulation::Load::bytes)
      .def_ro("busy_ms", &Simulation::Load::busy_ms, "For how long something passed.")
      .def_ro("share", &Simulation::Load::share, "Of what it could carry in the whole time.")
      .def("__repr__", [](const Simulation::Load& load) { return "<" + load.name + ">"; });
  nb::class_<Simulation>(module, "Simulation", "What happens when a program runs on a machine.")
      .def_ro("ms", &Simulation::ms, "Until every action has ended, needed or not.")
      .def_prop_ro("timeline", &timeline, "Its steps, by start.")
      .def_ro("load", &Simulation::load, "Of every resource, then of every device's memory.")
      .def_ro("skipped", &Simulation::skipped,
              "How many transfers were to where their aggregate was already.")
      .def_ro("uniform", &Simulation::uniform,
              "Whether every aggregate was made of the same parts at all sites.")
      .def_prop_ro("critical_path", &exchange::critical_path_text,
                   "What bounds the time, in words.")
      .def_prop_ro("critical_steps", &critical_steps,
                   "The steps of the critical path, each started by the end of the one before.")
      .def_prop_ro(
          "members", [](const Simulation& s) { return named_members(s.program, s.members); },
          "Of each partition, as given or as found.")
      .def(
          "timeline_text",
          [](const Simulation& s, size_t limit) { return timeline_text(s, limit); },
          nb::arg("limit") = 1'000)
      .def("load_text", &exchange::load_text)
      .def("__repr__", [](const Simulation& s) {
        return "<simulation of " + std::to_string(s.timeline.size()) + " steps>";
      });
  program.def("simulate", &simulate, nb::arg("topology"), nb::arg("ideal"), nb::arg("members"));
  module.def("collective", &exchange::collective, nb::arg("name"), nb::arg("sites"),
             nb::arg("size"));
  module.def("collective_names", &exchange::collective_names);
}

}  // namespace einsummable
