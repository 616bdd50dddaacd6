// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/min_sum.h"

#include <map>
#include <utility>

#include "einsummable/base/error.h"
#include "einsummable/logical/row_sums.h"

namespace einsummable {
namespace {

// Sums below this cannot overflow when a variable's tables are shifted against each other.
constexpr int64_t kShiftLimit = int64_t{1} << 50;
constexpr int64_t kTotalLimit = int64_t{1} << 59;

constexpr int64_t kExactFactor = 8;

// The largest absolute component of any of the costs.
double magnitude(std::span<const Cost> costs) {
  int64_t most = 0;
  for (const Cost& c : costs) {
    for (int64_t part : {c.main, c.aggregations, c.replicated}) {
      most = std::max(most, part < 0 ? -std::max(part, -INT64_MAX) : part);
    }
  }
  return static_cast<double>(most);
}

size_t mixed(size_t hash, int64_t value) {
  hash = (hash ^ static_cast<size_t>(value)) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

uint32_t argmin(std::span<const Cost> row) {
  return static_cast<uint32_t>(std::ranges::min_element(row) - row.begin());
}

}  // namespace

size_t MinSum::Hash::operator()(const std::vector<int64_t>& key) const {
  size_t hash = key.size();
  for (int64_t value : key) hash = mixed(hash, value);
  return hash;
}

// One question: every variable has a domain, all its states or a single one.
class MinSum::Run {
 public:
  Run(MinSum& problem, const Elimination& order, std::span<const Forced> forced)
      : problem_(problem), order_(order), count_(problem.states_), first_(count_.size(), 0) {
    for (const Forced& force : forced) {
      first_[force.variable] = force.state;
      count_[force.variable] = 1;
    }
    for (const PairTable& pair : problem.pairs_) {
      const int64_t columns = problem.states_[pair.b];
      tables_.push_back(
          {pair.cost->data() + first_[pair.a] * columns + first_[pair.b], {columns, 1}});
    }
    for (const Elimination::Step& step : order.steps) {
      problem.interruption_.check();
      eliminate(step);
    }
  }

  // Where `kept`, if it is there, has a state.
  Assignment finish(std::optional<Forced> kept) const {
    Assignment out{.state = std::vector<uint32_t>(count_.size(), 0), .cost = {}, .bound = bound_};
    if (kept) {
      out.state[kept->variable] = kept->state;
      out.bound += kept_costs(kept->variable)[kept->state];
    }
    out.width = order_.width;
    out.largest_table = order_.largest_table;
    decode(out);
    if (!order_.exact) descend(out);
    out.cost = cost_of(out.state);
    ensure(!order_.exact || out.cost == out.bound, "an exact elimination misses its own cost");
    ensure(out.bound <= out.cost, "a lower bound above the cost of an assignment");
    return out;
  }

  // What each state of the kept variable costs with the best of all others; a bound on it if the
  // elimination is not exact.
  Costs kept_costs(uint32_t kept) const {
    Costs row = problem_.unary_[kept];
    for (uint32_t t : order_.kept_tables)
      add_slice(t, kept, std::vector<uint32_t>(count_.size()), row);
    return row;
  }

  const Cost& bound() const { return bound_; }

 private:
  // Costs of states, an axis for each variable of the table's scope, from the first of its domain.
  struct At {
    const Cost* base;
    PerAxis strides;
  };

  RowSums rows(uint32_t v, const Elimination::Group& group) const {
    RowSums out(count_[v]);
    for (uint32_t u : group.around) out.extents.push_back(count_[u]);
    for (uint32_t t : group.tables) {
      RowSums::Term term{tables_[t].base, 0, PerAxis(group.around.size(), 0)};
      const Elimination::Scope& scope = order_.scopes[t];
      for (size_t i = 0; i < scope.size(); ++i) {
        if (scope[i] == v) {
          term.own_stride = tables_[t].strides[i];
        } else {
          const auto at = std::ranges::lower_bound(group.around, scope[i]) - group.around.begin();
          term.strides[static_cast<size_t>(at)] = tables_[t].strides[i];
        }
      }
      out.terms.push_back(std::move(term));
    }
    return out;
  }

  void eliminate(const Elimination::Step& step) {
    const uint32_t v = step.variable;
    std::vector<RowSums> groups;
    key_.assign({static_cast<int64_t>(reinterpret_cast<intptr_t>(problem_.own_[v].get())),
                 first_[v], count_[v]});
    for (const Elimination::Group& group : step.groups) {
      groups.push_back(rows(v, group));
      groups.back().add_to(key_);
    }
    auto found = problem_.messages_.find(key_);
    if (found == problem_.messages_.end()) {
      found = problem_.messages_.emplace(key_, messages(v, groups)).first;
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      const Message& message = found->second[g];
      bound_ += message.more;
      tables_.push_back({message.table->data(), groups[g].row_major()});
    }
  }

  std::vector<Message> messages(uint32_t v, const std::vector<RowSums>& groups) const {
    const std::vector<Costs> own = shares(v, groups);
    std::vector<Message> out;
    for (size_t g = 0; g < groups.size(); ++g) {
      Costs costs = groups[g].minima(own[g]);
      const Cost least = *std::ranges::min_element(costs);
      for (Cost& cost : costs) cost -= least;
      out.push_back({problem_.intern(std::move(costs)), least});
    }
    return out;
  }

  // What each group gets of v's own costs. With several groups each is shifted so that all find the
  // same least cost for every state of v: they would else each choose the state that suits them
  // best. The shifts add up to zero, so the bound stays one.
  std::vector<Costs> shares(uint32_t v, const std::vector<RowSums>& groups) const {
    const auto states = static_cast<size_t>(count_[v]);
    std::vector<Costs> own(groups.size(), Costs(states));
    const auto first = problem_.unary_[v].begin() + first_[v];
    own[0].assign(first, first + count_[v]);
    if (groups.size() == 1) return own;
    std::vector<Costs> least;
    Costs mean(states);
    for (size_t g = 0; g < groups.size(); ++g) {
      least.push_back(groups[g].lowest(own[g]));
      if (magnitude(least.back()) >= static_cast<double>(kShiftLimit)) return own;
      for (size_t s = 0; s < states; ++s) mean[s] += least[g][s];
    }
    const auto count = static_cast<int64_t>(groups.size());
    for (size_t s = 0; s < states; ++s) {
      const Cost sum = mean[s];
      mean[s] = {sum.main / count, sum.aggregations / count, sum.replicated / count};
      own[0][s] += {sum.main % count, sum.aggregations % count, sum.replicated % count};
      for (size_t g = 0; g < groups.size(); ++g) own[g][s] += mean[s] - least[g][s];
    }
    return own;
  }

  // Adds to v's row what the table costs where the other variables have these states.
  void add_slice(uint32_t t, uint32_t v, const std::vector<uint32_t>& state, Costs& row) const {
    const Cost* at = tables_[t].base;
    int64_t stride = 0;
    const Elimination::Scope& scope = order_.scopes[t];
    for (size_t i = 0; i < scope.size(); ++i) {
      const int64_t step = tables_[t].strides[i];
      if (scope[i] == v) {
        stride = step;
      } else {
        at += step * (state[scope[i]] - first_[scope[i]]);
      }
    }
    for (Cost& r : row) {
      r += *at;
      at += stride;
    }
  }

  // The costs of v's domain by itself and by tables that `add` adds.
  template <class Add>
  uint32_t best_state(uint32_t v, const Add& add) const {
    const auto first = problem_.unary_[v].begin() + first_[v];
    row_.assign(first, first + count_[v]);
    add(row_);
    return static_cast<uint32_t>(first_[v]) + argmin(row_);
  }

  void decode(Assignment& out) const {
    for (size_t k = order_.steps.size(); k-- > 0;) {
      const Elimination::Step& step = order_.steps[k];
      out.state[step.variable] = best_state(step.variable, [&](Costs& row) {
        for (const Elimination::Group& group : step.groups) {
          for (uint32_t t : group.tables) add_slice(t, step.variable, out.state, row);
        }
      });
    }
  }

  // Gives one variable after the other its best state for what the others have, while that helps.
  void descend(Assignment& out) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = order_.steps.size(); k-- > 0;) {
        problem_.interruption_.check();
        const uint32_t v = order_.steps[k].variable;
        const uint32_t best = best_state(v, [&](Costs& row) {
          for (size_t t : problem_.pairs_of_[v]) {
            add_slice(static_cast<uint32_t>(t), v, out.state, row);
          }
        });
        const auto cost_at = [&](uint32_t state) {
          return row_[static_cast<size_t>(state - first_[v])];
        };
        if (cost_at(best) < cost_at(out.state[v])) {
          out.state[v] = best;
          changed = true;
        }
      }
    }
  }

  Cost cost_of(const std::vector<uint32_t>& state) const {
    Cost cost;
    for (size_t v = 0; v < state.size(); ++v) cost += problem_.unary_[v][state[v]];
    for (const PairTable& pair : problem_.pairs_) {
      const auto columns = static_cast<size_t>(problem_.states_[pair.b]);
      cost += (*pair.cost)[state[pair.a] * columns + state[pair.b]];
    }
    return cost;
  }

  MinSum& problem_;
  const Elimination& order_;
  std::vector<int64_t> count_, first_;  // the domain of each variable
  std::vector<At> tables_;
  std::vector<int64_t> key_;
  Cost bound_;
  mutable Costs row_;
};

MinSum::MinSum(std::span<const Costs> unary, std::span<const PairTable> pairs, int64_t table_budget,
               const Interruption& interruption)
    : unary_(unary),
      pairs_(pairs),
      budget_(table_budget),
      interruption_(interruption),
      pairs_of_(unary.size()) {
  double total = 0;
  for (const Costs& costs : unary) {
    ensure(!costs.empty(), "a variable without states");
    total += magnitude(costs);
    states_.push_back(static_cast<int64_t>(costs.size()));
    own_.push_back(intern(costs));
  }
  std::map<const Costs*, double> seen;
  for (size_t t = 0; t < pairs.size(); ++t) {
    interruption_.check();
    const auto& [a, b, cost] = pairs[t];
    ensure(a != b && std::max(a, b) < unary.size(), "a pair table needs two variables");
    ensure(cost->size() == unary[a].size() * unary[b].size(),
           "a pair table's size differs from its variables' states");
    const auto [place, added] = seen.try_emplace(cost.get());
    if (added) place->second = magnitude(*cost);
    total += place->second;
    pairs_of_[a].push_back(t);
    pairs_of_[b].push_back(t);
  }
  if (total >= static_cast<double>(kTotalLimit)) {
    throw PlanError("the costs of a plan do not fit in 64 bits");
  }
}

MinSum::Table MinSum::intern(Costs costs) {
  size_t hash = costs.size();
  for (const Cost& c : costs) {
    hash = mixed(mixed(mixed(hash, c.main), c.aggregations), c.replicated);
  }
  std::vector<Table>& alike = tables_[hash];
  const auto same = std::ranges::find_if(alike, [&](const Table& t) { return *t == costs; });
  if (same != alike.end()) return *same;
  return alike.emplace_back(std::make_shared<const Costs>(std::move(costs)));
}

Elimination MinSum::order(std::optional<uint32_t> kept) const {
  std::vector<std::pair<uint32_t, uint32_t>> scopes;
  for (const PairTable& pair : pairs_) scopes.emplace_back(pair.a, pair.b);
  Elimination exact =
      plan_elimination(states_, scopes, kExactFactor * budget_, kept, interruption_);
  if (exact.exact) return exact;
  return plan_elimination(states_, scopes, budget_, kept, interruption_);
}

Assignment MinSum::best(std::span<const Forced> forced) {
  if (!order_) order_ = order(std::nullopt);
  return Run(*this, *order_, forced).finish(std::nullopt);
}

std::vector<Assignment> MinSum::best_each(uint32_t variable) {
  const Elimination kept = order(variable);
  const Run run(*this, kept, {});
  std::vector<Assignment> out;
  for (uint32_t s = 0; s < unary_[variable].size(); ++s) out.push_back(run.finish({{variable, s}}));
  return out;
}

std::vector<Cost> MinSum::bounds_each(uint32_t variable) {
  const Elimination kept = order(variable);
  const Run run(*this, kept, {});
  std::vector<Cost> out = run.kept_costs(variable);
  for (Cost& cost : out) cost += run.bound();
  return out;
}

Assignment minimise(std::span<const std::vector<Cost>> unary, std::span<const PairTable> pairs,
                    int64_t table_budget, const Interruption& interruption) {
  return MinSum(unary, pairs, table_budget, interruption).best();
}

}  // namespace einsummable
