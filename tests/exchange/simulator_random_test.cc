// SPDX-License-Identifier: Apache-2.0
// The simulator agrees with a plain one on random programs and machines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/sends.h"
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

Verdict frozen(const Simulation& s) {
  return {.outcome = Verdict::Outcome::valid,
          .members = s.members,
          .uniform = s.uniform,
          .derivations = s.derivations,
          .parts = s.parts};
}

TEST(SimulatorDerivations, AreThoseOfTheClosureAndRunAsFast) {
  int same = 0;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Program program = valid_program(random);
    const Topology topology = random_machine(static_cast<int64_t>(program.sites().size()), random);
    const Simulation s = simulate(program, topology);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(program));
    ASSERT_EQ(derivation_fault(program, frozen(s), brute_force_closure(program, s.members)), "");
    const Lowered lowered = lower(s.program, s.members, s.derivations, s.parts);
    SimulatorLoop loop(topology, Latencies::stated);
    const double ms = loop.run(lowered);
    ASSERT_EQ(loop.run(lowered), ms);
    // Without what came too late to be used, others may be faster or slower.
    if (lowered.transfers.size() + lowered.forms.size() != s.timeline.size()) continue;
    ASSERT_NEAR(ms, s.ms, 1e-9 * (1 + ms));
    ++same;
  }
  EXPECT_GT(same, 40);
}

// Every action in its parts, sorted by the pair of sites; those of a pair in the order they had.
Program sorted_by_pairs(const Program& program) {
  std::vector<Action> body;
  for (const Action& a : program.body()) {
    body.push_back({a.aggregate, a.source, {}});
    for (Place p : a.destinations) {
      each_site(p, *program.members(), [&](SiteId s) {
        body.push_back({a.aggregate, a.source, {s}});
      });
    }
  }
  std::ranges::stable_sort(body, std::greater<>(), [](const Action& a) {
    return std::pair(a.source, a.destinations.empty() ? Place() : a.destinations[0]);
  });
  Program sorted = program;
  sorted.set_body(body);
  return sorted;
}

TEST(SimulatorOrder, CountsOnlyAmongTheTransfersOfAPair) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Program program = valid_program(random);
    Topology topology = random_machine(static_cast<int64_t>(program.sites().size()), random);
    topology.workers = 0;
    const Simulation s = simulate(program, topology);
    const Simulation sorted = simulate(sorted_by_pairs(program), topology);
    ASSERT_NEAR(s.ms, sorted.ms, 1e-9 * (1 + s.ms)) << print(program);
    ASSERT_EQ(s.timeline.size(), sorted.timeline.size()) << print(program);
  }
}

// Two orders of the transfers of one lowered program are as two programs.
TEST(SimulatorOrder, OfALoweredProgramMayBeGiven) {
  for (int seed = 0; seed < 100; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Program program = valid_program(random);
    const Topology topology = random_machine(static_cast<int64_t>(program.sites().size()), random);
    const Simulation s = simulate(program, topology);
    const Lowered lowered = lower(s.program, s.members, s.derivations, s.parts);
    std::vector<int32_t> order;
    for (size_t t = 0; t < lowered.transfers.size(); ++t) order.push_back(static_cast<int32_t>(t));
    std::ranges::shuffle(order, random);
    Lowered reordered = lowered;
    for (size_t k = 0; k < order.size(); ++k) {
      reordered.transfers[k] = lowered.transfers[static_cast<size_t>(order[k])];
    }
    SimulatorLoop loop(topology, Latencies::stated);
    const double by_order = loop.run(lowered, order);
    const double start = order.empty() ? 0 : loop.start_ms(order[0]);
    ASSERT_EQ(by_order, loop.run(reordered)) << print(program);
    if (!order.empty()) {
      ASSERT_EQ(start, loop.start_ms(0));
    }
  }
}

}  // namespace
}  // namespace einsummable::exchange
