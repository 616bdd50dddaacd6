// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/program.h"

// Definition 5.5 as it is written, for programs of few atoms without splits: sweeps over all
// actions until nothing is new, and partitions found by trying all.
namespace einsummable::exchange {

using Mask = uint32_t;
using State = std::set<std::pair<Mask, int32_t>>;  // (aggregate, site)

Mask mask_of(const Program& program, AggregateId aggregate);
// Whether members of `there` partition the whole.
bool partitions(const std::vector<Mask>& there, Mask whole);
std::vector<Mask> at_site(const State& state, int32_t site);
State brute_force_closure(const Program& program, const Members& members);
// Whether the program is valid for these members.
bool brute_force_valid(const Program& program, const Members& members);

// A random program of up to `atoms` atoms, `sites` sites and `actions` actions; partitions, if any,
// have members or not, as asked for.
struct RandomProgram {
  int atoms = 4;
  int sites = 4;
  int actions = 12;
  int partitions = 0;
  bool open = false;
};
Program random_program(const RandomProgram& shape, std::mt19937_64& random);
// Takes a program of random actions, keeps those that can fire, and asks for some of what they
// make: a valid program of 5 atoms, 4 sites and 2 partitions.
Program valid_program(std::mt19937_64& random);
// The program with every atom in two pieces, some of its actions spelled out piece by piece.
Program in_pieces(Program program, std::mt19937_64& random);

// What is wrong with the derivations of a valid verdict; empty if nothing: every aggregate in the
// closure is derived once at its site, from what was derived before, by an action that is there.
std::string derivation_fault(const Program& program, const Verdict& verdict, const State& closure);

}  // namespace einsummable::exchange
