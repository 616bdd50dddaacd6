// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/exchange/bounds.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/simulator_machine.h"
#include "einsummable/topology/load.h"
#include "python/bindings/bindings.h"
#include "python/bindings/exchange.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using exchange::Program;
using exchange::Verdict;

Program parse_program(const std::string& source) {
  exchange::ParseVerdict verdict = exchange::parse(source);
  if (!verdict.ok) {
    throw ExchangeError("line " + std::to_string(verdict.line) + ": " + verdict.reason);
  }
  return std::move(verdict.program);
}

struct NamedBound {
  exchange::Bound bound;
  NamedMembers members;
};

NamedBound bound_program(const Program& program, const std::string& machine,
                         const NamedMembers& named, bool ideal) {
  const nb::gil_scoped_release release;
  const Topology topology = topology_for(program, load_machine(machine));
  NamedBound out;
  out.bound = exchange::lower_bound(program, topology,
                                    {.ideal = ideal, .members = members_of(program, named)});
  out.members = named_members(program, out.bound.members);
  return out;
}

struct NamedVerdict {
  Verdict verdict;
  NamedMembers members;
  std::string derivations;
};

NamedVerdict check_program(const Program& program, const NamedMembers& named) {
  const nb::gil_scoped_release release;
  NamedVerdict out;
  out.verdict = exchange::check(program, {.members = members_of(program, named)});
  out.members = named_members(program, out.verdict.members);
  // The verdict is of the program of pieces.
  if (out.verdict.ok()) {
    out.derivations =
        derivations_text(program.splits().empty() ? program : expand(program), out.verdict);
  }
  return out;
}

}  // namespace

exchange::Members members_of(const Program& program, const NamedMembers& named) {
  exchange::Members out;
  if (named.empty()) return out;
  std::vector<std::string> known;
  for (const exchange::Partition& partition : program.partitions()) {
    known.push_back(partition.name);
    const auto found = named.find(partition.name);
    out.push_back(partition.members);
    if (found == named.end()) continue;
    out.back().clear();
    for (int64_t site : found->second) {
      if (site < 0 || site >= exchange::site_number_limit) {
        throw ExchangeError("there is no site " + std::to_string(site) +
                            "; sites are numbered from 0 to " +
                            std::to_string(exchange::site_number_limit - 1));
      }
      out.back().push_back(exchange::SiteId(site));
    }
    std::ranges::sort(out.back());
  }
  for (const auto& [name, sites] : named) {
    if (std::ranges::find(known, name) == known.end()) {
      throw ExchangeError("there is no partition " + quote(name) + "; there are " +
                          (known.empty() ? "none" : join(known, ", ")));
    }
  }
  return out;
}

NamedMembers named_members(const Program& program, const exchange::Members& members) {
  NamedMembers out;
  for (size_t i = 0; i < members.size(); ++i) {
    for (exchange::SiteId site : members[i]) {
      out[program.partitions()[i].name].push_back(site.value);
    }
  }
  return out;
}

void bind_exchange(nb::module_& module) {
  nb::class_<NamedVerdict>(module, "Verdict",
                           "Whether an exchange program is valid (Definition 5.5); true if it is.")
      .def_prop_ro("ok", [](const NamedVerdict& v) { return v.verdict.ok(); })
      .def_prop_ro(
          "reason", [](const NamedVerdict& v) { return v.verdict.reason; },
          "Why it is not valid; empty if it is.")
      .def_prop_ro(
          "uniform", [](const NamedVerdict& v) { return v.verdict.uniform; },
          "Whether all replicas of an aggregate are equal bit for bit.")
      .def_ro("members", &NamedVerdict::members, "Of each partition, as given or as found.")
      .def_ro("derivations", &NamedVerdict::derivations,
              "How everything comes about, one line each, in firing order.")
      .def("__bool__", [](const NamedVerdict& v) { return v.verdict.ok(); });
  nb::class_<NamedBound>(module, "Bound", "A time that no program for a preamble takes less than.")
      .def_prop_ro("ms", [](const NamedBound& b) { return b.bound.ms; })
      .def_prop_ro(
          "proof", [](const NamedBound& b) { return b.bound.proof; }, "What proves it, in words.")
      .def_ro("members", &NamedBound::members,
              "Of each partition, as given or those that allow the least.");
  nb::class_<Program> program(module, "Program");
  program.def("text", [](const Program& p) { return exchange::print(p); })
      .def("check", &check_program, nb::arg("members"))
      .def("bound", &bound_program, nb::arg("machine"), nb::arg("members"), nb::arg("ideal"));
  bind_simulation(module, program);
  bind_synthesis(module, program);
  module.def("parse_program", &parse_program, nb::arg("source"));
}

}  // namespace einsummable
