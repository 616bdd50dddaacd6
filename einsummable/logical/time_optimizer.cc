// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_optimizer.h"

#include <algorithm>
#include <set>

#include "einsummable/logical/min_sum.h"
#include "einsummable/logical/time_problem.h"

namespace einsummable {
namespace {

class Search {
 public:
  Search(const Candidates& candidates, TimeModel& model, int64_t table_budget)
      : ops_(candidates.graph().ops().size()),
        problem_(time_problem(candidates, model)),
        min_sum_(problem_.unary, problem_.pairs, table_budget, candidates.interruption()) {
    std::map<const CandidateSet*, size_t> kinds;
    for (uint32_t i = 0; i < ops_; ++i) {
      const auto [place, added] =
          kinds.try_emplace(&candidates.of(OpId(static_cast<int64_t>(i))), kinds_.size());
      if (added) kinds_.emplace_back();
      kinds_[place->second].push_back(i);
    }
  }

  std::vector<Choice> each(OpId op) {
    std::vector<Choice> out;
    for (const Assignment& best : min_sum_.best_each(static_cast<uint32_t>(op.value))) {
      out.push_back(choice_of(best));
    }
    return out;
  }

  std::vector<Choice> run(size_t how_many) {
    std::vector<Choice> out = {choice_of(min_sum_.best())};
    std::set<std::vector<uint32_t>> seen = {out[0].pick};
    for (const Forced& forced : alternatives(out[0], how_many)) {
      std::vector<MinSum::Forced> all;
      for (uint32_t v : kinds_[forced.kind]) all.push_back({v, forced.state});
      Choice choice = choice_of(min_sum_.best(all));
      choice.bound.reset();
      if (choice.cost.main < kNever && seen.insert(choice.pick).second) {
        out.push_back(std::move(choice));
      }
    }
    std::stable_sort(out.begin() + 1, out.end(),
                     [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
    if (out.size() > how_many) out.resize(how_many);
    return out;
  }

 private:
  // All operators of a kind cut in one way; what it costs at least to force one of them.
  struct Forced {
    Cost cost;
    size_t kind;
    uint32_t state;
    auto operator<=>(const Forced&) const = default;
  };

  Choice choice_of(const Assignment& best) const {
    Choice out;
    out.pick.assign(best.state.begin(), best.state.begin() + static_cast<std::ptrdiff_t>(ops_));
    out.cost = best.cost;
    out.bound = best.bound;
    out.width = best.width;
    out.largest_table = best.largest_table;
    return out;
  }

  // The most promising, in order of what it costs at least to force one operator.
  std::vector<Forced> alternatives(const Choice& best, size_t how_many) {
    std::vector<Forced> out;
    if (how_many <= 1) return out;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const uint32_t one = kinds_[k][0];
      if (problem_.unary[one].size() == 1) continue;
      const std::vector<Cost> each = min_sum_.bounds_each(one);
      for (uint32_t s = 0; s < each.size(); ++s) {
        if (s != best.pick[one]) out.push_back({each[s], k, s});
      }
    }
    std::ranges::sort(out);
    if (out.size() > 2 * how_many) out.resize(2 * how_many);
    return out;
  }

  size_t ops_;
  PlanProblem problem_;
  MinSum min_sum_;
  std::vector<std::vector<uint32_t>> kinds_;  // the operators of each
};

}  // namespace

std::vector<Choice> choose_fastest(const Candidates& candidates, TimeModel& model,
                                   int64_t table_budget, size_t how_many) {
  return Search(candidates, model, table_budget).run(how_many);
}

std::vector<Choice> choose_fastest_each(const Candidates& candidates, TimeModel& model, OpId op,
                                        int64_t table_budget) {
  return Search(candidates, model, table_budget).each(op);
}

}  // namespace einsummable
