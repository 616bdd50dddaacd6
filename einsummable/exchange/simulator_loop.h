// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/exchange/lowered.h"
#include "einsummable/topology/flow.h"
#include "einsummable/topology/topology.h"

namespace einsummable::exchange {

enum class Latencies : uint8_t { stated, none };

// Decides in simulated time what a form is made of, where that is not fixed: the parts of such a
// form are all items it could be made of.
class PartsChoice {
 public:
  virtual ~PartsChoice() = default;
  // The part has come to be.
  virtual void arrived(int32_t form, int32_t part) = 0;
  // The items to make the form of, if what is there partitions it; empty if it does not.
  virtual std::span<const int32_t> choose(int32_t form) = 0;
};

// Simulates lowered programs on one topology. Between an ordered pair of sites one transfer runs at
// a time: of those whose item is there the earliest in order, not pre-empted. Between pairs, and
// between the forms of a device, rates are max-min fair (Flow). A latency comes before the bytes
// and holds the pair meanwhile. A transfer to where its aggregate is already is skipped, as is a
// form. What ends at the same time is recorded before anything starts. Where the topology states
// how many kernels run at once, forms wait for each other, the first in order first.
//
// Made once a topology and run for each candidate: it keeps its memory, so that after the first
// runs nothing is allocated. 10,000 steps take about 5 ms.
//
//     SimulatorLoop loop(topology, Latencies::none);
//     double ms = loop.run(candidate);               // loop.start_ms(t), loop.end_ms(t) say more
class SimulatorLoop {
 public:
  // The topology is kept by reference. Throws TopologyError where it has no bandwidth.
  SimulatorLoop(const Topology& topology, Latencies latencies);

  // The time at which everything has ended, in ms. With `order`, a permutation of the transfers,
  // they queue up in that order instead of their own. Throws TopologyError if an item is at a site
  // the topology does not have or if there is no way for a transfer, InternalError if some step can
  // never start. Without `choice` every form is made of all its parts.
  double run(const Lowered& program, std::span<const int32_t> order = {},
             PartsChoice* choice = nullptr);

  // Of the last run, by step: transfer t is step t, form f step transfers + f. A step that was
  // skipped has start -1.
  double start_ms(int32_t step) const { return steps_[static_cast<size_t>(step)].start; }
  double end_ms(int32_t step) const { return steps_[static_cast<size_t>(step)].end; }
  bool skipped(int32_t step) const { return start_ms(step) < 0; }
  // The step whose end let this one start: it made the item that came last, or held the pair of
  // sites or the worker. -1: it started at 0.
  int32_t cause(int32_t step) const { return steps_[static_cast<size_t>(step)].cause; }
  // The step that made an item; -1 if it was given.
  int32_t producer(int32_t item) const { return items_[static_cast<size_t>(item)].producer; }
  // The items in the order in which they came to be: each after those it was made of.
  std::span<const int32_t> arrivals() const { return arrivals_; }
  // The bytes and busy times of every resource, and of the devices' memories after them.
  const Flow& flow() const { return flow_; }

 private:
  struct Item {
    bool there = false;
    int32_t producer = -1;
    double since = 0;
    int32_t first_send = 0;  // the transfers from it, in sends_
    int32_t first_use = 0;   // the forms it is a part of, in uses_
  };
  struct Step {
    double start = -1;
    double end = -1;
    int32_t cause = -1;
  };
  struct Pair {
    int32_t route = 0;
    double latency_ms = 0;
    int32_t first = 0;  // its place in queues_
    int32_t count = 0;  // of the transfers that wait
    int32_t last = -1;  // the transfer that ran last, or runs
    bool busy = false;
    bool touched = false;
  };
  struct FormState {
    int32_t missing = 0;
    bool started = false;
    bool touched = false;
  };

  void prepare(const Lowered& program, std::span<const int32_t> order);
  void prepare_pairs(const Lowered& program, std::span<const int32_t> order);
  int32_t pair_of(int32_t from, int32_t to);
  void arrive(int32_t item, int32_t producer);
  void finish(int32_t step);
  void start_ready();
  void start_next(Pair& pair);
  bool start_form(int32_t form);
  void touch(Pair& pair, int32_t id);

  const Topology& topology_;
  Latencies latencies_;
  Flow flow_;
  const Lowered* program_ = nullptr;
  PartsChoice* choice_ = nullptr;
  int64_t free_workers_ = 0;
  int32_t last_form_ = -1;  // the form that freed a worker last
  std::vector<Item> items_;
  std::vector<Step> steps_;
  std::vector<Pair> pairs_;
  std::vector<FormState> forms_;
  std::vector<int32_t> pair_ids_;    // [from * sites + to]; -1: not used in this run
  std::vector<int32_t> used_pairs_;  // in pair_ids_
  std::vector<int32_t> pair_of_;     // of each transfer
  std::vector<int32_t> rank_;        // of each transfer
  std::vector<int32_t> by_rank_;     // the transfers in order
  std::vector<int32_t> queues_;      // heaps of ranks, one a pair
  std::vector<int32_t> sends_, uses_;
  std::vector<int32_t> touched_pairs_, touched_forms_, waiting_forms_, arrivals_, ended_;
};

}  // namespace einsummable::exchange
