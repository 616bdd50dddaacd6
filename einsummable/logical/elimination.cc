// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/elimination.h"

#include <set>
#include <tuple>

namespace einsummable {
namespace {

using Scope = Elimination::Scope;
using Group = Elimination::Group;

class Planner {
 public:
  Planner(std::span<const int64_t> states, std::span<const std::pair<uint32_t, uint32_t>> pairs,
          int64_t budget)
      : states_(states), budget_(budget), tables_of_(states.size()) {
    for (const auto& [a, b] : pairs) add_table({a, b});
  }

  Elimination run(std::optional<uint32_t> kept, const Interruption& interruption) {
    std::set<Priority> queue;
    std::vector<Priority> priorities;
    for (uint32_t v = 0; v < states_.size(); ++v) {
      priorities.push_back(priority(v));
      if (v != kept) queue.insert(priorities.back());
    }
    while (!queue.empty()) {
      interruption.check();
      const uint32_t v = std::get<2>(*queue.begin());
      queue.erase(queue.begin());
      const Scope around = neighbours(v, tables_of_[v]);
      eliminate(v);
      for (uint32_t u : around) {
        if (u == kept) continue;
        queue.erase(priorities[u]);
        priorities[u] = priority(u);
        queue.insert(priorities[u]);
      }
    }
    if (kept) out_.kept_tables = tables_of_[*kept];
    return std::move(out_);
  }

 private:
  using Priority = std::tuple<size_t, int64_t, uint32_t>;  // neighbours, table, variable

  void add_table(Scope scope) {
    const auto id = static_cast<uint32_t>(out_.scopes.size());
    for (uint32_t v : scope) tables_of_[v].push_back(id);
    out_.scopes.push_back(std::move(scope));
  }

  Scope neighbours(uint32_t v, std::span<const uint32_t> tables) const {
    Scope out;
    for (uint32_t t : tables) {
      for (uint32_t u : out_.scopes[t]) {
        if (u != v) out.push_back(u);
      }
    }
    std::sort(out.begin(), out.end());
    out.resize(static_cast<size_t>(std::unique(out.begin(), out.end()) - out.begin()));
    return out;
  }

  // Entries of a table over `scope`, held at a number beyond any budget.
  int64_t table_size(const Scope& scope) const {
    constexpr int64_t too_many = int64_t{1} << 40;
    int64_t size = 1;
    for (uint32_t u : scope)
      size = std::min(too_many, size * std::min(states_[u], int64_t{1} << 20));
    return size;
  }

  int64_t size_without(uint32_t v, std::span<const uint32_t> tables) const {
    return table_size(neighbours(v, tables));
  }

  Priority priority(uint32_t v) const {
    const Scope around = neighbours(v, tables_of_[v]);
    return {around.size(), table_size(around), v};
  }

  void eliminate(uint32_t v) {
    Elimination::Step step{v, split(v)};
    for (uint32_t t : tables_of_[v]) {
      for (uint32_t u : out_.scopes[t]) {
        if (u != v) std::erase(tables_of_[u], t);
      }
    }
    out_.exact = out_.exact && step.groups.size() == 1;
    for (Group& group : step.groups) {
      group.around = neighbours(v, group.tables);
      out_.width = std::max(out_.width, static_cast<int>(group.around.size()));
      out_.largest_table = std::max(out_.largest_table, table_size(group.around));
      add_table(group.around);
    }
    out_.steps.push_back(std::move(step));
  }

  // The tables of v, in as few groups as keep what every group leaves within the budget: the
  // largest tables first, each to the first group that takes it. One group if that fits, or if v is
  // alone.
  std::vector<Group> split(uint32_t v) const {
    const std::vector<uint32_t>& all = tables_of_[v];
    if (size_without(v, all) <= budget_) return {{all, {}}};
    std::vector<uint32_t> sorted = all;
    std::ranges::stable_sort(sorted, std::ranges::greater{},
                             [&](uint32_t t) { return table_size(out_.scopes[t]); });
    std::vector<Group> groups;
    for (uint32_t t : sorted) {
      bool placed = false;
      for (Group& group : groups) {
        group.tables.push_back(t);
        placed = size_without(v, group.tables) <= budget_;
        if (placed) break;
        group.tables.pop_back();
      }
      if (!placed) groups.push_back({{t}, {}});
    }
    return groups;
  }

  std::span<const int64_t> states_;
  int64_t budget_;
  std::vector<std::vector<uint32_t>> tables_of_;  // those left, of each variable
  Elimination out_;
};

}  // namespace

Elimination plan_elimination(std::span<const int64_t> states,
                             std::span<const std::pair<uint32_t, uint32_t>> pairs, int64_t budget,
                             std::optional<uint32_t> kept, const Interruption& interruption) {
  return Planner(states, pairs, budget).run(kept, interruption);
}

}  // namespace einsummable
