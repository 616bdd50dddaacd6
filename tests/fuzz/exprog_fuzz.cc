// SPDX-License-Identifier: Apache-2.0
// Any text is an exchange program or has a reason and a line; a program prints and parses back, is
// checked within its budget, has a canonical text, and runs on a machine if it is valid.
#include <cstdint>
#include <string>
#include <string_view>

#include "einsummable/base/error.h"
#include "einsummable/exchange/canonical.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/lowered.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/simulator.h"

namespace einsummable::exchange {
namespace {

constexpr Budget small = {.nodes = 10'000, .steps = 2'000'000};
constexpr int64_t few = 2'000;  // of actions and atoms, for what takes more than linear time

// A machine on which all pairs of sites share one bus.
Topology bus(int64_t sites) {
  Topology t;
  t.name = "bus";
  t.resources.push_back({Resource::Kind::bus, "bus", 1});
  t.routes.push_back({{ResourceId(0)}, 1});
  t.route_of.assign(static_cast<size_t>(sites * sites), 0);
  for (int64_t s = 0; s < sites; ++s) {
    t.device_of.push_back(static_cast<int32_t>(s));
    Device& device = t.devices.emplace_back();
    device.name = std::to_string(s);
    device.hbm_gbps = 1;
    device.kernel_latency_us = 1;
    t.route_of[static_cast<size_t>(s * sites + s)] = -1;
  }
  return t;
}

void run(const Program& program) {
  const int64_t sites = program.sites().empty() ? 1 : program.sites().back().value + 1;
  if (sites > 32) return;
  const Topology topology = bus(sites);
  try {
    const Simulation simulated = simulate(program, topology, {.budget = small});
    SimulatorLoop loop(topology, Latencies::stated);
    loop.run(lower(simulated.program, simulated.members, simulated.derivations, simulated.parts));
  } catch (const ExchangeError&) {
    // Covers that are too hard in the order of simulated time.
  }
}

void fuzz(std::string_view text) {
  const ParseVerdict read = parse(text);
  if (!read.ok) {
    ensure(read.line > 0 && !read.reason.empty(), "a text that is no program has a reason");
    return;
  }
  const ParseVerdict again = parse(print(read.program));
  ensure(again.ok && again.program == read.program, "the text of a program changes");
  const Verdict verdict = check(read.program, {.budget = small, .tries = 10});
  ensure(verdict.ok() != !verdict.reason.empty(), "what is not valid has a reason");
  if (std::ssize(read.program.body()) > few || std::ssize(read.program.atoms()) > few) return;
  const Canonical one = canonical(read.program, {.refinements = 20});
  const Canonical two = canonical(again.program, {.refinements = 20});
  ensure(!one.complete || !two.complete || one.text == two.text, "a canonical text changes");
  if (verdict.ok()) run(read.program);
}

}  // namespace
}  // namespace einsummable::exchange

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  einsummable::exchange::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
