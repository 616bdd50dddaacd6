// SPDX-License-Identifier: Apache-2.0
// The simulator agrees with a plain one on random programs and machines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/simulator.h"
#include "tests/exchange/brute_force.h"
#include "tests/exchange/simulator_machines.h"
#include "tests/exchange/simulator_oracle.h"

namespace einsummable::exchange {
namespace {

using Random = std::mt19937_64;

int64_t below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

// A random program of which every action can fire: each aggregates some of what its source has by
// then. The actions stand in random order.
Program valid_program(Random& random) {
  const int64_t sites = 2 + below(random, 5);
  const int64_t bytes = 1 + below(random, below(random, 2) == 0 ? 1'000'000'000 : 100);
  Program program;
  program.set_sites(sites);
  std::vector<std::vector<AggregateId>> at(static_cast<size_t>(sites));
  const auto put = [&](AggregateId aggregate, int64_t site) {
    at[static_cast<size_t>(site)].push_back(aggregate);
  };
  for (int64_t k = 2 + below(random, 5); k > 0; --k) {
    const std::string name(1, static_cast<char>('A' + k));
    const AggregateId atom = program.aggregate(program.add_atom({.name = name, .bytes = bytes}));
    for (int64_t copies = 1 + below(random, 2); copies > 0; --copies) {
      const int64_t site = below(random, sites);
      program.give(atom, SiteId(site));
      put(atom, site);
    }
  }
  const PartitionId half = program.add_partition("Half", {SiteId(0), SiteId(1)});
  std::vector<SiteId> rest;
  for (int64_t s = 2; s < sites; ++s) rest.emplace_back(s);
  if (!rest.empty()) program.add_partition("Rest", rest);
  std::vector<Action> body;
  for (int64_t k = 3 + below(random, 60); k > 0; --k) {
    const int64_t site = below(random, sites);
    std::vector<AggregateId>& there = at[static_cast<size_t>(site)];
    std::ranges::shuffle(there, random);
    std::vector<AtomId> atoms;
    for (size_t n = 0; n < there.size() && n < static_cast<size_t>(1 + below(random, 3)); ++n) {
      const auto more = program.atoms(there[n]);
      const auto known = [&](AtomId a) { return std::ranges::find(atoms, a) != atoms.end(); };
      if (std::ranges::none_of(more, known)) atoms.insert(atoms.end(), more.begin(), more.end());
    }
    if (atoms.empty()) continue;
    const AggregateId aggregate = program.aggregate(atoms);
    put(aggregate, site);
    Action action{aggregate, SiteId(site), {}};
    for (int64_t d = below(random, 4); d > 0; --d) {
      if (below(random, 5) == 0) {
        action.destinations.emplace_back(half);
        for (int64_t s = 0; s < 2; ++s) put(aggregate, s);
      } else {
        action.destinations.emplace_back(SiteId(below(random, sites)));
        put(aggregate, action.destinations.back().site.value);
      }
    }
    body.push_back(action);
  }
  std::ranges::shuffle(body, random);
  for (const Action& action : body) program.add_action(action);
  if (!body.empty() && below(random, 3) == 0) {
    const AggregateId last = body.back().aggregate;
    program.require(last, body.back().source);
    if (program.atoms(last).size() == program.atoms().size()) {
      program.set_complete_bytes(last, (bytes + 1) / 2);
    }
  }
  return program;
}

// Bandwidths and latencies of few kinds, so that things end together now and then.
Topology random_machine(int64_t sites, Random& random) {
  const double speeds[] = {10, 25, 50, 75, 15.75};
  const auto speed = [&] { return speeds[below(random, 5)]; };
  Topology t = empty_machine(sites, 100 * static_cast<double>(1 + below(random, 9)));
  if (sites > 2 && below(random, 3) == 0) t.device_of.back() = 0;
  for (Device& d : t.devices) d.kernel_latency_us = 2.5 * static_cast<double>(below(random, 5));
  std::vector<ResourceId> shared;
  for (const char* name : {"bus a", "bus b"}) {
    shared.push_back(add_resource(t, Resource::Kind::bus, name, speed()));
  }
  for (int64_t s = 0; s < sites; ++s) {
    const std::string name = std::to_string(s);
    shared.push_back(add_resource(t, Resource::Kind::egress, "egress " + name, speed()));
    shared.push_back(add_resource(t, Resource::Kind::ingress, "ingress " + name, speed()));
  }
  for (int64_t a = 0; a < sites; ++a) {
    for (int64_t b = 0; b < sites; ++b) {
      if (a == b) continue;
      Route route{{}, 1.5 * static_cast<double>(below(random, 4))};
      const int64_t kind = below(random, 8);
      const auto at = [&](int64_t k) { return shared[static_cast<size_t>(k)]; };
      if (kind < 4) route.resources = {at(2 + 2 * a), at(3 + 2 * b)};
      if (kind == 3) route.resources.push_back(at(0));
      if (kind == 4) route.resources = {at(0)};
      if (kind == 5) route.resources = {at(1)};
      if (kind == 6) {
        const std::string name = std::to_string(a) + "->" + std::to_string(b);
        route.resources = {add_resource(t, Resource::Kind::link, "link " + name, speed())};
      }
      set_route(t, a, b, route);
    }
  }
  t.workers = below(random, 4) == 0 ? 1 + below(random, 2) : 0;
  t.handover = below(random, 10) == 0;
  return t;
}

std::vector<PlainStep> steps_of(const Simulation& simulation) {
  std::vector<PlainStep> steps;
  for (const Simulation::Step& s : simulation.timeline) {
    std::string text =
        aggregate_text(simulation.program, s.aggregate) + " @ " + std::to_string(s.site.value);
    if (s.is_transfer()) text += " -> " + std::to_string(s.destination.value);
    for (AggregateId part : simulation.parts_of(s)) {
      if (text.find('=') == std::string::npos) text += " =";
      text += " " + aggregate_text(simulation.program, part);
    }
    steps.push_back({text, s.start_ms, s.end_ms});
  }
  std::ranges::sort(steps, {}, [](const PlainStep& s) { return std::pair(s.text, s.start_ms); });
  return steps;
}

std::string text_of(const std::vector<PlainStep>& steps) {
  std::string text;
  for (const PlainStep& s : steps) {
    text += s.text + "  " + std::to_string(s.start_ms) + " " + std::to_string(s.end_ms) + '\n';
  }
  return text;
}

TEST(SimulatorAgainstAPlainOne, AgreesOnRandomProgramsAndMachines) {
  const int rounds = std::getenv("EINSUMMABLE_TEST_FULL") != nullptr ? 20'000 : 600;
  int64_t steps = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Program program = valid_program(random);
    const Topology topology = random_machine(static_cast<int64_t>(program.sites().size()), random);
    const bool ideal = below(random, 2) == 0;
    const PlainSimulation plain = simulate_plainly(program, topology, ideal);
    const Simulation ours = simulate(program, topology, {.ideal = ideal});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(program));
    const std::vector<PlainStep> mine = steps_of(ours);
    const std::string both = text_of(plain.steps) + "ours:\n" + text_of(mine);
    ASSERT_NEAR(ours.ms, plain.ms, 1e-9 * (1 + plain.ms)) << both;
    ASSERT_EQ(ours.skipped, plain.skipped) << both;
    ASSERT_EQ(mine.size(), plain.steps.size()) << both;
    for (size_t k = 0; k < mine.size(); ++k) {
      ASSERT_EQ(mine[k].text, plain.steps[k].text) << both;
      ASSERT_NEAR(mine[k].start_ms, plain.steps[k].start_ms, 1e-9 * (1 + plain.ms)) << both;
      ASSERT_NEAR(mine[k].end_ms, plain.steps[k].end_ms, 1e-9 * (1 + plain.ms)) << both;
    }
    steps += static_cast<int64_t>(mine.size());
  }
  EXPECT_GT(steps, 12 * rounds);
}

}  // namespace
}  // namespace einsummable::exchange
