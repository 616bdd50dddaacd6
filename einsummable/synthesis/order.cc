// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace einsummable::synthesis {
namespace {

using exchange::Lowered;

size_t index(int32_t i) { return static_cast<size_t>(i); }

class Backward {
 public:
  explicit Backward(const Lowered& forward)
      : forward_(forward),
        sends_(forward.items.size()),
        uses_(forward.items.size()),
        ready_(forward.items.size(), -1),
        arrival_(forward.transfers.size(), -1) {
    for (size_t t = 0; t < forward.transfers.size(); ++t)
      sends_[index(forward.transfers[t].from)].push_back(static_cast<int32_t>(t));
    for (const Lowered::Form& form : forward.forms) {
      for (int32_t part : forward.parts_of(form)) uses_[index(part)].push_back(form.item);
    }
  }

  // An item is ready once everything that it was sent to or used in is.
  Lowered run() {
    for (size_t i = forward_.items.size(); i-- > 0;) {
      const size_t count = sends_[i].size() + uses_[i].size();
      if (count == 1 && sends_[i].empty()) {
        ready_[i] = ready_[index(uses_[i][0])];
        continue;
      }
      ready_[i] = item(forward_.items[i].site, forward_.items[i].bytes, count == 0);
      if (count == 1) arrival_[index(sends_[i][0])] = ready_[i];
      if (count > 1) join(i);
    }
    for (size_t t = 0; t < forward_.transfers.size(); ++t)
      result_.transfers.push_back({ready_[index(forward_.transfers[t].to)], arrival_[t]});
    return std::move(result_);
  }

 private:
  int32_t item(int32_t site, int64_t bytes, bool given) {
    result_.items.push_back({site, given, bytes});
    return static_cast<int32_t>(result_.items.size()) - 1;
  }

  void join(size_t i) {
    const auto first = static_cast<int32_t>(result_.parts.size());
    for (int32_t t : sends_[i]) {
      arrival_[index(t)] = item(forward_.items[i].site, 0, false);
      result_.parts.push_back(arrival_[index(t)]);
    }
    for (int32_t whole : uses_[i]) result_.parts.push_back(ready_[index(whole)]);
    result_.forms.push_back({ready_[i], first, static_cast<int32_t>(result_.parts.size()) - first});
  }

  const Lowered& forward_;
  std::vector<std::vector<int32_t>> sends_, uses_;  // of each item: transfers, items formed
  std::vector<int32_t> ready_;                      // of each item: when taken backward
  std::vector<int32_t> arrival_;                    // of each transfer: where it ends
  Lowered result_;
};

bool ways_back(const Topology& topology, const Lowered& lowered) {
  return std::ranges::all_of(lowered.transfers, [&](const Lowered::Transfer& t) {
    return topology.route(lowered.items[index(t.to)].site, lowered.items[index(t.from)].site) !=
           nullptr;
  });
}

}  // namespace

Lowered backward(const Lowered& forward) { return Backward(forward).run(); }

// A transfer's key is a sum of what it is: its turn among the pieces of its tree, times the most
// pieces of a tree; its place, which counts them; the transfers before it and after it.
std::span<const OrderSearch::Key> OrderSearch::keys() {
  static constexpr double first = 1e3;
  // The first two are the quick ones.
  static constexpr std::array<Key, 9> all = {{
      {.turn = first, .place = 0, .before = 1, .after = 0, .backward = false},
      {.turn = 1, .place = 0, .before = 1, .after = 0, .forward = false},
      {.turn = 0.5, .place = 0, .before = 0, .after = -1},
      {.turn = first, .place = 0, .before = 1, .after = 0, .forward = false},
      {.turn = 0.1, .place = 1, .before = 1, .after = 0, .forward = false},
      {.turn = 1, .place = 0, .before = 0, .after = -1},
      {.turn = 1, .place = 0, .before = first, .after = 0, .forward = false},
      {.turn = 1, .place = 0, .before = 0, .after = -first},
      {.turn = 2, .place = 0, .before = 1, .after = 0},
  }};
  return all;
}

void OrderSearch::begin(const Candidate& candidate, double good_enough) {
  candidate_ = &candidate;
  good_enough_ = good_enough;
  least_ = no_way;
  tried_.clear();
  backward_.reset();
  if (ways_back(topology_, candidate.lowered)) backward_ = backward(candidate.lowered);
}

Order OrderSearch::best() const {
  if (tried_.empty()) return {};
  return *std::ranges::min_element(tried_, {}, &Order::ms);
}

Order OrderSearch::quick(const Candidate& candidate, double good_enough) {
  begin(candidate, good_enough);
  for (const Key& key : keys().first(2)) {
    if (!done()) try_key(key);
  }
  return best();
}

Order OrderSearch::thorough(const Candidate& candidate, double good_enough) {
  constexpr size_t refined = 3;
  begin(candidate, good_enough);
  for (const Key& key : keys()) {
    if (!done()) try_key(key);
  }
  std::ranges::stable_sort(tried_, {}, &Order::ms);
  const std::vector<Order> chosen(
      tried_.begin(), tried_.begin() + static_cast<ptrdiff_t>(std::min(refined, tried_.size())));
  for (const Order& order : chosen) refine(order, 2);
  return best();
}

Order OrderSearch::random(const Candidate& candidate, double good_enough, int times) {
  begin(candidate, good_enough);
  const auto uniform = [&] { return static_cast<double>(random_() % 4'097) / 4'096; };
  for (int k = 0; k < times && !done(); ++k) {
    const size_t known = tried_.size();
    try_key({.turn = 4 * uniform() * uniform(),
             .place = random_() % 4 == 0 ? uniform() : 0,
             .before = 2 * uniform() - 1,
             .after = -uniform(),
             .forward = random_() % 2 == 0});
    if (tried_.size() == known) break;
    refine(Order(tried_.back()), 1);
  }
  return best();
}

void OrderSearch::try_key(const Key& key) {
  const auto& steps = candidate_->steps;
  int32_t most = 0;
  for (const auto& step : steps) most = std::max(most, step.place + 1);
  std::vector<double> value;
  for (const auto& step : steps) {
    value.push_back(key.turn * step.turn * most + key.place * step.place +
                    key.before * step.before + key.after * step.after);
  }
  std::vector<int32_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t t) { return value[index(t)]; });
  if (key.forward || !backward_) try_order(order);
  if (!key.backward || !backward_ || left_ < 2 || done()) return;
  std::ranges::reverse(order);
  simulate(*backward_, order);
  try_order(last_first());
}

double OrderSearch::simulate(const Lowered& lowered, std::span<const int32_t> order) {
  constexpr int64_t rates_a_step = 20;
  interruption_.check();
  --left_;
  const double ms = loop_.run(lowered, order);
  work_ -= std::max(static_cast<int64_t>(order.size() + lowered.forms.size()),
                    loop_.flow().rates_sought() / rates_a_step);
  return ms;
}

void OrderSearch::try_order(std::vector<int32_t> order) {
  const double ms = simulate(candidate_->lowered, order);
  least_ = std::min(least_, ms);
  tried_.push_back({ms, std::move(order)});
}

void OrderSearch::refine(const Order& order, int times) {
  if (left_ < 3 || !backward_ || done()) return;
  simulate(candidate_->lowered, order.transfers);
  for (int k = 0; k < times && left_ >= 2 && !done(); ++k) {
    simulate(*backward_, last_first());
    try_order(last_first());
  }
}

std::vector<int32_t> OrderSearch::last_first() const {
  std::vector<int32_t> order(candidate_->steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](int32_t t) { return loop_.end_ms(t); });
  return order;
}

}  // namespace einsummable::synthesis
