// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_optimizer.h"

#include <algorithm>
#include <set>

#include "einsummable/logical/min_sum.h"

namespace einsummable {
namespace {

using Table = std::shared_ptr<const std::vector<Cost>>;

// More than anything is said to take, but far from overflow when many are added.
constexpr int64_t kNever = 2 * TimeModel::longest;

// Candidates of one operator as layouts.
struct Layouts {
  std::vector<Cost> kernels;                        // of each candidate
  std::vector<std::vector<LayoutId>> made, needed;  // [output or input][candidate]
};

// The min-sum problem: a variable an operator, and one a tensor that several operators read.
class Problem {
 public:
  Problem(const Candidates& candidates, TimeModel& model) : candidates_(candidates), model_(model) {
    const Graph& graph = candidates.graph();
    for (size_t i = 0; i < graph.ops().size(); ++i) {
      candidates.interruption().check();
      unary_.push_back(layouts_of(OpId(static_cast<int64_t>(i))).kernels);
    }
    std::vector<std::vector<size_t>> readers(graph.tensors().size());
    for (size_t e = 0; e < candidates.edges().size(); ++e) {
      readers[tensor_of(candidates.edges()[e]).index()].push_back(e);
    }
    for (size_t t = 0; t < readers.size(); ++t) {
      if (readers[t].size() == 1) add_edge(candidates.edges()[readers[t][0]]);
      if (readers[t].size() > 1) add_delivery(TensorId(static_cast<int64_t>(t)), readers[t]);
    }
  }

  const std::vector<std::vector<Cost>>& unary() const { return unary_; }
  const std::vector<PairTable>& pairs() const { return pairs_; }

 private:
  TensorId tensor_of(const Edge& edge) const {
    return candidates_.graph().op(edge.producer).outputs[static_cast<size_t>(edge.output)];
  }

  const Layouts& layouts_of(OpId op) {
    const CandidateSet& set = candidates_.of(op);
    const auto [place, added] = layouts_.try_emplace(&set);
    Layouts& out = place->second;
    if (!added) return out;
    const Operator& own = *candidates_.graph().op(op).op;
    out.made.resize(own.outputs().size());
    out.needed.resize(own.inputs().size());
    for (const Candidate& candidate : set.all) {
      out.kernels.push_back({model_.kernel(own, *candidate.spec), candidate.cost.total.main, 0});
      for (size_t o = 0; o < out.made.size(); ++o) {
        out.made[o].push_back(model_.made(*candidate.spec, o));
      }
      for (size_t k = 0; k < out.needed.size(); ++k) {
        out.needed[k].push_back(model_.needed(*candidate.spec, k));
      }
    }
    return out;
  }

  // What it takes from each of some layouts to each of others.
  Table exchanges(const std::vector<LayoutId>& from, const std::vector<LayoutId>& to,
                  const ElementBytes& bytes) {
    Table& table = tables_[{from, to, bytes.partial, bytes.complete}];
    if (!table) {
      std::vector<Cost> costs;
      costs.reserve(from.size() * to.size());
      for (LayoutId f : from) {
        for (LayoutId t : to) costs.push_back({model_.exchange(f, t, bytes)});
      }
      table = std::make_shared<const std::vector<Cost>>(std::move(costs));
    }
    return table;
  }

  void add_edge(const Edge& edge) {
    const auto& made = layouts_of(edge.producer).made[static_cast<size_t>(edge.output)];
    const auto& needed = layouts_of(edge.consumer).needed[static_cast<size_t>(edge.input)];
    pairs_.push_back(
        {static_cast<uint32_t>(edge.producer.value), static_cast<uint32_t>(edge.consumer.value),
         exchanges(made, needed, model_.element_bytes(candidates_.graph(), tensor_of(edge)))});
  }

  void add_delivery(TensorId tensor, const std::vector<size_t>& readers) {
    const ElementBytes bytes = model_.element_bytes(candidates_.graph(), tensor);
    const Edge& first = candidates_.edges()[readers[0]];
    const auto& made = layouts_of(first.producer).made[static_cast<size_t>(first.output)];
    std::vector<const std::vector<LayoutId>*> needed;  // of each reader
    for (size_t e : readers) {
      const Edge& edge = candidates_.edges()[e];
      needed.push_back(&layouts_of(edge.consumer).needed[static_cast<size_t>(edge.input)]);
    }
    const Forms forms = forms_of(made, needed);
    const auto delivery = static_cast<uint32_t>(unary_.size());
    unary_.emplace_back(forms.layouts.size());
    pairs_.push_back(
        {static_cast<uint32_t>(first.producer.value), delivery, into(made, forms, bytes)});
    for (size_t r = 0; r < readers.size(); ++r) {
      const OpId reader = candidates_.edges()[readers[r]].consumer;
      pairs_.push_back({delivery, static_cast<uint32_t>(reader.value),
                        out_of(forms, static_cast<int32_t>(r), *needed[r], bytes)});
    }
  }

  // The layouts a tensor may be delivered in: each as one of its readers needs it, or as it is
  // made.
  struct Forms {
    std::vector<LayoutId> layouts;
    std::vector<int32_t> readers;  // whose need it is; -1: as made
  };

  Forms forms_of(const std::vector<LayoutId>& made,
                 const std::vector<const std::vector<LayoutId>*>& needed) const {
    Forms forms;
    const auto add = [&](std::set<LayoutId> layouts, int32_t reader) {
      for (LayoutId layout : layouts) {
        if (!model_.complete(layout)) continue;
        forms.layouts.push_back(layout);
        forms.readers.push_back(reader);
      }
    };
    add({made.begin(), made.end()}, -1);
    for (size_t r = 0; r < needed.size(); ++r) {
      add({needed[r]->begin(), needed[r]->end()}, static_cast<int32_t>(r));
    }
    return forms;
  }

  Table into(const std::vector<LayoutId>& made, const Forms& forms, const ElementBytes& bytes) {
    Table& table =
        deliveries_[{-1, made, forms.layouts, forms.readers, bytes.partial, bytes.complete}];
    if (table) return table;
    std::vector<Cost> costs;
    for (LayoutId from : made) {
      for (size_t f = 0; f < forms.layouts.size(); ++f) {
        const bool never = forms.readers[f] < 0 && forms.layouts[f] != from;
        costs.push_back({never ? kNever : model_.exchange(from, forms.layouts[f], bytes)});
      }
    }
    return table = std::make_shared<const std::vector<Cost>>(std::move(costs));
  }

  Table out_of(const Forms& forms, int32_t reader, const std::vector<LayoutId>& needed,
               const ElementBytes& bytes) {
    Table& table =
        deliveries_[{reader, needed, forms.layouts, forms.readers, bytes.partial, bytes.complete}];
    if (table) return table;
    std::vector<Cost> costs;
    for (size_t f = 0; f < forms.layouts.size(); ++f) {
      for (LayoutId to : needed) {
        const bool never = forms.readers[f] == reader && forms.layouts[f] != to;
        costs.push_back({never ? kNever : model_.exchange(forms.layouts[f], to, bytes)});
      }
    }
    return table = std::make_shared<const std::vector<Cost>>(std::move(costs));
  }

  const Candidates& candidates_;
  TimeModel& model_;
  std::map<const CandidateSet*, Layouts> layouts_;
  std::map<std::tuple<std::vector<LayoutId>, std::vector<LayoutId>, double, double>, Table> tables_;
  std::map<std::tuple<int32_t, std::vector<LayoutId>, std::vector<LayoutId>, std::vector<int32_t>,
                      double, double>,
           Table>
      deliveries_;
  std::vector<std::vector<Cost>> unary_;
  std::vector<PairTable> pairs_;
};

// Makes every state but one of these variables cost more than any plan.
void force(std::vector<std::vector<Cost>>& unary, const std::vector<uint32_t>& variables,
           uint32_t state) {
  for (uint32_t v : variables) {
    for (uint32_t s = 0; s < unary[v].size(); ++s) {
      if (s != state) unary[v][s].main = kNever;
    }
  }
}

class Search {
 public:
  Search(const Candidates& candidates, TimeModel& model, int64_t table_budget)
      : ops_(candidates.graph().ops().size()),
        problem_(candidates, model),
        budget_(table_budget),
        interruption_(candidates.interruption()) {
    std::map<const CandidateSet*, size_t> kinds;
    for (uint32_t i = 0; i < ops_; ++i) {
      const auto [place, added] =
          kinds.try_emplace(&candidates.of(OpId(static_cast<int64_t>(i))), kinds_.size());
      if (added) kinds_.emplace_back();
      kinds_[place->second].push_back(i);
    }
  }

  std::vector<Choice> run(size_t how_many) {
    std::vector<Choice> out = {
        choice_of(minimise(problem_.unary(), problem_.pairs(), budget_, interruption_))};
    std::set<std::vector<uint32_t>> seen = {out[0].pick};
    for (const Forced& forced : alternatives(out[0], how_many)) {
      auto unary = problem_.unary();
      force(unary, kinds_[forced.kind], forced.state);
      Choice choice = choice_of(minimise(unary, problem_.pairs(), budget_, interruption_));
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
  // All operators of a kind cut in one way; what it costs to force one of them.
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

  // The most promising, in order of what they cost one operator.
  std::vector<Forced> alternatives(const Choice& best, size_t how_many) const {
    std::vector<Forced> out;
    if (how_many <= 1) return out;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const uint32_t one = kinds_[k][0];
      if (problem_.unary()[one].size() == 1) continue;
      const auto each =
          minimise_each(problem_.unary(), problem_.pairs(), budget_, one, interruption_);
      for (uint32_t s = 0; s < each.size(); ++s) {
        if (s != best.pick[one]) out.push_back({each[s].cost, k, s});
      }
    }
    std::ranges::sort(out);
    if (out.size() > 2 * how_many) out.resize(2 * how_many);
    return out;
  }

  size_t ops_;
  Problem problem_;
  int64_t budget_;
  const Interruption& interruption_;
  std::vector<std::vector<uint32_t>> kinds_;  // the operators of each
};

}  // namespace

std::vector<Choice> choose_fastest(const Candidates& candidates, TimeModel& model,
                                   int64_t table_budget, size_t how_many) {
  return Search(candidates, model, table_budget).run(how_many);
}

}  // namespace einsummable
