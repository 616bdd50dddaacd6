// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/synthesiser.h"

#include <gtest/gtest.h>

#include "einsummable/physical/planner.h"
#include "einsummable/synthesis/naive.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/plans.h"

namespace einsummable {
namespace {

// Four rows of two partials each, at sites 0 and 1, needed at sites 1 and 2.
exchange::Program preamble(const std::string& name, int64_t bytes) {
  exchange::Program program;
  program.set_sites(3);
  const auto add = [&](const char* suffix, SiteId site) {
    const exchange::AtomId atom = program.add_atom({.name = name + suffix, .bytes = bytes});
    program.give(program.aggregate(atom), site);
    return atom;
  };
  const std::vector<exchange::AtomId> atoms = {add(".0", SiteId(0)), add(".1", SiteId(1))};
  const exchange::AggregateId complete = program.aggregate(atoms);
  program.require(complete, SiteId(1));
  program.require(complete, SiteId(2));
  return program;
}

TEST(SameButForNames, ComparesAllElse) {
  const exchange::Program a = preamble("a", 16);
  EXPECT_TRUE(same_but_for_names(a, preamble("b", 16)));
  EXPECT_FALSE(same_but_for_names(a, preamble("a", 32)));
  const auto differs = [&](const auto& change) {
    exchange::Program b = preamble("a", 16);
    change(b);
    return !same_but_for_names(a, b) && !same_but_for_names(b, a);
  };
  const auto cut = [](const char* name, std::vector<int64_t> sizes) {
    exchange::Program program = preamble(name, 16);
    for (int64_t atom : {0, 1}) program.add_split(exchange::AtomId(atom), sizes);
    return program;
  };
  EXPECT_TRUE(same_but_for_names(cut("a", {8, 8}), cut("b", {8, 8})));
  EXPECT_FALSE(same_but_for_names(cut("a", {8, 8}), cut("b", {4, 12})));
  EXPECT_FALSE(same_but_for_names(cut("a", {8, 8}), cut("b", {8, 4, 4})));
  const exchange::AggregateId first = a.given()[0].aggregate, all = a.required()[0].aggregate;
  EXPECT_TRUE(differs([](exchange::Program& b) { b.set_sites(4); }));
  EXPECT_TRUE(differs([](exchange::Program& b) { b.add_partition("g", {SiteId(1)}); }));
  EXPECT_TRUE(differs([](exchange::Program& b) { b.add_atom({.name = "more"}); }));
  EXPECT_TRUE(differs([&](exchange::Program& b) { b.give(first, SiteId(2)); }));
  EXPECT_TRUE(differs([&](exchange::Program& b) { b.require(all, SiteId(0)); }));
  EXPECT_TRUE(differs([&](exchange::Program& b) { b.set_complete_bytes(all, 8); }));
  EXPECT_TRUE(differs([](exchange::Program& b) { b.set_atom_size(exchange::AtomId(0), 16, 4); }));
  EXPECT_TRUE(differs([](exchange::Program& b) {
    b.add_split(exchange::AtomId(0), std::vector<int64_t>{8, 8});
  }));
}

TEST(Synthesiser, GivesEveryLayerWhatItWouldGetAlone) {
  const auto plan =
      plan_of(workloads::llama({.layers = 3, .seq = 64, .d_model = 64, .head_dim = 2, .d_ff = 96}),
              {.p = 4});
  int64_t derived = 0;
  for (const ExchangeStep& step : plan->steps) {
    if (step.regions.empty()) continue;
    ExchangeStep alone = step;
    alone.program.set_body(synthesis::naive(step.program).actions);
    derive(alone);
    EXPECT_EQ(alone.program, step.program);
    ASSERT_EQ(alone.derivations.size(), step.derivations.size());
    for (size_t i = 0; i < step.derivations.size(); ++i) {
      const Derivation &a = alone.derivations[i], &b = step.derivations[i];
      EXPECT_EQ(std::tie(a.aggregate, a.site, a.source, a.parts),
                std::tie(b.aggregate, b.site, b.source, b.parts));
      ++derived;
    }
  }
  EXPECT_GT(derived, 100);
}

}  // namespace
}  // namespace einsummable
