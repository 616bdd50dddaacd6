// SPDX-License-Identifier: Apache-2.0
// Rewrites are sound and, together, complete (section 5.4 of the paper).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/synthesis/rewrites.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

// A valid program; every third one with atoms in two pieces.
Program some_program(std::mt19937_64& random, int number) {
  const Program program = valid_program(random);
  return number % 3 == 0 ? in_pieces(program, random) : program;
}

bool same_preamble(const Program& a, const Program& b) {
  Program x = a, y = b;
  x.set_body({});
  y.set_body({});
  return x == y;
}

TEST(RewriteWalks, StayValidForTheSamePreamble) {
  std::mt19937_64 random(11);
  std::map<std::string_view, int> applied, refused;
  const int steps = rounds(10'000, 200'000), walk = 100;
  for (int done = 0, number = 0; done < steps; ++number) {
    const Program start = some_program(random, number);
    ValidProgram at(start);
    for (int step = 0; step < walk && done < steps;) {
      const Rewrite& rewrite = rewrites()[random() % rewrites().size()];
      const std::vector<Spot> spots = rewrite.spots(at);
      if (spots.empty()) {
        ++step;
        continue;
      }
      Rewritten next = rewrite.apply(at, spots[random() % spots.size()]);
      ++step;
      if (!next.ok()) {
        ++refused[rewrite.name];
        EXPECT_FALSE(rewrite.guard.empty()) << rewrite.name << ": " << next.reason;
        continue;
      }
      ++done;
      ++applied[rewrite.name];
      at = std::move(*next.program);
      const Verdict verdict = check(at.program());
      ASSERT_TRUE(verdict.ok()) << rewrite.name << '\n' << print(at.program()) << verdict.reason;
      if (done % (steps > 10'000 ? 1 : 7) == 0) {
        const Program pieces = expand(at.program());
        ASSERT_TRUE(brute_force_valid(pieces, *pieces.members())) << print(at.program());
      }
    }
    ASSERT_TRUE(same_preamble(start, at.program())) << print(start) << print(at.program());
  }
  for (const Rewrite& rewrite : rewrites()) {
    EXPECT_GT(applied[rewrite.name], steps / 200) << rewrite.name;
    EXPECT_EQ(refused[rewrite.name] > 0, !rewrite.guard.empty() && !rewrite.only_adds)
        << rewrite.name;
  }
}

TEST(RewriteWalks, NoSpotGivesAnInvalidProgramOrAnException) {
  std::mt19937_64 random(12);
  const auto any = [&](size_t n) { return static_cast<int64_t>(random() % (n + 3)) - 1; };
  for (int round = 0; round < rounds(100, 3'000); ++round) {
    const ValidProgram from(some_program(random, round));
    const size_t body = from.program().body().size();
    for (int k = 0; k < 30; ++k) {
      Spot spot{.action = static_cast<size_t>(any(body)),
                .other = static_cast<size_t>(any(body)),
                .destination = SiteId(any(4)),
                .site = SiteId(any(4))};
      for (int64_t p = any(2); p > 0; --p) {
        AtomSet& part = spot.parts.emplace_back();
        for (int64_t a = any(2); a > 0; --a) part.emplace_back(any(15));
      }
      for (const Rewrite& rewrite : rewrites()) {
        const Rewritten to = rewrite.apply(from, spot);
        ASSERT_EQ(to.ok(), to.reason.empty());
        if (to.ok()) {
          ASSERT_TRUE(check(to.program->program()).ok()) << rewrite.name;
        }
      }
    }
  }
}

using Transfers = std::vector<std::tuple<AggregateId, SiteId, SiteId>>;

// The transfers and local aggregations of a body, whatever actions they are written in.
Transfers transfers(const ValidProgram& valid) {
  Transfers all;
  for (const Action& action : valid.program().body()) {
    for (SiteId source : valid.sites(action.source)) {
      all.emplace_back(action.aggregate, source, SiteId());
      for (const Place& place : action.destinations) {
        for (SiteId d : valid.sites(place)) {
          if (d != source) all.emplace_back(action.aggregate, source, d);
        }
      }
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Whether `back` leads from `there` to a program of the same transfers as `here`.
bool leads_back(std::string_view back, const ValidProgram& there, const ValidProgram& here) {
  const Rewrite& rewrite = rewrite_named(back);
  const auto wanted = transfers(here);
  return std::ranges::any_of(rewrite.spots(there), [&](const Spot& spot) {
    const Rewritten to = rewrite.apply(there, spot);
    return to.ok() && transfers(*to.program) == wanted;
  });
}

Transfers difference(const Transfers& a, const Transfers& b) {
  Transfers rest;
  std::ranges::set_difference(a, b, std::back_inserter(rest));
  return rest;
}

// Tries a few places of each rewrite in random programs. `undo(from, spot, to)` is asked of those
// where it took away `gone` transfers and added `fresh`, none of which was there already.
template <class Undo>
int try_places(std::string_view name, int gone, int fresh, uint64_t seed, Undo undo) {
  std::mt19937_64 random(seed);
  int tried = 0;
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    const ValidProgram from(valid_program(random));
    std::vector<Spot> spots = rewrite_named(name).spots(from);
    std::shuffle(spots.begin(), spots.end(), random);
    if (spots.size() > 5) spots.resize(5);
    for (const Spot& spot : spots) {
      const Rewritten to = rewrite_named(name).apply(from, spot);
      if (!to.ok()) continue;
      const Transfers before = transfers(from), after = transfers(*to.program);
      const auto sends = [](const Transfers& all) {
        return std::ranges::count_if(all, [](const auto& t) { return std::get<2>(t).valid(); });
      };
      if (sends(difference(before, after)) != gone || sends(difference(after, before)) != fresh)
        continue;
      ++tried;
      EXPECT_TRUE(undo(from, spot, *to.program))
          << name << '\n'
          << print(from.program()) << print(to.program->program());
    }
  }
  return tried;
}

TEST(RewriteWalks, WhatARewriteDoesItsInverseUndoes) {
  const auto by = [](std::string_view back) {
    return [back](const ValidProgram& from, const Spot&, const ValidProgram& to) {
      return leads_back(back, to, from);
    };
  };
  const int least = rounds(60, 2'000) / 4;
  EXPECT_GT(try_places("multicast fission", 0, 0, 21, by("multicast fusion")), least);
  EXPECT_GT(try_places("relay introduction", 1, 2, 22, by("relay elimination")), least);
  EXPECT_GT(try_places("insertion", 0, 1, 24, by("deletion")), least);
  // An aggregation that the old transfer alone asked for is not asked for by its inverse.
  const auto source = [&](const ValidProgram& from, const Spot& spot, const ValidProgram& to) {
    const Transfers lost = difference(transfers(from), transfers(to));
    return lost.size() != 1 || by("source substitution")(from, spot, to);
  };
  EXPECT_GT(try_places("source substitution", 1, 1, 23, source), least);
}

TEST(RewriteWalks, PullupUndoesPushdown) {
  const auto undo = [](const ValidProgram& from, const Spot& spot, const ValidProgram& to) {
    const auto& body = from.program().body();
    Spot back{.destination = spot.destination};
    AtomSet sum;
    for (size_t place : {spot.action, spot.other}) {
      const auto part = from.program().atoms(body[place].aggregate);
      back.parts.emplace_back(part.begin(), part.end());
      sum.insert(sum.end(), part.begin(), part.end());
    }
    std::ranges::sort(sum);
    for (back.action = 0; back.action < to.program().body().size(); ++back.action) {
      const Action& action = to.program().body()[back.action];
      if (action.source != body[spot.action].source) continue;
      if (!std::ranges::equal(to.program().atoms(action.aggregate), sum)) continue;
      const Rewritten again = rewrite_named("aggregation pullup").apply(to, back);
      if (!again.ok()) continue;
      Transfers lost = difference(transfers(from), transfers(*again.program));
      std::erase_if(lost, [](const auto& t) { return !std::get<2>(t).valid(); });
      if (lost.empty()) return true;
    }
    return false;
  };
  EXPECT_GT(try_places("aggregation pushdown", 2, 1, 25, undo), rounds(60, 2'000) / 10);
}

// A transfer, or (without a destination) an aggregation, in the ids of no program.
using Step = std::tuple<AtomSet, SiteId, SiteId>;

std::vector<Step> steps_of(const ValidProgram& valid) {
  std::vector<Step> all;
  for (const auto& [x, s, d] : transfers(valid)) {
    const auto atoms = valid.program().atoms(x);
    all.emplace_back(AtomSet(atoms.begin(), atoms.end()), s, d);
  }
  std::ranges::sort(all);
  return all;
}

ValidProgram walked(const Program& start, std::mt19937_64& random) {
  ValidProgram at(start);
  for (int step = 0; step < 40; ++step) {
    const Rewrite& rewrite = rewrites()[random() % rewrites().size()];
    const std::vector<Spot> spots = rewrite.spots(at);
    if (spots.empty()) continue;
    Rewritten next = rewrite.apply(at, spots[random() % spots.size()]);
    if (next.ok()) at = std::move(*next.program);
  }
  return at;
}

// Inserts all of the steps, each when it can fire. Gives those that never can.
std::vector<Step> insert_all(ValidProgram& at, std::vector<Step> steps) {
  for (size_t before = steps.size() + 1; before != steps.size();) {
    before = steps.size();
    std::erase_if(steps, [&](const Step& step) {
      const auto& [atoms, s, d] = step;
      Rewritten next = rewrite_named("insertion")
                           .apply(at, {.action = 0, .destination = d, .site = s, .parts = {atoms}});
      if (next.ok()) at = std::move(*next.program);
      return next.ok();
    });
  }
  return steps;
}

// Whether all that the action does is among the steps.
bool within(const ValidProgram& at, const Action& action, const std::vector<Step>& steps) {
  const auto atoms = at.program().atoms(action.aggregate);
  const AtomSet set(atoms.begin(), atoms.end());
  const auto there = [&](SiteId s, SiteId d) {
    return std::ranges::binary_search(steps, Step(set, s, d));
  };
  return std::ranges::all_of(at.sites(action.source), [&](SiteId s) {
    return there(s, {}) && std::ranges::all_of(action.destinations, [&](const Place& place) {
             return std::ranges::all_of(at.sites(place),
                                        [&](SiteId d) { return d == s || there(s, d); });
           });
  });
}

// Deletes actions that are not within the steps, until none of them may be deleted.
void delete_others(ValidProgram& at, const std::vector<Step>& steps) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < at.program().body().size() && !moved; ++i) {
      if (within(at, at.program().body()[i], steps)) continue;
      Rewritten next = rewrite_named("deletion").apply(at, {.action = i});
      if (!next.ok()) continue;
      at = std::move(*next.program);
      moved = true;
    }
  }
}

// Theorem 5.6: between any two valid programs for one preamble lie insertions and then deletions.
TEST(RewriteWalks, EveryValidProgramIsReachedByInsertionsAndDeletions) {
  std::mt19937_64 random(14);
  for (int round = 0; round < rounds(60, 2'000); ++round) {
    const Program start = valid_program(random);
    ValidProgram at = walked(start, random);
    const ValidProgram goal = walked(start, random);
    EXPECT_TRUE(insert_all(at, steps_of(goal)).empty());
    delete_others(at, steps_of(goal));
    EXPECT_EQ(steps_of(at), steps_of(goal)) << print(at.program()) << print(goal.program());
  }
}

}  // namespace
}  // namespace einsummable::synthesis
