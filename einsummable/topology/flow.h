// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/topology/event_heap.h"
#include "einsummable/topology/topology.h"

namespace einsummable {

// Jobs that share resources as fluids do. A job waits for a fixed delay, then moves bytes along a
// route, a set of resources it holds at once. At any time the rates are max-min fair: no job could
// go faster without slowing down one that is no faster. Jobs through one resource share it equally,
// so the memory of a device is a resource like a link. Times are in ms, capacities in GB/s.
//
// Bottlenecks are looked for only among what a change can reach, and not at all where a job takes
// the place of another on its route. Nothing is allocated once the vectors have grown.
//
//     Flow flow({10});                             // one resource of 10 GB/s
//     const int32_t route = flow.add_route({{0}});
//     flow.start(0, {.route = route, .bytes = 1e9});
//     flow.start(1, {.route = route, .bytes = 2e9});
//     flow.advance(ended);                         // ended is {0}, now() 200: each had 5 GB/s
//     flow.advance(ended);                         // ended is {1}, now() 300
class Flow {
 public:
  static constexpr int32_t no_route = -1;
  // What ends within so many bytes of each other ends at the same time.
  static constexpr double same_bytes = 1e-3;

  struct Job {
    int32_t route = no_route;  // without one, the delay is all
    double bytes = 0;
    double delay_ms = 0;
  };

  // Of resources of these capacities. Throws TopologyError if one is not positive and finite.
  explicit Flow(std::vector<double> gbps);

  // A set of resources, each once. Not between start() and the end of the last job.
  int32_t add_route(std::span<const int32_t> resources);
  // Back to time 0 with nothing running; keeps routes and memory.
  void reset();

  // Starts a job now. `name` is what advance() will call it.
  void start(int32_t name, const Job& job);
  // Moves on to the next time at which jobs end, and puts their names into `ended`, sorted. False
  // if nothing runs.
  bool advance(std::vector<int32_t>& ended);
  double now() const { return now_; }

  int32_t resources() const { return static_cast<int32_t>(resources_.size()); }
  double gbps(int32_t resource) const { return at(resource).gbps; }
  // Of the jobs started since the last reset, through a resource.
  double bytes(int32_t resource) const { return at(resource).bytes; }
  // How often the rate of a route was sought since the last reset, which is what takes time here.
  int64_t rates_sought() const { return rates_sought_; }
  // For how long some job held a resource. Counts up to now() what still runs.
  double busy_ms(int32_t resource) const;

 private:
  struct Resource {
    double gbps = 0;
    double bytes = 0;
    double busy_ms = 0;
    double busy_since = 0;
    int32_t first = 0;  // its place in holders_
    int32_t count = 0;  // of the routes that hold it now
    int32_t jobs = 0;   // on those routes
    int32_t mark = 0;   // the last component it was in
    int32_t open = 0;   // while rates are sought: its jobs that have none yet
    int32_t place = 0;  // ... its place in component_
    double left = 0;    // ... and what those jobs may share
  };
  struct Route {
    int32_t first = 0;  // its place in route_resources_
    int32_t count = 0;
    int32_t jobs = 0;        // moving bytes on it now
    int32_t rated_jobs = 0;  // when its rate was found
    int32_t head = -1;       // the slots of its jobs
    int32_t mark = 0;        // the last component it was in
    int32_t rated_mark = 0;  // the last component in which it got its rate
    bool changed = false;    // listed in changed_
    double rate = 0;         // bytes/ms of each of its jobs
    double next_rate = 0;
  };
  struct Slot {
    int32_t name = 0;
    int32_t route = no_route;
    int32_t previous = -1, next = -1;  // on the route, or in the list of free slots
    bool delayed = false;              // its end is that of its delay
    double bytes = 0;                  // left at `since`
    double since = 0;
  };

  const Resource& at(int32_t resource) const { return resources_[static_cast<size_t>(resource)]; }
  std::span<const int32_t> resources_of(const Route& route) const {
    return {route_resources_.data() + route.first, static_cast<size_t>(route.count)};
  }
  void freeze();
  int32_t take_slot();
  void move_bytes(int32_t slot);
  void stop(int32_t slot);
  void note_change(int32_t route);
  void enter(const Route& route);
  void leave(const Route& route);

  void collect_ended(std::vector<int32_t>& ended);
  void settle();
  void include(int32_t resource);
  void fill();
  void fix_rates(int32_t resource, double rate);
  void apply_rates();

  double now_ = 0;
  int64_t rates_sought_ = 0;
  bool frozen_ = false;
  int32_t last_mark_ = 0;
  int32_t free_ = -1;
  std::vector<Resource> resources_;
  std::vector<Route> routes_;
  std::vector<int32_t> route_resources_;  // of all routes
  std::vector<int32_t> holder_places_;    // beside it: where the route is among the holders
  struct Holder {
    int32_t route = 0;
    int32_t entry = 0;  // in route_resources_
  };
  std::vector<Holder> holders_;  // of all resources: the routes that hold each now
  std::vector<Slot> slots_;
  EventHeap heap_;
  std::vector<int32_t> changed_;    // routes whose number of jobs may be another than when rated
  std::vector<int32_t> unplaced_;   // slots that move bytes and have no end yet
  std::vector<int32_t> component_;  // resources
  std::vector<double> shares_;      // beside it: what each can give a job that has no rate yet
  std::vector<int32_t> affected_;   // routes
  std::vector<int32_t> ended_slots_;
};

// A Flow over the resources of a topology, which keep their numbers, and after them the memory of
// each device. Routes keep their numbers too; after them comes one through the memory of each
// device: memory_route(). Throws TopologyError where a device does not state its bandwidth.
Flow flow_over(const Topology& topology);
int32_t memory_route(const Topology& topology, int64_t device);

}  // namespace einsummable
