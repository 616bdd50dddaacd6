// SPDX-License-Identifier: Apache-2.0
#include "tests/exchange/simulator_oracle.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "tests/exchange/brute_force.h"

namespace einsummable::exchange {
namespace {

using Real = long double;

std::vector<int32_t> sites_at(Place place, const Program& program) {
  if (place.is_site()) return {place.site.value};
  std::vector<int32_t> sites;
  for (SiteId s : program.partition(place.partition).members) sites.push_back(s.value);
  return sites;
}

struct Todo {
  AggregateId aggregate;
  int32_t from = 0;
  int32_t to = -1;  // of a transfer
  auto operator<=>(const Todo&) const = default;
};

struct Running {
  Todo todo;
  Real delay = 0;
  Real bytes = 0;
  std::set<std::string> resources = {};
  Real rate = 0;
  PlainStep step = {};
};

class Plain {
 public:
  Plain(const Program& program, const Topology& topology, bool ideal)
      : program_(program), topology_(topology), ideal_(ideal) {
    for (const Given& g : program.given()) there_.insert({g.aggregate, g.site.value});
    for (const Resource& r : topology.resources) capacity_[r.name] = r.gbps * 1e6L;
    for (const Device& d : topology.devices) capacity_["memory of " + d.name] = d.hbm_gbps * 1e6L;
    for (const Action& a : program.body()) {
      for (int32_t s : sites_at(a.source, program)) {
        if (program.atoms(a.aggregate).size() > 1) add(forms_, {a.aggregate, s});
        for (Place p : a.destinations) {
          for (int32_t d : sites_at(p, program)) {
            if (d != s) add(transfers_, {a.aggregate, s, d});
          }
        }
      }
    }
  }

  PlainSimulation run() {
    for (;;) {
      start_forms();
      start_transfers();
      if (running_.empty()) break;
      find_rates();
      step();
    }
    std::ranges::sort(out_.steps, {},
                      [](const PlainStep& s) { return std::pair(s.text, s.start_ms); });
    out_.ms = static_cast<double>(now_);
    return out_;
  }

 private:
  static void add(std::vector<Todo>& list, const Todo& todo) {
    if (std::ranges::find(list, todo) == list.end()) list.push_back(todo);
  }

  void start(const Todo& todo, Real delay, Real bytes, std::set<std::string> resources,
             std::string text) {
    if (resources.empty()) bytes = 0;
    running_.push_back({todo,
                        ideal_ ? 0 : delay / 1000,
                        bytes,
                        std::move(resources),
                        0,
                        {std::move(text), static_cast<double>(now_), 0}});
  }

  void start_forms() {
    for (auto todo = forms_.begin(); todo != forms_.end();) {
      const auto forming =
          std::ranges::count_if(running_, [](const Running& r) { return r.todo.to < 0; });
      if (topology_.workers > 0 && forming >= topology_.workers) return;
      const auto parts = there_.contains({todo->aggregate, todo->from})
                             ? std::nullopt
                             : fewest(todo->aggregate, todo->from);
      if (!parts) {
        ++todo;
        continue;
      }
      std::string text =
          aggregate_text(program_, todo->aggregate) + " @ " + std::to_string(todo->from) + " =";
      Real bytes = program_.bytes(todo->aggregate);
      for (AggregateId part : *parts) {
        text += " " + aggregate_text(program_, part);
        bytes += program_.bytes(part);
      }
      const Device& device = topology_.device(todo->from);
      start(*todo, device.kernel_latency_us, bytes, {"memory of " + device.name}, text);
      todo = forms_.erase(todo);
    }
  }

  void start_transfers() {
    for (auto todo = transfers_.begin(); todo != transfers_.end();) {
      const bool busy = std::ranges::any_of(running_, [&](const Running& r) {
        return r.todo.from == todo->from && r.todo.to == todo->to;
      });
      if (busy || !there_.contains({todo->aggregate, todo->from})) {
        ++todo;
      } else if (there_.contains({todo->aggregate, todo->to})) {
        ++out_.skipped;
        todo = transfers_.erase(todo);
      } else {
        const einsummable::Route* route = topology_.route(todo->from, todo->to);
        std::set<std::string> resources;
        for (ResourceId r : route->resources) resources.insert(topology_.resource(r).name);
        start(*todo, route->latency_us, topology_.handover ? 0 : program_.bytes(todo->aggregate),
              resources,
              aggregate_text(program_, todo->aggregate) + " @ " + std::to_string(todo->from) +
                  " -> " + std::to_string(todo->to));
        todo = transfers_.erase(todo);
      }
    }
  }

  // All partitions of the aggregate, as lists of lists of atoms: the best is the shortest, then the
  // first.
  std::optional<std::vector<AggregateId>> fewest(AggregateId whole, int32_t site) {
    std::vector<AggregateId> candidates;
    for (const auto& [aggregate, s] : there_) {
      if (s == site) candidates.push_back(aggregate);
    }
    std::ranges::sort(candidates, {}, [&](AggregateId y) { return names(y); });
    std::optional<std::vector<AggregateId>> best;
    std::vector<AggregateId> chosen;
    extend(mask_of(program_, whole), candidates, chosen, best);
    return best;
  }

  std::vector<std::string> names(AggregateId aggregate) const {
    std::vector<std::string> all;
    for (AtomId a : program_.atoms(aggregate)) all.push_back(program_.atom(a).name);
    std::ranges::sort(all);
    return all;
  }

  void extend(Mask left, const std::vector<AggregateId>& candidates,
              std::vector<AggregateId>& chosen, std::optional<std::vector<AggregateId>>& best) {
    if (left == 0) {
      const auto key = [&](const std::vector<AggregateId>& cover) {
        std::vector<std::vector<std::string>> lists;
        for (AggregateId y : cover) lists.push_back(names(y));
        std::ranges::sort(lists);
        return std::pair(cover.size(), lists);
      };
      if (!best || key(chosen) < key(*best)) {
        best = chosen;
        std::ranges::sort(*best, {}, [&](AggregateId y) { return names(y); });
      }
      return;
    }
    for (AggregateId y : candidates) {
      const Mask mask = mask_of(program_, y);
      if ((mask & (left & (~left + 1))) == 0 || (mask & ~left) != 0) continue;
      chosen.push_back(y);
      extend(left & ~mask, candidates, chosen, best);
      chosen.pop_back();
    }
  }

  // Raises all rates together; what goes through a full resource stays.
  void find_rates() {
    std::map<std::string, Real> left = capacity_;
    std::set<Running*> rising;
    for (Running& r : running_) {
      r.rate = 0;
      if (r.delay <= 0 && r.bytes > 0) rising.insert(&r);
    }
    while (!rising.empty()) {
      std::map<std::string, int> users;
      for (const Running* r : rising) {
        for (const std::string& name : r->resources) ++users[name];
      }
      Real by = std::numeric_limits<Real>::infinity();
      for (const auto& [name, count] : users) by = std::min(by, left[name] / count);
      std::set<std::string> full;
      for (const auto& [name, count] : users) {
        const bool is_full = left[name] / count <= by * (1 + 1e-15L);
        left[name] -= by * count;
        if (is_full) full.insert(name);
      }
      for (auto r = rising.begin(); r != rising.end();) {
        (*r)->rate += by;
        const bool stays = std::ranges::any_of(
            (*r)->resources, [&](const std::string& name) { return full.contains(name); });
        r = stays ? rising.erase(r) : std::next(r);
      }
    }
  }

  void step() {
    Real by = std::numeric_limits<Real>::infinity();
    for (const Running& r : running_) {
      by = std::min(by, r.delay > 0 ? r.delay : r.bytes > 0 ? r.bytes / r.rate : 0);
    }
    now_ += by;
    std::vector<Running> on;
    std::vector<Running> ended;
    for (Running& r : running_) {
      if (r.delay > 0) {
        r.delay -= by;
        if (r.delay < 1e-14L) r.delay = 0;
      } else {
        r.bytes -= r.rate * by;
      }
      (r.delay <= 0 && r.bytes <= 1e-3L ? ended : on).push_back(r);
    }
    running_ = on;
    for (Running& r : ended) {
      r.step.end_ms = static_cast<double>(now_);
      out_.steps.push_back(r.step);
      there_.insert({r.todo.aggregate, r.todo.to < 0 ? r.todo.from : r.todo.to});
    }
  }

  const Program& program_;
  const Topology& topology_;
  const bool ideal_;
  Real now_ = 0;
  std::set<std::pair<AggregateId, int32_t>> there_;
  std::map<std::string, Real> capacity_;
  std::vector<Todo> forms_, transfers_;  // in program order
  std::vector<Running> running_;
  PlainSimulation out_;
};

}  // namespace

PlainSimulation simulate_plainly(const Program& program, const Topology& topology, bool ideal) {
  return Plain(program, topology, ideal).run();
}

}  // namespace einsummable::exchange
