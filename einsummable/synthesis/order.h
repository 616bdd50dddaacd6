// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "einsummable/base/interruption.h"
#include "einsummable/exchange/simulator_loop.h"
#include "einsummable/synthesis/candidate.h"

namespace einsummable::synthesis {

// An order of a candidate's transfers, and the time it takes.
struct Order {
  double ms = no_way;
  std::vector<int32_t> transfers;
};

// The same transfers from the last to the first and from their end to their beginning: what spreads
// gathers. Transfers keep their numbers; the traffic of memories is only much the same. Items must
// come before those formed of them.
exchange::Lowered backward(const exchange::Lowered& forward);

// Looks for good orders of candidates' transfers. Which of them goes first between two sites makes
// a difference of up to a half.
class OrderSearch {
 public:
  // All three are kept by reference. `loop` simulates on `topology`, at most `budget` times in all,
  // and so that there are not more than `work` transfers and merges for each of these times; fewer
  // where many share what they go through, as behind a switch, and take longer to simulate.
  OrderSearch(const Topology& topology, exchange::SimulatorLoop& loop, int64_t budget, int64_t work,
              uint64_t seed, const Interruption& interruption)
      : topology_(topology),
        loop_(loop),
        interruption_(interruption),
        left_(budget),
        work_(budget > 0 && work > INT64_MAX / budget ? INT64_MAX : budget * work),
        random_(seed) {}

  // Simulations left.
  int64_t left() const { return left_; }
  bool spent() const { return left_ <= 0 || work_ <= 0; }
  // Each stops as soon as a time is at most `good_enough`.

  // The better one of two orders by a transfer's piece and depth, one of them by the latest start
  // in the candidate taken backward. 3 simulations.
  Order quick(const Candidate& candidate, double good_enough);
  // By nine such keys; then the best three are refined: by the ends of the transfers taken
  // backward, in which they go by their ends forward, and so on in turn. About 30 simulations.
  Order thorough(const Candidate& candidate, double good_enough);
  // By `times` random keys, each refined once. About 5 simulations a time.
  Order random(const Candidate& candidate, double good_enough, int times);

 private:
  struct Key {
    double turn, place, before, after;     // what each weighs
    bool forward = true, backward = true;  // how it is tried
  };
  static std::span<const Key> keys();

  void begin(const Candidate& candidate, double good_enough);
  bool done() const { return spent() || (!tried_.empty() && least_ <= good_enough_); }
  void try_key(const Key& key);
  double simulate(const exchange::Lowered& lowered, std::span<const int32_t> order);
  void try_order(std::vector<int32_t> order);
  void refine(const Order& order, int times);
  Order best() const;
  // After a run: the transfers, those that ended last first.
  std::vector<int32_t> last_first() const;

  const Topology& topology_;
  exchange::SimulatorLoop& loop_;
  const Interruption& interruption_;
  int64_t left_;
  int64_t work_;  // transfers and merges left
  std::mt19937_64 random_;
  const Candidate* candidate_ = nullptr;
  std::optional<exchange::Lowered> backward_;
  double good_enough_ = 0;
  double least_ = no_way;
  std::vector<Order> tried_;
};

}  // namespace einsummable::synthesis
