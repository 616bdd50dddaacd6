// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator_loop.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "einsummable/base/error.h"

namespace einsummable::exchange {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }
int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

constexpr double ms_per_us = 1e-3;

std::string site_range(const Topology& topology) {
  return topology.name + " has sites 0 to " + std::to_string(topology.sites() - 1);
}

}  // namespace

SimulatorLoop::SimulatorLoop(const Topology& topology, Latencies latencies)
    : topology_(topology),
      latencies_(latencies),
      flow_(flow_over(topology)),
      pair_ids_(static_cast<size_t>(topology.sites() * topology.sites()), -1) {}

double SimulatorLoop::run(const Lowered& program, std::span<const int32_t> order,
                          PartsChoice* choice) {
  choice_ = choice;
  prepare(program, order);
  flow_.reset();
  for (size_t i = 0; i < program.items.size(); ++i) {
    if (program.items[i].given) arrive(narrow(i), -1);
  }
  start_ready();
  while (flow_.advance(ended_)) {
    for (int32_t step : ended_) finish(step);
    start_ready();
  }
  ensure(arrivals_.size() == program.items.size(), "every item comes to be");
  return flow_.now();
}

void SimulatorLoop::prepare(const Lowered& program, std::span<const int32_t> order) {
  program_ = &program;
  free_workers_ = topology_.workers;
  last_form_ = -1;
  items_.assign(program.items.size() + 1, {});
  steps_.assign(program.transfers.size() + program.forms.size(), {});
  forms_.assign(program.forms.size(), {});
  prepare_pairs(program, order);
  for (const Lowered::Item& item : program.items) {
    if (item.site < 0 || item.site >= topology_.sites()) {
      throw TopologyError("the program uses site " + std::to_string(item.site) + "; " +
                          site_range(topology_));
    }
  }
  for (const Lowered::Transfer& t : program.transfers) ++items_[index(t.from)].first_send;
  for (size_t f = 0; f < program.forms.size(); ++f) {
    forms_[f].missing = program.forms[f].part_count;
    for (int32_t part : program.parts_of(program.forms[f])) ++items_[index(part)].first_use;
  }
  // Counts become ends, which filling from the back turns into beginnings.
  int32_t sends = 0, uses = 0;
  for (Item& item : items_) {
    item.first_send = sends += item.first_send;
    item.first_use = uses += item.first_use;
  }
  sends_.resize(index(sends));
  uses_.resize(index(uses));
  for (size_t t = program.transfers.size(); t-- > 0;) {
    sends_[index(--items_[index(program.transfers[t].from)].first_send)] = narrow(t);
  }
  for (size_t f = program.forms.size(); f-- > 0;) {
    for (int32_t part : program.parts_of(program.forms[f])) {
      uses_[index(--items_[index(part)].first_use)] = narrow(f);
    }
  }
}

// The number of a pair of sites in this run.
int32_t SimulatorLoop::pair_of(int32_t from, int32_t to) {
  int32_t& id = pair_ids_[index(from) * static_cast<size_t>(topology_.sites()) + index(to)];
  if (id >= 0) return id;
  const Route* route = topology_.route(from, to);
  if (route == nullptr) {
    throw TopologyError("there is no way from site " + std::to_string(from) + " to site " +
                        std::to_string(to) + " on " + topology_.name);
  }
  id = narrow(pairs_.size());
  used_pairs_.push_back(static_cast<int32_t>(&id - pair_ids_.data()));
  Pair pair;
  pair.route = static_cast<int32_t>(route - topology_.routes.data());
  pair.latency_ms = latencies_ == Latencies::stated ? route->latency_us * ms_per_us : 0;
  pairs_.push_back(pair);
  return id;
}

void SimulatorLoop::prepare_pairs(const Lowered& program, std::span<const int32_t> order) {
  for (int32_t used : used_pairs_) pair_ids_[index(used)] = -1;
  used_pairs_.clear();
  pairs_.clear();
  touched_pairs_.clear();
  touched_forms_.clear();
  waiting_forms_.clear();
  arrivals_.clear();
  const size_t count = program.transfers.size();
  by_rank_.resize(count);
  rank_.resize(count);
  if (order.empty()) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
  } else {
    ensure(order.size() == count, "an order is one of all transfers");
    std::ranges::copy(order, by_rank_.begin());
  }
  for (size_t k = 0; k < count; ++k) rank_[index(by_rank_[k])] = narrow(k);
  pair_of_.resize(count);
  for (size_t t = 0; t < count; ++t) {
    const Lowered::Transfer& transfer = program.transfers[t];
    const int32_t from = program.items[index(transfer.from)].site;
    const int32_t to = program.items[index(transfer.to)].site;
    for (int32_t site : {from, to}) {
      if (site >= 0 && site < topology_.sites()) continue;
      throw TopologyError("the program uses site " + std::to_string(site) + "; " +
                          site_range(topology_));
    }
    pair_of_[t] = pair_of(from, to);
    ++pairs_[index(pair_of_[t])].first;
  }
  int32_t end = 0;
  for (Pair& pair : pairs_) {
    const int32_t size = pair.first;
    pair.first = end;
    end += size;
  }
  queues_.resize(count);
}

void SimulatorLoop::touch(Pair& pair, int32_t id) {
  if (pair.touched) return;
  pair.touched = true;
  touched_pairs_.push_back(id);
}

void SimulatorLoop::arrive(int32_t id, int32_t producer) {
  Item& item = items_[index(id)];
  if (item.there) return;
  item = {true, producer, flow_.now(), item.first_send, item.first_use};
  arrivals_.push_back(id);
  const Item& next = items_[index(id) + 1];
  for (int32_t k = item.first_send; k < next.first_send; ++k) {
    const int32_t transfer = sends_[index(k)];
    Pair& pair = pairs_[index(pair_of_[index(transfer)])];
    const auto queue = queues_.begin() + pair.first;
    queue[pair.count++] = rank_[index(transfer)];
    std::push_heap(queue, queue + pair.count, std::greater<>());
    touch(pair, pair_of_[index(transfer)]);
  }
  for (int32_t k = item.first_use; k < next.first_use; ++k) {
    const int32_t form = uses_[index(k)];
    FormState& state = forms_[index(form)];
    --state.missing;
    if (state.started) continue;
    if (choice_ != nullptr) choice_->arrived(form, id);
    if (state.touched || (choice_ == nullptr && state.missing > 0)) continue;
    state.touched = true;
    touched_forms_.push_back(form);
  }
}

void SimulatorLoop::finish(int32_t step) {
  steps_[index(step)].end = flow_.now();
  const int32_t transfers = narrow(program_->transfers.size());
  if (step < transfers) {
    Pair& pair = pairs_[index(pair_of_[index(step)])];
    pair.busy = false;
    touch(pair, pair_of_[index(step)]);
    arrive(program_->transfers[index(step)].to, step);
  } else {
    ++free_workers_;
    last_form_ = step;
    arrive(program_->forms[index(step - transfers)].item, step);
  }
}

void SimulatorLoop::start_ready() {
  for (int32_t id : touched_pairs_) {
    Pair& pair = pairs_[index(id)];
    pair.touched = false;
    if (!pair.busy) start_next(pair);
  }
  touched_pairs_.clear();
  for (int32_t form : touched_forms_) {
    forms_[index(form)].touched = false;
    waiting_forms_.push_back(form);
  }
  touched_forms_.clear();
  if (waiting_forms_.empty()) return;
  std::sort(waiting_forms_.begin(), waiting_forms_.end());
  size_t k = 0;
  while (k < waiting_forms_.size() && (topology_.workers == 0 || free_workers_ > 0)) {
    free_workers_ -= start_form(waiting_forms_[k++]);
  }
  waiting_forms_.erase(waiting_forms_.begin(), waiting_forms_.begin() + static_cast<int64_t>(k));
}

// Starts the first transfer of the queue whose aggregate is not yet where it goes.
void SimulatorLoop::start_next(Pair& pair) {
  const auto queue = queues_.begin() + pair.first;
  while (pair.count > 0) {
    std::pop_heap(queue, queue + pair.count, std::greater<>());
    const int32_t step = by_rank_[index(queue[--pair.count])];
    const Lowered::Transfer& transfer = program_->transfers[index(step)];
    if (items_[index(transfer.to)].there) continue;
    const Item& from = items_[index(transfer.from)];
    const bool waited = from.since < flow_.now() && pair.last >= 0;
    steps_[index(step)].start = flow_.now();
    steps_[index(step)].cause = waited ? pair.last : from.producer;
    pair.last = step;
    pair.busy = true;
    const int64_t bytes = program_->items[index(transfer.from)].bytes;
    flow_.start(step, {.route = pair.route,
                       .bytes = topology_.handover ? 0 : static_cast<double>(bytes),
                       .delay_ms = pair.latency_ms});
    return;
  }
}

// Starts a form whose parts are there and whose result is not.
bool SimulatorLoop::start_form(int32_t id) {
  const Lowered::Form& form = program_->forms[index(id)];
  if (forms_[index(id)].started || items_[index(form.item)].there) return false;
  const auto parts = choice_ != nullptr ? choice_->choose(id) : program_->parts_of(form);
  if (parts.empty()) return false;
  forms_[index(id)].started = true;
  const int32_t step = narrow(program_->transfers.size()) + id;
  Step& s = steps_[index(step)];
  s.start = flow_.now();
  auto bytes = static_cast<double>(program_->items[index(form.item)].bytes);
  double last = -1;
  for (int32_t part : parts) {
    bytes += static_cast<double>(program_->items[index(part)].bytes);
    const Item& item = items_[index(part)];
    if (item.since <= last) continue;
    last = item.since;
    s.cause = item.producer;
  }
  if (topology_.workers > 0 && last < s.start && last_form_ >= 0) s.cause = last_form_;
  const Device& device = topology_.device(program_->items[index(form.item)].site);
  flow_.start(
      step,
      {.route = memory_route(topology_, &device - topology_.devices.data()),
       .bytes = bytes,
       .delay_ms = latencies_ == Latencies::stated ? device.kernel_latency_us * ms_per_us : 0});
  return true;
}

}  // namespace einsummable::exchange
