// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

constexpr double bytes_per_ms = 1e6;  // of 1 GB/s
// The slowest job whose end is looked at beside another's: 1 MB/s moves same_bytes in this time.
constexpr double longest_tolerance_ms = Flow::same_bytes / (1e-3 * bytes_per_ms);
// Delays have no bytes; they end together within what a fast link moves same_bytes in.
constexpr double delay_tolerance_ms = Flow::same_bytes / (1e3 * bytes_per_ms);
// What sums of times lose in rounding.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

size_t index(int32_t i) { return static_cast<size_t>(i); }
int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

}  // namespace

Flow::Flow(std::vector<double> gbps) : resources_(gbps.size()) {
  for (size_t r = 0; r < gbps.size(); ++r) {
    if (!(gbps[r] > 0) || !std::isfinite(gbps[r])) {
      throw TopologyError("resource " + std::to_string(r) + " has " + std::to_string(gbps[r]) +
                          " GB/s; a bandwidth is positive");
    }
    resources_[r].gbps = gbps[r];
  }
}

int32_t Flow::add_route(std::span<const int32_t> resources) {
  Route route;
  route.first = narrow(route_resources_.size());
  route.count = narrow(resources.size());
  for (int32_t r : resources) {
    ensure(r >= 0 && index(r) < resources_.size(), "a route goes through resources that are there");
    route_resources_.push_back(r);
  }
  routes_.push_back(route);
  frozen_ = false;
  return narrow(routes_.size()) - 1;
}

// Gives every resource room for all routes through it.
void Flow::freeze() {
  frozen_ = true;
  for (Resource& r : resources_) r.count = 0;
  for (int32_t r : route_resources_) ++resources_[index(r)].count;
  int32_t first = 0;
  for (Resource& r : resources_) {
    r.first = first;
    first += r.count;
    r.count = 0;
  }
  holders_.resize(route_resources_.size());
  holder_places_.resize(route_resources_.size());
}

void Flow::reset() {
  now_ = 0;
  rates_sought_ = 0;
  for (Resource& r : resources_) r.bytes = r.busy_ms = r.count = r.jobs = 0;
  for (Route& r : routes_) {
    r.jobs = r.rated_jobs = 0;
    r.head = -1;
    r.changed = false;
  }
  slots_.clear();
  free_ = -1;
  heap_.clear();
  changed_.clear();
  unplaced_.clear();
}

int32_t Flow::take_slot() {
  if (free_ < 0) {
    slots_.emplace_back();
    return narrow(slots_.size()) - 1;
  }
  const int32_t slot = free_;
  free_ = slots_[index(slot)].next;
  slots_[index(slot)] = {};
  return slot;
}

void Flow::start(int32_t name, const Job& job) {
  if (!frozen_) freeze();
  const int32_t slot = take_slot();
  Slot& s = slots_[index(slot)];
  s.name = name;
  s.route = job.route;
  s.bytes = job.bytes;
  if (job.route >= 0) {
    for (int32_t r : resources_of(routes_[index(job.route)])) resources_[index(r)].bytes += s.bytes;
    if (routes_[index(job.route)].count == 0) s.bytes = 0;
  } else {
    s.bytes = 0;
  }
  if (job.delay_ms > 0 || s.bytes <= 0) {
    s.delayed = true;
    heap_.push(slot, now_ + job.delay_ms);
  } else {
    move_bytes(slot);
  }
}

void Flow::note_change(int32_t route) {
  Route& r = routes_[index(route)];
  if (r.changed) return;
  r.changed = true;
  changed_.push_back(route);
}

void Flow::move_bytes(int32_t slot) {
  Slot& s = slots_[index(slot)];
  s.delayed = false;
  s.since = now_;
  Route& route = routes_[index(s.route)];
  s.previous = -1;
  s.next = route.head;
  if (route.head >= 0) slots_[index(route.head)].previous = slot;
  route.head = slot;
  ++route.jobs;
  note_change(s.route);
  unplaced_.push_back(slot);
}

void Flow::stop(int32_t slot) {
  Slot& s = slots_[index(slot)];
  if (!s.delayed) {
    Route& route = routes_[index(s.route)];
    if (s.next >= 0) slots_[index(s.next)].previous = s.previous;
    (s.previous >= 0 ? slots_[index(s.previous)].next : route.head) = s.next;
    --route.jobs;
    note_change(s.route);
  }
  s.next = free_;
  free_ = slot;
}

void Flow::enter(const Route& route) {
  for (int32_t e = route.first; e < route.first + route.count; ++e) {
    Resource& r = resources_[index(route_resources_[index(e)])];
    if (r.count == 0) r.busy_since = now_;
    holder_places_[index(e)] = r.first + r.count;
    holders_[index(r.first + r.count++)] = {static_cast<int32_t>(&route - routes_.data()), e};
  }
}

void Flow::leave(const Route& route) {
  for (int32_t e = route.first; e < route.first + route.count; ++e) {
    Resource& r = resources_[index(route_resources_[index(e)])];
    const Holder last = holders_[index(r.first + --r.count)];
    holders_[index(holder_places_[index(e)])] = last;
    holder_places_[index(last.entry)] = holder_places_[index(e)];
    if (r.count == 0) r.busy_ms += now_ - r.busy_since;
  }
}

double Flow::busy_ms(int32_t resource) const {
  const Resource& r = at(resource);
  return r.busy_ms + (r.count > 0 ? now_ - r.busy_since : 0);
}

// Finds the rates that the changes since the last time lead to, and the ends that follow.
void Flow::settle() {
  component_.clear();
  affected_.clear();
  ++last_mark_;
  for (int32_t id : changed_) {
    Route& route = routes_[index(id)];
    route.changed = false;
    if (route.jobs == route.rated_jobs) continue;
    if (route.rated_jobs == 0) enter(route);
    if (route.jobs == 0) leave(route);
    for (int32_t r : resources_of(route)) {
      resources_[index(r)].jobs += route.jobs - route.rated_jobs;
      include(r);
    }
    route.rated_jobs = route.jobs;
  }
  changed_.clear();
  if (!component_.empty()) {
    for (size_t k = 0; k < component_.size(); ++k) {
      const Resource& r = resources_[index(component_[k])];
      for (int32_t h = r.first; h < r.first + r.count; ++h) {
        Route& route = routes_[index(holders_[index(h)].route)];
        if (route.mark == last_mark_) continue;
        route.mark = last_mark_;
        affected_.push_back(holders_[index(h)].route);
        for (int32_t other : resources_of(route)) include(other);
      }
    }
    rates_sought_ += static_cast<int64_t>(affected_.size());
    fill();
    apply_rates();
  } else {
    heap_.restore();
  }
  for (int32_t slot : unplaced_) {
    const Slot& s = slots_[index(slot)];
    heap_.push(slot, now_ + s.bytes / routes_[index(s.route)].rate);
  }
  unplaced_.clear();
}

// Adds a resource to the component at hand.
void Flow::include(int32_t resource) {
  Resource& r = resources_[index(resource)];
  if (r.mark == last_mark_) return;
  r.mark = last_mark_;
  component_.push_back(resource);
}

// Progressive filling: the resource that can give its jobs least fixes their rates, and so on.
void Flow::fill() {
  constexpr double done = std::numeric_limits<double>::infinity();
  shares_.clear();
  for (size_t k = 0; k < component_.size(); ++k) {
    Resource& r = resources_[index(component_[k])];
    r.left = r.gbps * bytes_per_ms;
    r.open = r.jobs;
    r.place = narrow(k);
    shares_.push_back(r.open > 0 ? r.left / r.open : done);
  }
  for (double level = 0;;) {
    const auto tightest = std::ranges::min_element(shares_);
    if (*tightest == done) return;
    level = std::max(level, *tightest);  // levels rise; rounding may say otherwise
    fix_rates(component_[static_cast<size_t>(tightest - shares_.begin())], level);
  }
}

// Gives the jobs of a resource that have no rate yet this one.
void Flow::fix_rates(int32_t resource, double rate) {
  const Resource& tight = resources_[index(resource)];
  for (int32_t h = tight.first; h < tight.first + tight.count; ++h) {
    Route& route = routes_[index(holders_[index(h)].route)];
    if (route.rated_mark == last_mark_) continue;
    route.rated_mark = last_mark_;
    route.next_rate = rate;
    for (int32_t other : resources_of(route)) {
      Resource& r = resources_[index(other)];
      r.left = std::max(0.0, r.left - rate * route.jobs);
      r.open -= route.jobs;
      shares_[index(r.place)] =
          r.open > 0 ? r.left / r.open : std::numeric_limits<double>::infinity();
    }
  }
}

void Flow::apply_rates() {
  affected_.size() * 4 > heap_.size() ? heap_.give_up() : heap_.restore();
  for (int32_t id : affected_) {
    Route& route = routes_[index(id)];
    if (route.next_rate == route.rate) continue;
    for (int32_t slot = route.head; slot >= 0; slot = slots_[index(slot)].next) {
      Slot& s = slots_[index(slot)];
      if (!heap_.contains(slot)) continue;  // it starts just now
      s.bytes = std::max(0.0, s.bytes - route.rate * (now_ - s.since));
      s.since = now_;
      const double end = now_ + s.bytes / route.next_rate;
      heap_.change(slot, end);
    }
    route.rate = route.next_rate;
  }
}

bool Flow::advance(std::vector<int32_t>& ended) {
  ended.clear();
  while (ended.empty()) {
    settle();
    if (heap_.empty()) return false;
    now_ = std::max(now_, heap_.first_end());
    collect_ended(ended);
  }
  std::sort(ended.begin(), ended.end());
  return true;
}

// Takes what ends now: jobs, and delays after which bytes move.
void Flow::collect_ended(std::vector<int32_t>& ended) {
  ended_slots_.clear();
  const double lost = rounding * now_;
  heap_.up_to(now_ + lost + longest_tolerance_ms, [&](int32_t slot, double end) {
    const Slot& s = slots_[index(slot)];
    const double after = end - now_ - lost;
    const bool ends = s.delayed ? after <= delay_tolerance_ms
                                : after * routes_[index(s.route)].rate <= same_bytes;
    if (ends) ended_slots_.push_back(slot);
  });
  for (int32_t slot : ended_slots_) {
    heap_.remove(slot);
    Slot& s = slots_[index(slot)];
    if (s.delayed && s.bytes > 0) {
      move_bytes(slot);
    } else {
      ended.push_back(s.name);
      stop(slot);
    }
  }
}

Flow flow_over(const Topology& topology) {
  std::vector<double> gbps;
  for (const Resource& r : topology.resources) gbps.push_back(r.gbps);
  for (const Device& d : topology.devices) {
    if (!(d.hbm_gbps > 0)) {
      throw TopologyError("device " + d.name + " of " + topology.name +
                          " does not state the bandwidth of its memory");
    }
    gbps.push_back(d.hbm_gbps);
  }
  Flow flow(std::move(gbps));
  std::vector<int32_t> resources;
  for (const Route& route : topology.routes) {
    resources.clear();
    for (ResourceId r : route.resources) resources.push_back(r.value);
    flow.add_route(resources);
  }
  for (size_t d = 0; d < topology.devices.size(); ++d) {
    resources.assign(1, narrow(topology.resources.size() + d));
    flow.add_route(resources);
  }
  return flow;
}

int32_t memory_route(const Topology& topology, int64_t device) {
  return narrow(topology.routes.size()) + static_cast<int32_t>(device);
}

}  // namespace einsummable
