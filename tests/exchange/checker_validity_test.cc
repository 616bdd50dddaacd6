// SPDX-License-Identifier: Apache-2.0
// The checker against Definition 5.5 by brute force: all small programs, random ones, and what
// becomes of valid ones when they are changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/exchange/well_formed.h"
#include "tests/exchange/brute_force.h"
#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

// Closure, verdict and derivations.
void expect_agreement(const Program& program) {
  const Members members = *program.members();
  const State state = brute_force_closure(program, members);
  Budget budget;
  const Closure closure(program, members, budget);
  ASSERT_TRUE(closure.complete());
  State ours;
  for (size_t x = 0; x < program.aggregate_count(); ++x) {
    const AggregateId id(static_cast<int64_t>(x));
    for (const Derivation& d : closure.derivations(id))
      ours.emplace(mask_of(program, id), d.site.value);
  }
  ASSERT_EQ(ours, state) << print(program);
  const Verdict verdict = check(program);
  ASSERT_EQ(verdict.ok(), brute_force_valid(program, members)) << print(program) << verdict.reason;
  ASSERT_EQ(verdict.ok(), verdict.reason.empty());
  if (verdict.ok()) {
    ASSERT_EQ(derivation_fault(program, verdict, state), "") << print(program);
  }
}

// All programs over 3 sites and 3 atoms up to renaming of sites and of atoms.
class SmallPrograms {
 public:
  static constexpr int sites = 3, atoms = 3, aggregates = 7, sets = 8;
  using Renaming = std::pair<std::array<int, 3>, std::array<int, 3>>;  // of sites, of atoms

  // An action: an aggregate of atoms, a source, and the set of destinations, as masks.
  struct Small {
    int aggregate, source, destinations;
    auto operator<=>(const Small&) const = default;
  };

  SmallPrograms() {
    for (int mask = 1; mask <= aggregates; ++mask) {
      for (int s = 0; s < sites; ++s) {
        for (int to = 0; to < sets; ++to) {
          if ((to >> s & 1) == 0) actions_.push_back({mask, s, to});
        }
      }
    }
    std::array<int, 3> p = {0, 1, 2};
    do {
      std::array<int, 3> q = {0, 1, 2};
      do {
        renamings_.emplace_back(p, q);
      } while (std::next_permutation(q.begin(), q.end()));
    } while (std::next_permutation(p.begin(), p.end()));
    for (const Renaming& r : renamings_) {
      std::vector<int>& image = images_.emplace_back();
      for (const Small& a : actions_) {
        const Small renamed{renamed_set(a.aggregate, r.second),
                            r.first[static_cast<size_t>(a.source)],
                            renamed_set(a.destinations, r.first)};
        image.push_back(static_cast<int>(std::ranges::find(actions_, renamed) - actions_.begin()));
      }
    }
  }

  // Visits one program of each class of up to `most` actions, IN holding every atom at any set of
  // sites that `given` allows: visit(program, size of its class). OUT is empty.
  void each(int most, const std::function<bool(int)>& given,
            const std::function<void(Program, int64_t)>& visit) {
    for (int where = 0; where < sets * sets * sets; ++where) {
      const std::array<int, 3> in = {where % sets, where / sets % sets, where / sets / sets};
      if (!std::ranges::all_of(in, given)) continue;
      // The renamings that keep IN; none if another IN of its class comes first.
      std::vector<size_t> keep;
      bool first = true;
      for (size_t r = 0; r < renamings_.size(); ++r) {
        std::array<int, 3> renamed{};
        for (size_t a = 0; a < 3; ++a)
          renamed[static_cast<size_t>(renamings_[r].second[a])] =
              renamed_set(in[a], renamings_[r].first);
        if (renamed == in) keep.push_back(r);
        first = first && in <= renamed;
      }
      if (!first) continue;
      const Program start = with_in(in);
      std::vector<int> body;
      extend(start, keep, most, body, visit);
    }
  }

  size_t action_count() const { return actions_.size(); }

 private:
  static int renamed_set(int set, const std::array<int, 3>& to) {
    int renamed = 0;
    for (size_t i = 0; i < 3; ++i) renamed |= (set >> i & 1) << to[i];
    return renamed;
  }

  static Program with_in(const std::array<int, 3>& in) {
    Program program;
    program.set_sites(sites);
    for (size_t a = 0; a < 3; ++a) {
      const AtomId atom = program.add_atom({.name = std::string(1, "ABC"[a])});
      for (int s = 0; s < sites; ++s) {
        if ((in[a] >> s & 1) != 0) program.give(program.aggregate(atom), SiteId(s));
      }
    }
    return program;
  }

  void extend(const Program& start, const std::vector<size_t>& keep, int most,
              std::vector<int>& body, const std::function<void(Program, int64_t)>& visit) {
    int64_t fixed = 0;  // renamings that keep the body too
    for (size_t r : keep) {
      std::vector<int> image;
      for (int a : body) image.push_back(images_[r][static_cast<size_t>(a)]);
      std::ranges::sort(image);
      // A renaming that makes the body smaller makes all that extend it smaller.
      if (image < body) return;
      fixed += image == body ? 1 : 0;
    }
    visit(with_body(start, body), static_cast<int64_t>(renamings_.size()) / fixed);
    if (static_cast<int>(body.size()) == most) return;
    const int from = body.empty() ? 0 : body.back() + 1;
    for (int a = from; a < static_cast<int>(actions_.size()); ++a) {
      body.push_back(a);
      extend(start, keep, most, body, visit);
      body.pop_back();
    }
  }

  Program with_body(const Program& start, const std::vector<int>& body) const {
    Program program = start;
    for (int index : body) {
      const Small& a = actions_[static_cast<size_t>(index)];
      std::vector<AtomId> set;
      for (int i = 0; i < atoms; ++i) {
        if ((a.aggregate >> i & 1) != 0) set.emplace_back(i);
      }
      Action action{program.aggregate(set), SiteId(a.source), {}};
      for (int s = 0; s < sites; ++s) {
        if ((a.destinations >> s & 1) != 0) action.destinations.emplace_back(SiteId(s));
      }
      program.add_action(action);
    }
    return program;
  }

  std::vector<Small> actions_;
  std::vector<Renaming> renamings_;
  std::vector<std::vector<int>> images_;  // of the actions under each renaming
};

// With a random requirement each: what the closure holds decides for all of them. The sizes of the
// classes add up to the number of programs, so none is left out.
void expect_agreement_on_all(int most, const std::function<bool(int)>& given, int64_t inputs) {
  SmallPrograms programs;
  std::mt19937_64 random(4);
  int64_t all = 0;
  programs.each(most, given, [&](Program program, int64_t alike) {
    all += alike;
    const AggregateId any(static_cast<int64_t>(random() % program.aggregate_count()));
    program.require(any, SiteId(static_cast<int64_t>(random() % 3)));
    expect_agreement(program);
  });
  const auto n = static_cast<int64_t>(programs.action_count());
  int64_t bodies = 1, choose = 1;
  for (int64_t k = 1; k <= most; ++k) bodies += choose = choose * (n - k + 1) / k;
  EXPECT_EQ(all, inputs * bodies);
}

TEST(ExchangeValidity, AllProgramsOfThreeSitesThreeAtomsAndUpToThreeActions) {
  const auto once = [](int set) { return set == 1 || set == 2 || set == 4; };
  const auto anywhere = [](int set) { return set != 0; };
  expect_agreement_on_all(rounds(3, 3), once, 27);
  expect_agreement_on_all(rounds(1, 3), anywhere, 343);
}

TEST(ExchangeValidity, RandomPrograms) {
  std::mt19937_64 random(5);
  for (int round = 0; round < rounds(3'000, 200'000); ++round) {
    const RandomProgram shape{.atoms = 2 + round % 5,
                              .sites = 2 + round % 4,
                              .actions = 6 + round % 20,
                              .partitions = std::min(round % 4, 2)};
    expect_agreement(random_program(shape, random));
  }
}

using Change = void (*)(Program&, std::vector<Action>&, size_t, std::mt19937_64&);

SiteId any_site(const Program& program, std::mt19937_64& random) {
  return program.sites()[random() % program.sites().size()];
}

void drop_action(Program&, std::vector<Action>& body, size_t i, std::mt19937_64&) {
  body.erase(body.begin() + static_cast<int64_t>(i));
}

void change_source(Program& program, std::vector<Action>& body, size_t i, std::mt19937_64& random) {
  body[i].source = any_site(program, random);
}

void change_destination(Program& program, std::vector<Action>& body, size_t i,
                        std::mt19937_64& random) {
  if (body[i].source.is_site()) body[i].destinations = {any_site(program, random)};
}

void take_another_aggregate(Program&, std::vector<Action>& body, size_t i,
                            std::mt19937_64& random) {
  body[i].aggregate = body[random() % body.size()].aggregate;
}

void swap_atom(Program& program, std::vector<Action>& body, size_t i, std::mt19937_64& random) {
  const auto now = program.atoms(body[i].aggregate);
  std::vector<AtomId> atoms(now.begin(), now.end()), others;
  for (size_t a = 0; a < program.atoms().size(); ++a) {
    const AtomId id(static_cast<int64_t>(a));
    const bool alike = program.atom(id).piece == program.atom(atoms[0]).piece;
    if (alike && std::ranges::find(atoms, id) == atoms.end()) others.push_back(id);
  }
  if (others.empty()) return;
  atoms[random() % atoms.size()] = others[random() % others.size()];
  body[i].aggregate = program.aggregate(atoms);
}

void drop_entry_of_in(Program& program, std::vector<Action>&, size_t, std::mt19937_64& random) {
  std::vector<Given> given = program.given();
  given.erase(given.begin() + static_cast<int64_t>(random() % given.size()));
  program.set_entries(given, program.required());
}

bool brute_force_says(const Program& program) {
  const Program pieces = expand(program);
  return brute_force_valid(pieces, *pieces.members());
}

TEST(ExchangeValidity, ChangedProgramsAreRejectedExactlyWhenBruteForceSaysSo) {
  const std::vector<std::pair<std::string, Change>> changes = {
      {"drop an action", drop_action},
      {"change a source", change_source},
      {"change a destination", change_destination},
      {"take another aggregate", take_another_aggregate},
      {"swap an atom", swap_atom},
      {"drop an entry of IN", drop_entry_of_in}};
  std::mt19937_64 random(6);
  std::map<std::string, int> made, rejected;
  for (int round = 0; round < rounds(300, 10'000); ++round) {
    Program program = valid_program(random);
    if (round % 3 == 0) program = in_pieces(program, random);
    ASSERT_TRUE(check(program).ok()) << print(program) << check(program).reason;
    for (size_t i = 0; i < program.body().size(); ++i) {
      const auto& [name, change] = changes[random() % changes.size()];
      Program mutant = program;
      std::vector<Action> body = program.body();
      change(mutant, body, i, random);
      mutant.set_body(body);
      if (ill_formed(mutant)) continue;
      const bool ok = check(mutant).ok();
      ++made[name];
      rejected[name] += ok ? 0 : 1;
      ASSERT_EQ(ok, brute_force_says(mutant)) << name << '\n' << print(mutant);
    }
  }
  for (const auto& [name, change] : changes) {
    EXPECT_GT(made[name], rounds(300, 10'000)) << name;
    EXPECT_GT(rejected[name], made[name] / 20) << name;
    EXPECT_LT(rejected[name], made[name]) << name;
  }
}

}  // namespace
}  // namespace einsummable::exchange
