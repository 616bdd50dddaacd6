// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/synthesize.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "einsummable/exchange/simulator_machine.h"
#include "einsummable/synthesis/cache.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/machine_file.h"
#include "python/bindings/exchange.h"
#include "python/bindings/proposer.h"
#include "python/bindings/signals.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using exchange::Program;
using synthesis::Synthesis;

struct Request {
  std::string machine;
  uint64_t seed = 0;
  int64_t budget = 0;
  bool ideal = false;
  NamedMembers members = {};
  std::optional<double> time_limit = {};
  std::string cache_dir = {};
  synthesis::Proposer proposer = {};
};

Synthesis synthesize(const Program& program, const Request& request) {
  synthesis::ProgramCache cache(request.cache_dir);
  const Machine machine = load_machine(request.machine);
  return interruptible([&](const Interruption& interruption) {
    const nb::gil_scoped_release release;
    const synthesis::SynthesisOptions options{
        .seed = request.seed,
        .budget = request.budget,
        .ideal = request.ideal,
        .time_limit_s = request.time_limit.value_or(std::numeric_limits<double>::infinity()),
        .members = members_of(program, request.members),
        .cache = request.cache_dir.empty() ? nullptr : &cache,
        .proposer = request.proposer,
        .machine = request.proposer ? print(machine) : "",
        .interruption = interruption};
    return synthesis::synthesize(program, topology_for(program, machine), options);
  });
}

}  // namespace

void bind_synthesis(nb::module_& module, nb::class_<Program>& program) {
  nb::class_<Synthesis>(module, "Synthesis")
      .def_ro("program", &Synthesis::program)
      .def_prop_ro("members",
                   [](const Synthesis& s) { return named_members(s.program, s.members); })
      .def_ro("ms", &Synthesis::ms)
      .def_ro("naive_ms", &Synthesis::naive_ms)
      .def_ro("bound_ms", &Synthesis::bound_ms)
      .def_ro("proof", &Synthesis::proof)
      .def_ro("packing_ms", &Synthesis::packing_ms)
      .def_ro("simulations", &Synthesis::simulations)
      .def_ro("cut_short", &Synthesis::cut_short)
      .def_ro("from_cache", &Synthesis::from_cache)
      .def_ro("proposed", &Synthesis::proposed)
      .def_ro("warning", &Synthesis::warning)
      .def_prop_ro("gap", &Synthesis::gap);
  program.def(
      "synthesize",
      [](const Program& p, std::string machine, uint64_t seed, int64_t budget, bool ideal,
         NamedMembers members, std::optional<double> time_limit, std::string cache_dir,
         const std::optional<PythonProposer>& proposer) {
        return synthesize(p, {.machine = std::move(machine),
                              .seed = seed,
                              .budget = budget,
                              .ideal = ideal,
                              .members = std::move(members),
                              .time_limit = time_limit,
                              .cache_dir = std::move(cache_dir),
                              .proposer = proposer ? proposer_of(*proposer) : nullptr});
      },
      nb::arg("topology"), nb::arg("seed"), nb::arg("budget"), nb::arg("ideal"), nb::arg("members"),
      nb::arg("time_limit").none(), nb::arg("cache_dir"), nb::arg("proposer").none());
}

}  // namespace einsummable
