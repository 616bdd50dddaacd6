// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/polish.h"

#include <algorithm>
#include <random>

#include "einsummable/synthesis/rewrites.h"

namespace einsummable::synthesis {
namespace {

// Improvements below this share are noise of floating point.
constexpr double least_gain = 1e-9;
// A check of a guard is far cheaper than a score, but not free.
constexpr int64_t checks_per_evaluation = 32;

// What is sent in all, in bytes, and how many actions there are: of programs that take as long, the
// one with less is better, and leaves more room for the next rewrite.
using Effort = std::pair<double, size_t>;

Effort effort(const ValidProgram& program) {
  Effort sum(0, program.program().body().size());
  for (const exchange::Action& action : program.program().body()) {
    const auto bytes = static_cast<double>(program.program().bytes(action.aggregate));
    for (const exchange::Place& place : action.destinations)
      sum.first += bytes * static_cast<double>(program.sites(place).size());
  }
  return sum;
}

// The places of one kind of rewrite that are still to be tried.
struct Turn {
  const Rewrite* rewrite;
  int64_t gains = 0;
  std::vector<Spot> spots = {};
};

class Polishing {
 public:
  Polishing(ValidProgram program, const Score& score, const PolishOptions& options)
      : program_(std::move(program)), score_(score), options_(options), random_(options.seed) {
    for (const Rewrite& rewrite : rewrites()) {
      if (!rewrite.only_adds) turns_.push_back({&rewrite});
    }
  }

  Polished run() {
    result_.seconds = options_.seconds ? *options_.seconds : evaluate(program_);
    effort_ = effort(program_);
    checks_ = checks_per_evaluation * options_.evaluations;
    while (!done() && improve()) {
    }
    result_.program = program_.program();
    return std::move(result_);
  }

 private:
  bool done() const {
    return result_.evaluations >= options_.evaluations || checks_ <= 0 ||
           result_.seconds <= options_.good_enough;
  }

  double evaluate(const ValidProgram& program) {
    ++result_.evaluations;
    return score_(program.program(), program.members());
  }

  void list_spots() {
    for (Turn& turn : turns_) {
      turn.spots = turn.rewrite->spots(program_);
      for (size_t i = turn.spots.size(); i > 1; --i) {
        std::swap(turn.spots[i - 1], turn.spots[random_() % i]);
      }
    }
    std::ranges::stable_sort(turns_, std::greater<>(), &Turn::gains);
  }

  // Finds one rewrite that helps. False if there is none, or it was not found in time.
  bool improve() {
    list_spots();
    for (bool any = true; any;) {
      any = false;
      for (Turn& turn : turns_) {
        if (turn.spots.empty()) continue;
        if (done()) return false;
        any = true;
        const Spot spot = std::move(turn.spots.back());
        turn.spots.pop_back();
        if (try_at(turn, spot)) return true;
      }
    }
    return false;
  }

  bool try_at(Turn& turn, const Spot& spot) {
    --checks_;
    Rewritten next = turn.rewrite->apply(program_, spot);
    if (!next.ok()) return false;
    const double seconds = evaluate(*next.program);
    const Effort less = effort(*next.program);
    const bool faster = seconds < result_.seconds * (1 - least_gain);
    if (!faster && !(seconds <= result_.seconds && less < effort_)) return false;
    result_.seconds = seconds;
    effort_ = less;
    result_.applied.emplace_back(turn.rewrite->name);
    program_ = std::move(*next.program);
    ++turn.gains;
    return true;
  }

  ValidProgram program_;
  const Score& score_;
  const PolishOptions& options_;
  std::mt19937_64 random_;
  Effort effort_;
  int64_t checks_ = 0;
  std::vector<Turn> turns_;
  Polished result_;
};

}  // namespace

Polished polish(const exchange::Program& program, const exchange::Members& members,
                const Score& score, const PolishOptions& options) {
  return Polishing(ValidProgram(program, members), score, options).run();
}

}  // namespace einsummable::synthesis
