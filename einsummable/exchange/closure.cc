// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/closure.h"

#include <algorithm>
#include <queue>

namespace einsummable::exchange {
namespace {

int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

// Aggregates by size, as ranges of equal size.
std::vector<AggregateId> by_size(const Program& program) {
  std::vector<AggregateId> order;
  for (size_t i = 0; i < program.aggregate_count(); ++i)
    order.emplace_back(static_cast<int64_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](AggregateId a, AggregateId b) {
    return program.atoms(a).size() < program.atoms(b).size();
  });
  return order;
}

std::string some_names(const Program& program, std::span<const AggregateId> aggregates) {
  std::string text;
  for (size_t i = 0; i < aggregates.size() && i < 5; ++i) {
    if (i > 0) text += ", ";
    text += aggregate_text(program, aggregates[i]);
  }
  return aggregates.size() > 5 ? text + ", ..." : text;
}

}  // namespace

template <class Visit>
void Closure::each_site(Place place, Visit visit) const {
  if (place.is_site()) {
    visit(place.site);
  } else {
    for (SiteId s : members_[place.partition.index()]) visit(s);
  }
}

Closure::Closure(const Program& program, const Members& members, Budget& budget)
    : program_(program),
      members_(members),
      budget_(budget),
      finder_(program),
      seen_(program.sites().empty() ? 0 : program.sites().back().index() + 1, -1),
      range_(program.aggregate_count(), {0, 0}) {
  group();
  const std::vector<AggregateId> order = by_size(program);
  for (size_t begin = 0; begin < order.size();) {
    const size_t size = program.atoms(order[begin]).size();
    size_t end = begin;
    for (; end < order.size() && program.atoms(order[end]).size() == size; ++end) {
      derive(order[end]);
      if (budget_.spent()) {
        complete_ = false;
        return;
      }
    }
    for (; begin < end; ++begin) {
      if (!derivations(order[begin]).empty()) finder_.add(order[begin]);
    }
  }
}

void Closure::group() {
  const size_t count = program_.aggregate_count();
  const auto bucket = [&](const auto& entries, std::vector<int32_t>& begin) {
    begin.assign(count + 1, 0);
    for (const auto& e : entries) ++begin[e.aggregate.index() + 1];
    for (size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
    return begin;
  };
  std::vector<int32_t> next = bucket(program_.given(), given_begin_);
  given_.resize(program_.given().size());
  for (const Given& g : program_.given()) {
    given_[static_cast<size_t>(next[g.aggregate.index()]++)] = g.site;
  }
  next = bucket(program_.body(), action_begin_);
  actions_.resize(program_.body().size());
  for (size_t i = 0; i < program_.body().size(); ++i) {
    actions_[static_cast<size_t>(next[program_.body()[i].aggregate.index()]++)] = narrow(i);
  }
}

std::span<const Derivation> Closure::derivations(AggregateId aggregate) const {
  const auto [begin, end] = range_[aggregate.index()];
  return {all_.data() + begin, static_cast<size_t>(end - begin)};
}

const Derivation* Closure::find(AggregateId aggregate, SiteId site) const {
  const auto sites = derivations(aggregate);
  const auto at = std::ranges::lower_bound(sites, site, {}, &Derivation::site);
  return at != sites.end() && at->site == site ? &*at : nullptr;
}

void Closure::derive(AggregateId aggregate) {
  const size_t i = aggregate.index();
  sends_.clear();
  for (int32_t k = action_begin_[i]; k < action_begin_[i + 1]; ++k) {
    const int32_t index = actions_[static_cast<size_t>(k)];
    each_site(program_.body()[static_cast<size_t>(index)].source, [&](SiteId s) {
      sends_.push_back({s, index});
    });
    if (static_cast<int64_t>(sends_.size()) > budget_.steps) break;
  }
  if (!budget_.spend_steps(static_cast<int64_t>(sends_.size()))) return;
  std::sort(sends_.begin(), sends_.end());
  std::vector<Forming> ways = formings(aggregate);
  if (!budget_.spent()) spread(aggregate, ways);
}

// Every site where an action may aggregate the aggregate, and how.
std::vector<Closure::Forming> Closure::formings(AggregateId aggregate) {
  std::vector<Forming> ways;
  if (sends_.empty() || program_.atoms(aggregate).size() < 2) return ways;
  const size_t i = aggregate.index();
  for (int32_t k = given_begin_[i]; k < given_begin_[i + 1]; ++k) {
    seen_[given_[static_cast<size_t>(k)].index()] = aggregate.value;
  }
  const std::vector<AggregateId> candidates = finder_.inside(aggregate, budget_);
  for (const Send& send : sends_) {
    int32_t& seen = seen_[send.source.index()];
    if (seen == aggregate.value) continue;
    seen = aggregate.value;
    if (auto way = forming_at(aggregate, send.source, candidates)) ways.push_back(std::move(*way));
    if (budget_.spent()) return ways;
  }
  if (ways.size() > 1) unify(aggregate, ways, candidates);
  return ways;
}

std::optional<Closure::Forming> Closure::forming_at(AggregateId whole, SiteId site,
                                                    std::span<const AggregateId> candidates) {
  std::vector<std::pair<int32_t, AggregateId>> rounds;
  budget_.spend_steps(4 * narrow(candidates.size()));
  for (AggregateId y : candidates) {
    if (const Derivation* there = find(y, site)) rounds.emplace_back(there->round, y);
  }
  Parts parts = earliest(whole, rounds);
  if (parts.outcome != Cover::Outcome::found) return std::nullopt;
  const int32_t round = round_after(parts.aggregates, site);
  return Forming{site, round, std::move(parts.aggregates)};
}

// The fewest parts among those that are there first: as soon as any of them partition the whole.
Parts Closure::earliest(AggregateId whole, std::vector<std::pair<int32_t, AggregateId>>& rounds) {
  std::stable_sort(rounds.begin(), rounds.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<AggregateId> there;
  std::vector<size_t> ends;  // of each round among `there`
  for (size_t k = 0; k < rounds.size(); ++k) {
    there.push_back(rounds[k].second);
    if (k + 1 == rounds.size() || rounds[k + 1].first != rounds[k].first) ends.push_back(k + 1);
  }
  const auto within = [&](size_t end) {
    return finder_.choose(whole, std::span(there).first(end), budget_);
  };
  if (ends.empty()) return {};
  Parts best = within(ends.back());
  size_t low = 0;
  size_t high = ends.size() - 1;
  while (low < high && best.outcome == Cover::Outcome::found) {
    const size_t middle = (low + high) / 2;
    Parts parts = within(ends[middle]);
    if (parts.outcome == Cover::Outcome::too_hard) return parts;
    if (parts.outcome == Cover::Outcome::found) {
      best = std::move(parts);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return best;
}

int32_t Closure::round_after(std::span<const AggregateId> parts, SiteId site) {
  int32_t round = 0;
  budget_.spend_steps(4 * narrow(parts.size()));
  for (AggregateId y : parts) {
    const Derivation* there = find(y, site);
    if (there == nullptr) return -1;
    round = std::max(round, there->round);
  }
  return round + 1;
}

// Settles on one set of parts for all sites: that of the first site whose parts are at all of them;
// else the best among what all sites have; else that of the first site, where it is.
void Closure::unify(AggregateId whole, std::vector<Forming>& ways,
                    std::span<const AggregateId> candidates) {
  const auto everywhere = [&](std::span<const AggregateId> parts) {
    return std::ranges::all_of(ways,
                               [&](const Forming& w) { return round_after(parts, w.site) >= 0; });
  };
  std::vector<const Forming*> order;
  for (const Forming& w : ways) order.push_back(&w);
  std::ranges::stable_sort(order, {}, [](const Forming* w) { return w->round; });
  std::vector<AggregateId> chosen = order[0]->parts;
  const auto same = [&](const Forming& w) { return w.parts == chosen; };
  if (std::ranges::all_of(ways, same)) return;
  const auto first =
      std::ranges::find_if(order, [&](const Forming* w) { return everywhere(w->parts); });
  if (first != order.end()) {
    chosen = (*first)->parts;
  } else {
    std::vector<AggregateId> common;
    for (AggregateId y : candidates) {
      if (everywhere({&y, 1})) common.push_back(y);
    }
    Parts parts = finder_.choose(whole, common, budget_);
    if (parts.outcome == Cover::Outcome::found) chosen = std::move(parts.aggregates);
  }
  for (Forming& w : ways) {
    if (same(w)) continue;
    const int32_t round = round_after(chosen, w.site);
    w.differs = round < 0;
    if (!w.differs) w = {w.site, round, chosen};
  }
}

// From where the aggregate is given or aggregated, along its actions, round by round.
void Closure::spread(AggregateId aggregate, std::vector<Forming>& ways) {
  using Kind = Derivation::Kind;
  struct Event {
    int32_t round;
    Kind kind;
    SiteId site, source;
    int32_t way = -1;
    auto operator<=>(const Event&) const = default;
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  const size_t i = aggregate.index(), begin = all_.size();
  for (int32_t k = given_begin_[i]; k < given_begin_[i + 1]; ++k) {
    events.push({0, Kind::given, given_[static_cast<size_t>(k)], {}});
  }
  for (size_t w = 0; w < ways.size(); ++w) {
    if (!ways[w].differs)
      events.push({ways[w].round, Kind::aggregated, ways[w].site, {}, narrow(w)});
  }
  const int32_t reached = -2 - aggregate.value;  // a mark of its own in seen_
  const auto send_on = [&](const Event& event) {
    const int32_t round = event.kind == Kind::aggregated ? event.round : event.round + 1;
    const auto sends = std::ranges::equal_range(sends_, event.site, {}, &Send::source);
    for (const Send& send : sends) {
      for (Place place : program_.body()[static_cast<size_t>(send.action)].destinations) {
        each_site(place, [&](SiteId d) {
          budget_.spend_steps(64);  // an event is queued and may be kept
          if (seen_[d.index()] != reached) events.push({round, Kind::received, d, event.site});
        });
        if (budget_.spent()) return;
      }
    }
  };
  const auto run = [&] {
    for (; !events.empty() && !budget_.spent();) {
      const Event event = events.top();
      events.pop();
      if (seen_[event.site.index()] == reached) continue;
      seen_[event.site.index()] = reached;
      Derivation made{aggregate, event.site, event.kind, event.round, event.source};
      if (event.way >= 0) {
        const auto& parts = ways[static_cast<size_t>(event.way)].parts;
        made.first_part = narrow(parts_.size());
        made.part_count = narrow(parts.size());
        parts_.insert(parts_.end(), parts.begin(), parts.end());
      }
      all_.push_back(made);
      send_on(event);
    }
  };
  run();
  for (size_t w = 0; w < ways.size(); ++w) {
    if (!ways[w].differs || seen_[ways[w].site.index()] == reached) continue;
    uniform_ = false;
    events.push({ways[w].round, Kind::aggregated, ways[w].site, {}, narrow(w)});
    run();
  }
  std::sort(all_.begin() + static_cast<int64_t>(begin), all_.end(),
            [](const Derivation& a, const Derivation& b) { return a.site < b.site; });
  range_[i] = {narrow(begin), narrow(all_.size())};
}

std::vector<Derivation> Closure::in_firing_order() const {
  std::vector<Derivation> order = all_;
  std::stable_sort(order.begin(), order.end(), [](const Derivation& a, const Derivation& b) {
    return a.round != b.round ? a.round < b.round : a.kind < b.kind;
  });
  return order;
}

std::string Closure::missing(AggregateId aggregate, SiteId site, Budget& budget) {
  std::vector<AggregateId> there;
  std::vector<bool> covered(program_.atoms().size(), false);
  for (AggregateId y : finder_.inside(aggregate, budget)) {
    if (find(y, site) == nullptr) continue;
    there.push_back(y);
    for (AtomId a : program_.atoms(y)) covered[a.index()] = true;
  }
  std::string names;
  size_t count = 0;
  for (AtomId a : program_.atoms(aggregate)) {
    if (covered[a.index()]) continue;
    if (++count > 5) continue;
    names += (names.empty() ? "" : ", ") + name_text(program_.atom(a).name);
  }
  const std::string at = " at " + std::to_string(site.value);
  if (count > 0)
    return names + (count > 5 ? ", ..." : "") + (count == 1 ? " is" : " are") + " missing" + at;
  return "what is" + at + " (" + some_names(program_, there) + ") does not partition it";
}

}  // namespace einsummable::exchange
