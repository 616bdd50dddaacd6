// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/min_sum.h"

#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

using Costs = std::vector<Cost>;

// A table over some variables, row-major in the order of `scope`.
struct Factor {
  std::vector<uint32_t> scope;
  std::vector<int64_t> strides;
  std::shared_ptr<const Costs> cost;
  bool alive = true;
};

// Sums below this cannot overflow when a variable's tables are shifted against each other.
constexpr int64_t kShiftLimit = int64_t{1} << 50;
constexpr int64_t kTotalLimit = int64_t{1} << 59;

// The largest absolute component of any of the costs.
double magnitude(const Costs& costs) {
  int64_t most = 0;
  for (const Cost& c : costs) {
    for (int64_t part : {c.main, c.aggregations, c.replicated}) {
      most = std::max(most, part < 0 ? -std::max(part, -INT64_MAX) : part);
    }
  }
  return static_cast<double>(most);
}

class Elimination {
 public:
  Elimination(std::span<const Costs> unary, std::span<const PairTable> pairs, int64_t budget,
              const Interruption& interruption);
  Assignment run();
  std::vector<Assignment> run_each(uint32_t last);

 private:
  using Group = std::vector<uint32_t>;                     // ids of factors
  using Priority = std::tuple<size_t, int64_t, uint32_t>;  // neighbours, table, variable

  int64_t states(uint32_t v) const { return static_cast<int64_t>(unary_[v].size()); }
  std::vector<uint32_t> neighbours(uint32_t v, const Group& factors) const;
  int64_t table_size(const std::vector<uint32_t>& scope) const;
  Priority priority(uint32_t v) const;
  void eliminate_all(std::optional<uint32_t> kept);
  Assignment finish(std::vector<uint32_t> state, std::optional<uint32_t> kept,
                    const Cost& bound) const;
  void add_factor(std::vector<uint32_t> scope, std::shared_ptr<const Costs> cost);
  void eliminate(uint32_t v);
  std::vector<Group> split(uint32_t v) const;
  std::vector<Costs> shares(uint32_t v, const std::vector<Group>& groups) const;
  template <class Visit>
  void for_each_row(uint32_t v, const Group& group, const std::vector<uint32_t>& scope,
                    const Costs& own, const Visit& visit) const;
  void add_slice(const Factor& factor, uint32_t v, const std::vector<uint32_t>& state,
                 Costs& row) const;
  void decode(Assignment& out) const;
  void descend(Assignment& out) const;
  Cost cost_of(const std::vector<uint32_t>& state) const;

  std::span<const Costs> unary_;
  int64_t budget_;
  const Interruption& interruption_;
  size_t pairs_;  // the first factors are the pair tables
  std::vector<Factor> factors_;
  std::vector<Group> factors_of_;  // those alive, of a variable not eliminated; then its bucket
  std::vector<Group> pairs_of_;
  std::vector<uint32_t> order_;
  std::set<Priority> queue_;
  Cost bound_;
  int width_ = 0;
  int64_t largest_ = 0;
  bool grouped_ = false;
};

Elimination::Elimination(std::span<const Costs> unary, std::span<const PairTable> pairs,
                         int64_t budget, const Interruption& interruption)
    : unary_(unary),
      budget_(budget),
      interruption_(interruption),
      pairs_(pairs.size()),
      factors_of_(unary.size()) {
  double total = 0;
  for (const Costs& costs : unary) {
    ensure(!costs.empty(), "a variable without states");
    total += magnitude(costs);
  }
  std::map<const Costs*, double> seen;
  for (const PairTable& pair : pairs) {
    interruption_.check();
    ensure(pair.a != pair.b && std::max(pair.a, pair.b) < unary.size(),
           "a pair table needs two variables");
    ensure(pair.cost->size() == unary[pair.a].size() * unary[pair.b].size(),
           "a pair table's size differs from its variables' states");
    const auto [place, added] = seen.try_emplace(pair.cost.get());
    if (added) place->second = magnitude(*pair.cost);
    total += place->second;
    add_factor({pair.a, pair.b}, pair.cost);
  }
  if (total >= static_cast<double>(kTotalLimit)) {
    throw PlanError("the costs of a plan do not fit in 64 bits");
  }
  pairs_of_ = factors_of_;
}

void Elimination::add_factor(std::vector<uint32_t> scope, std::shared_ptr<const Costs> cost) {
  const auto id = static_cast<uint32_t>(factors_.size());
  std::vector<int64_t> strides(scope.size());
  int64_t stride = 1;
  for (size_t i = scope.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= states(scope[i]);
    factors_of_[scope[i]].push_back(id);
  }
  factors_.push_back({std::move(scope), std::move(strides), std::move(cost)});
}

std::vector<uint32_t> Elimination::neighbours(uint32_t v, const Group& factors) const {
  std::vector<uint32_t> out;
  for (uint32_t f : factors) {
    for (uint32_t u : factors_[f].scope) {
      if (u != v) out.push_back(u);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Entries of a table over `scope`, held at a number beyond any budget.
int64_t Elimination::table_size(const std::vector<uint32_t>& scope) const {
  constexpr int64_t too_many = int64_t{1} << 40;
  int64_t size = 1;
  for (uint32_t u : scope) size = std::min(too_many, size * std::min(states(u), int64_t{1} << 20));
  return size;
}

Elimination::Priority Elimination::priority(uint32_t v) const {
  const std::vector<uint32_t> scope = neighbours(v, factors_of_[v]);
  return {scope.size(), table_size(scope), v};
}

Assignment Elimination::run() {
  eliminate_all(std::nullopt);
  return finish(std::vector<uint32_t>(unary_.size(), 0), std::nullopt, bound_);
}

std::vector<Assignment> Elimination::run_each(uint32_t last) {
  eliminate_all(last);
  Costs row = unary_[last];
  std::vector<uint32_t> state(unary_.size(), 0);
  for (uint32_t f : factors_of_[last]) add_slice(factors_[f], last, state, row);
  std::vector<Assignment> out;
  for (uint32_t s = 0; s < row.size(); ++s) {
    state[last] = s;
    out.push_back(finish(state, last, bound_ + row[s]));
  }
  return out;
}

// Eliminates every variable but `kept`.
void Elimination::eliminate_all(std::optional<uint32_t> kept) {
  std::vector<Priority> key;
  for (uint32_t v = 0; v < unary_.size(); ++v) {
    key.push_back(priority(v));
    if (v != kept) queue_.insert(key.back());
  }
  while (!queue_.empty()) {
    interruption_.check();
    const uint32_t v = std::get<2>(*queue_.begin());
    queue_.erase(queue_.begin());
    const std::vector<uint32_t> around = neighbours(v, factors_of_[v]);
    eliminate(v);
    for (uint32_t u : around) {
      if (u == kept) continue;
      queue_.erase(key[u]);
      key[u] = priority(u);
      queue_.insert(key[u]);
    }
  }
}

// The assignment that the eliminated variables give, where `state` says that of the kept one.
Assignment Elimination::finish(std::vector<uint32_t> state, std::optional<uint32_t> kept,
                               const Cost& bound) const {
  Assignment out{.state = std::move(state), .cost = {}, .bound = bound};
  out.width = width_;
  out.largest_table = largest_;
  decode(out);
  if (grouped_) descend(out);
  out.cost = cost_of(out.state);
  ensure(!kept || grouped_ || out.cost == bound, "an exact elimination misses its own cost");
  ensure(out.bound <= out.cost, "a lower bound above the cost of an assignment");
  return out;
}

void Elimination::eliminate(uint32_t v) {
  order_.push_back(v);
  const std::vector<Group> groups = split(v);
  const std::vector<Costs> own = shares(v, groups);
  grouped_ = grouped_ || groups.size() > 1;
  for (uint32_t f : factors_of_[v]) {
    factors_[f].alive = false;
    for (uint32_t u : factors_[f].scope) {
      if (u != v) std::erase(factors_of_[u], f);
    }
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    std::vector<uint32_t> scope = neighbours(v, groups[g]);
    auto message = std::make_shared<Costs>();
    message->reserve(static_cast<size_t>(table_size(scope)));
    for_each_row(v, groups[g], scope, own[g],
                 [&](const Costs& row) { message->push_back(*std::ranges::min_element(row)); });
    width_ = std::max(width_, static_cast<int>(scope.size()));
    largest_ = std::max(largest_, static_cast<int64_t>(message->size()));
    if (scope.empty()) {
      bound_ += message->front();
    } else {
      add_factor(std::move(scope), std::move(message));
    }
  }
}

// The factors of v, in as few groups as keep every group's table within the budget: the largest
// factors first, each to the first group that takes it. One group if that fits, or if v is alone.
std::vector<Elimination::Group> Elimination::split(uint32_t v) const {
  const Group& all = factors_of_[v];
  if (table_size(neighbours(v, all)) <= budget_) return {all};
  Group sorted = all;
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [&](uint32_t f) { return factors_[f].cost->size(); });
  std::vector<Group> groups;
  for (uint32_t f : sorted) {
    bool placed = false;
    for (Group& group : groups) {
      group.push_back(f);
      placed = table_size(neighbours(v, group)) <= budget_;
      if (placed) break;
      group.pop_back();
    }
    if (!placed) groups.push_back({f});
  }
  return groups;
}

// What each group gets of v's own costs. With several groups each is shifted so that all find the
// same least cost for every state of v: they would else each choose the state that suits them best.
// The shifts add up to zero, so the bound stays one.
std::vector<Costs> Elimination::shares(uint32_t v, const std::vector<Group>& groups) const {
  std::vector<Costs> own(groups.size(), Costs(unary_[v].size()));
  own[0] = unary_[v];
  if (groups.size() == 1) return own;
  std::vector<Costs> least;
  Costs mean(unary_[v].size());
  for (size_t g = 0; g < groups.size(); ++g) {
    Costs lowest;
    for_each_row(v, groups[g], neighbours(v, groups[g]), own[g], [&](const Costs& row) {
      if (lowest.empty()) lowest = row;
      for (size_t s = 0; s < row.size(); ++s) lowest[s] = std::min(lowest[s], row[s]);
    });
    if (magnitude(lowest) >= static_cast<double>(kShiftLimit)) return own;
    for (size_t s = 0; s < mean.size(); ++s) mean[s] += lowest[s];
    least.push_back(std::move(lowest));
  }
  const auto count = static_cast<int64_t>(groups.size());
  for (size_t s = 0; s < mean.size(); ++s) {
    const Cost sum = mean[s];
    mean[s] = {sum.main / count, sum.aggregations / count, sum.replicated / count};
    own[0][s] += {sum.main % count, sum.aggregations % count, sum.replicated % count};
    for (size_t g = 0; g < groups.size(); ++g) own[g][s] += mean[s] - least[g][s];
  }
  return own;
}

// Calls `visit` with the costs of v's states, one row for every combination of states of `scope`,
// in row-major order.
template <class Visit>
void Elimination::for_each_row(uint32_t v, const Group& group, const std::vector<uint32_t>& scope,
                               const Costs& own, const Visit& visit) const {
  struct Cursor {
    const Cost* base;
    int64_t own_stride = 0;
    std::vector<int64_t> strides;  // of each variable in `scope`
  };
  std::vector<Cursor> cursors;
  for (uint32_t f : group) {
    const Factor& factor = factors_[f];
    Cursor cursor{factor.cost->data(), 0, std::vector<int64_t>(scope.size(), 0)};
    for (size_t i = 0; i < factor.scope.size(); ++i) {
      if (factor.scope[i] == v) {
        cursor.own_stride = factor.strides[i];
      } else {
        const auto at = std::ranges::lower_bound(scope, factor.scope[i]) - scope.begin();
        cursor.strides[static_cast<size_t>(at)] = factor.strides[i];
      }
    }
    cursors.push_back(std::move(cursor));
  }
  std::vector<int64_t> at(scope.size(), 0);
  Costs row(own.size());
  while (true) {
    row = own;
    for (const Cursor& cursor : cursors) {
      int64_t offset = 0;
      for (Cost& r : row) {
        r += cursor.base[offset];
        offset += cursor.own_stride;
      }
    }
    visit(std::as_const(row));
    size_t i = scope.size();
    while (true) {
      if (i == 0) return;
      --i;
      const bool wrapped = ++at[i] == states(scope[i]);
      const int64_t step = wrapped ? 1 - states(scope[i]) : 1;
      for (Cursor& cursor : cursors) cursor.base += step * cursor.strides[i];
      if (!wrapped) break;
      at[i] = 0;
    }
  }
}

void Elimination::add_slice(const Factor& factor, uint32_t v, const std::vector<uint32_t>& state,
                            Costs& row) const {
  int64_t offset = 0, stride = 0;
  for (size_t i = 0; i < factor.scope.size(); ++i) {
    if (factor.scope[i] == v) {
      stride = factor.strides[i];
    } else {
      offset += factor.strides[i] * state[factor.scope[i]];
    }
  }
  for (Cost& r : row) {
    r += (*factor.cost)[static_cast<size_t>(offset)];
    offset += stride;
  }
}

void Elimination::decode(Assignment& out) const {
  for (size_t k = order_.size(); k-- > 0;) {
    const uint32_t v = order_[k];
    Costs row = unary_[v];
    for (uint32_t f : factors_of_[v]) add_slice(factors_[f], v, out.state, row);
    out.state[v] = static_cast<uint32_t>(std::ranges::min_element(row) - row.begin());
  }
}

// Gives one variable after the other its best state for what the others have, while that helps.
void Elimination::descend(Assignment& out) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = order_.size(); k-- > 0;) {
      interruption_.check();
      const uint32_t v = order_[k];
      Costs row = unary_[v];
      for (uint32_t f : pairs_of_[v]) add_slice(factors_[f], v, out.state, row);
      const auto best = static_cast<uint32_t>(std::ranges::min_element(row) - row.begin());
      if (row[best] < row[out.state[v]]) {
        out.state[v] = best;
        changed = true;
      }
    }
  }
}

Cost Elimination::cost_of(const std::vector<uint32_t>& state) const {
  Cost cost;
  for (size_t v = 0; v < unary_.size(); ++v) cost += unary_[v][state[v]];
  for (size_t f = 0; f < pairs_; ++f) {
    const Factor& pair = factors_[f];
    cost += (*pair.cost)[static_cast<size_t>(pair.strides[0] * state[pair.scope[0]] +
                                             pair.strides[1] * state[pair.scope[1]])];
  }
  return cost;
}

}  // namespace

Assignment minimise(std::span<const std::vector<Cost>> unary, std::span<const PairTable> pairs,
                    int64_t table_budget, const Interruption& interruption) {
  return Elimination(unary, pairs, table_budget, interruption).run();
}

std::vector<Assignment> minimise_each(std::span<const std::vector<Cost>> unary,
                                      std::span<const PairTable> pairs, int64_t table_budget,
                                      uint32_t variable, const Interruption& interruption) {
  return Elimination(unary, pairs, table_budget, interruption).run_each(variable);
}

}  // namespace einsummable
