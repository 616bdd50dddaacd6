// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/proposer.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "einsummable/base/error.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/simulator_machine.h"
#include "einsummable/synthesis/appraise.h"
#include "einsummable/synthesis/naive.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/machine_file.h"
#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using exchange::Program;

// The program itself if it has a body, else its naive body.
Program begin_with(const Program& program, const exchange::Members& members) {
  if (!program.body().empty()) return program;
  synthesis::Body body = synthesis::naive(program, members);
  if (!body.ok) throw ExchangeError(body.reason);
  Program naive = program;
  naive.set_body(std::move(body.actions));
  return naive;
}

// Asks Python. What it raises is a failure of the proposer, but for what ends the program.
std::string ask(const nb::callable& proposer, const std::string& prompt) {
  const nb::gil_scoped_acquire acquire;
  try {
    return nb::cast<std::string>(proposer(prompt));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    throw synthesis::ProposerFailure(nb::cast<std::string>(nb::str(error.value())));
  }
}

synthesis::Proposed propose(const Program& program, const std::string& name,
                            const PythonProposer& python, double bound_ms, bool ideal,
                            int64_t rounds, int64_t candidates) {
  const synthesis::Proposer proposer = proposer_of(python);
  const nb::gil_scoped_release release;
  const Machine machine = load_machine(name);
  const Topology topology = exchange::topology_for(program, machine);
  const auto declared = program.members();
  const exchange::Verdict verdict =
      program.body().empty() ? exchange::Verdict{} : exchange::check(program);
  if (!program.body().empty() && !verdict.ok()) throw ExchangeError(verdict.reason);
  if (program.body().empty() && !declared) throw ExchangeError(synthesis::naive(program).reason);
  const exchange::Members members = program.body().empty() ? *declared : verdict.members;
  Program preamble = program;
  preamble.set_body({});
  return synthesis::propose(
      preamble, begin_with(program, members), members,
      {.machine = print(machine), .bound = 1e-3 * bound_ms}, proposer,
      synthesis::appraise_on(topology, {.ideal = ideal}),
      {.rounds = rounds, .candidates = candidates, .good_enough = 1.01e-3 * bound_ms});
}

}  // namespace

synthesis::Proposer proposer_of(const PythonProposer& proposer) {
  const std::shared_ptr<nb::callable> shared(new nb::callable(proposer), [](nb::callable* last) {
    const nb::gil_scoped_acquire acquire;
    delete last;
  });
  return [shared](const std::string& prompt) { return ask(*shared, prompt); };
}

void bind_proposer(nb::module_& module) {
  using synthesis::Proposed;
  nb::class_<Proposed>(module, "Proposed", "What came of asking a proposer.")
      .def_ro("program", &Proposed::program, "The best program.")
      .def_ro("improved", &Proposed::improved, "Whether it came from a reply.")
      .def_ro("asked", &Proposed::asked)
      .def_ro("valid", &Proposed::valid, "How many replies held a valid program.")
      .def_ro("failures", &Proposed::failures, "Why replies were not taken.")
      .def_ro("warning", &Proposed::warning, "Why asking ended early; empty if it did not.")
      .def_prop_ro("ms", [](const Proposed& p) { return 1e3 * p.appraisal.seconds; });
  module.def("propose", &propose, nb::arg("program"), nb::arg("machine"), nb::arg("proposer"),
             nb::arg("bound_ms"), nb::arg("ideal"), nb::arg("rounds"), nb::arg("candidates"));
}

}  // namespace einsummable
