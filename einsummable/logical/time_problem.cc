// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_problem.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace einsummable {
namespace {

using Table = std::shared_ptr<const std::vector<Cost>>;
using Counts = std::shared_ptr<const std::vector<int64_t>>;

// What lies at the ends of an edge: an operand of each candidate of an operator.
struct OperandLayouts {
  std::vector<LayoutId> distinct;    // rising
  std::vector<size_t> of_candidate;  // which of those

  explicit OperandLayouts(const std::vector<LayoutId>& layouts) : distinct(layouts) {
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (LayoutId layout : layouts) {
      const auto place = std::ranges::lower_bound(distinct, layout);
      of_candidate.push_back(static_cast<size_t>(place - distinct.begin()));
    }
  }
};

// Candidates of one operator as layouts.
struct Layouts {
  PlanProblem::Picks all;                    // 0, 1, ...
  std::vector<Cost> kernels;                 // of each candidate
  std::vector<OperandLayouts> made, needed;  // of each output and input
};

class Maker {
 public:
  Maker(const Candidates& candidates, TimeModel& model) : candidates_(candidates), model_(model) {
    const Graph& graph = candidates.graph();
    for (size_t i = 0; i < graph.ops().size(); ++i) {
      candidates.interruption().check();
      const OpId op(static_cast<int64_t>(i));
      const Layouts& layouts = layouts_of(op);
      out_.unary.push_back(layouts.kernels);
      out_.picks.push_back(layouts.all);
    }
    std::vector<std::vector<size_t>> readers(graph.tensors().size());
    for (size_t e = 0; e < candidates.edges().size(); ++e) {
      readers[tensor_of(candidates.edges()[e]).index()].push_back(e);
    }
    for (size_t t = 0; t < readers.size(); ++t) {
      if (!readers[t].empty()) add_ways(TensorId(static_cast<int64_t>(t)), readers[t]);
    }
  }

  PlanProblem take() { return std::move(out_); }

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
    std::vector<uint32_t> all(set.all.size());
    std::iota(all.begin(), all.end(), 0u);
    out.all = std::make_shared<const std::vector<uint32_t>>(std::move(all));
    for (const Candidate& candidate : set.all) {
      out.kernels.push_back({model_.kernel(own, *candidate.spec), candidate.cost.total.main, 0});
    }
    const auto layouts = [&](const auto& layout) {
      std::vector<LayoutId> ids;
      for (const Candidate& candidate : set.all) ids.push_back(layout(*candidate.spec));
      return OperandLayouts(ids);
    };
    for (size_t o = 0; o < own.outputs().size(); ++o) {
      out.made.push_back(layouts([&](const JoinAggSpec& spec) { return model_.made(spec, o); }));
    }
    for (size_t k = 0; k < own.inputs().size(); ++k) {
      out.needed.push_back(
          layouts([&](const JoinAggSpec& spec) { return model_.needed(spec, k); }));
    }
    return out;
  }

  // What it takes from each of some layouts to each of others: a row for each of the first.
  std::vector<int64_t> exchanges(const std::vector<LayoutId>& from, const std::vector<LayoutId>& to,
                                 const ElementBytes& bytes) {
    std::vector<int64_t> out;
    out.reserve(from.size() * to.size());
    for (LayoutId f : from) {
      candidates_.interruption().check();
      for (LayoutId t : to) out.push_back(model_.exchange(f, t, bytes));
    }
    return out;
  }

  void add_pair(uint32_t a, uint32_t b, Table table, PlanProblem::Copy copy) {
    out_.pairs.push_back({a, b, std::move(table)});
    out_.copies.push_back(std::move(copy));
  }

  // The most elements that a site has of each.
  Counts shares_of(const std::vector<LayoutId>& layouts, const std::vector<size_t>& which) {
    std::vector<int64_t> shares, out;
    for (LayoutId layout : layouts) shares.push_back(model_.largest_share(layout));
    for (size_t w : which) out.push_back(shares[w]);
    return std::make_shared<const std::vector<int64_t>>(std::move(out));
  }

  // How a tensor comes from an operator to those that read it, as tables.
  struct Ways {
    Table into;               // to its reader; of several, to a delivery
    std::vector<Table> out;   // from the delivery to each reader
    Counts delivered;         // shares of each state of a delivery
    std::vector<Counts> had;  // of each reader's states
  };

  // Where there is one reader.
  Ways straight(const OperandLayouts& made, const OperandLayouts& needed,
                const ElementBytes& bytes) {
    const std::vector<int64_t> exchange = exchanges(made.distinct, needed.distinct, bytes);
    std::vector<Cost> costs;
    costs.reserve(made.of_candidate.size() * needed.of_candidate.size());
    for (size_t m : made.of_candidate) {
      const auto row = exchange.begin() + static_cast<std::ptrdiff_t>(m * needed.distinct.size());
      for (size_t n : needed.of_candidate) costs.push_back({row[static_cast<std::ptrdiff_t>(n)]});
    }
    return {.into = std::make_shared<const std::vector<Cost>>(std::move(costs)),
            .out = {},
            .delivered = {},
            .had = {shares_of(needed.distinct, needed.of_candidate)}};
  }

  // The layouts a tensor may be delivered in: each as one of its readers needs it, or as it is
  // made.
  struct Forms {
    std::vector<LayoutId> distinct;
    std::vector<size_t> layouts;   // which of those
    std::vector<int32_t> readers;  // whose need it is; -1: as made
  };

  Forms forms_of(const std::vector<const OperandLayouts*>& ends) const {
    Forms forms;
    for (const OperandLayouts* end : ends) {
      forms.distinct.insert(forms.distinct.end(), end->distinct.begin(), end->distinct.end());
    }
    std::erase_if(forms.distinct, [&](LayoutId layout) { return !model_.complete(layout); });
    forms.distinct = OperandLayouts(forms.distinct).distinct;
    for (size_t e = 0; e < ends.size(); ++e) {
      for (LayoutId layout : ends[e]->distinct) {
        if (!model_.complete(layout)) continue;
        const auto place = std::ranges::lower_bound(forms.distinct, layout);
        forms.layouts.push_back(static_cast<size_t>(place - forms.distinct.begin()));
        forms.readers.push_back(static_cast<int32_t>(e) - 1);
      }
    }
    return forms;
  }

  // The cost of form f and a state of an end of the delivery (-1: where it is made, else a reader),
  // `exchange` where that is possible: the end's own forms are what it has itself.
  static Cost cost_at(const Forms& forms, size_t f, int32_t end, LayoutId own, int64_t exchange) {
    const bool never = forms.readers[f] == end && forms.distinct[forms.layouts[f]] != own;
    return {never ? kNever : exchange};
  }

  // Where there are several: `ends` are what is made and what each needs.
  Ways delivered(const std::vector<const OperandLayouts*>& ends, const ElementBytes& bytes) {
    const Forms forms = forms_of(ends);
    const size_t columns = forms.distinct.size();
    const std::vector<int64_t> exchange = exchanges(ends[0]->distinct, forms.distinct, bytes);
    std::vector<Cost> costs;
    for (size_t m : ends[0]->of_candidate) {
      for (size_t f = 0; f < forms.layouts.size(); ++f) {
        costs.push_back(
            cost_at(forms, f, -1, ends[0]->distinct[m], exchange[m * columns + forms.layouts[f]]));
      }
    }
    Ways out{.into = std::make_shared<const std::vector<Cost>>(std::move(costs)),
             .out = {},
             .delivered = shares_of(forms.distinct, forms.layouts),
             .had = {}};
    for (size_t e = 1; e < ends.size(); ++e) {
      out.out.push_back(from_delivery(forms, static_cast<int32_t>(e) - 1, *ends[e], bytes));
      out.had.push_back(shares_of(ends[e]->distinct, ends[e]->of_candidate));
    }
    return out;
  }

  Table from_delivery(const Forms& forms, int32_t reader, const OperandLayouts& needed,
                      const ElementBytes& bytes) {
    const std::vector<int64_t> exchange = exchanges(forms.distinct, needed.distinct, bytes);
    std::vector<Cost> costs;
    costs.reserve(forms.layouts.size() * needed.of_candidate.size());
    for (size_t f = 0; f < forms.layouts.size(); ++f) {
      const size_t row = forms.layouts[f] * needed.distinct.size();
      for (size_t n : needed.of_candidate) {
        costs.push_back(cost_at(forms, f, reader, needed.distinct[n], exchange[row + n]));
      }
    }
    return std::make_shared<const std::vector<Cost>>(std::move(costs));
  }

  void add_ways(TensorId tensor, const std::vector<size_t>& readers) {
    const ElementBytes bytes = model_.element_bytes(candidates_.graph(), tensor);
    const Edge& first = candidates_.edges()[readers[0]];
    std::vector<const OperandLayouts*> ends = {
        &layouts_of(first.producer).made[static_cast<size_t>(first.output)]};
    for (size_t e : readers) {
      const Edge& edge = candidates_.edges()[e];
      ends.push_back(&layouts_of(edge.consumer).needed[static_cast<size_t>(edge.input)]);
    }
    Ways& ways = ways_[{ends, bytes.partial, bytes.complete}];
    if (!ways.into)
      ways = ends.size() == 2 ? straight(*ends[0], *ends[1], bytes) : delivered(ends, bytes);
    const auto producer = static_cast<uint32_t>(first.producer.value);
    const auto delivery = static_cast<uint32_t>(out_.unary.size());
    if (ways.delivered) {
      out_.unary.emplace_back(ways.delivered->size());
      add_pair(producer, delivery, ways.into, {tensor, ways.delivered});
    }
    for (size_t r = 0; r < readers.size(); ++r) {
      const auto reader = static_cast<uint32_t>(candidates_.edges()[readers[r]].consumer.value);
      add_pair(ways.delivered ? delivery : producer, reader,
               ways.delivered ? ways.out[r] : ways.into, {tensor, ways.had[r]});
    }
  }

  const Candidates& candidates_;
  TimeModel& model_;
  std::map<const CandidateSet*, Layouts> layouts_;
  // By what is made, what each reader needs, and bytes.
  std::map<std::tuple<std::vector<const OperandLayouts*>, double, double>, Ways> ways_;
  PlanProblem out_;
};

}  // namespace

PlanProblem time_problem(const Candidates& candidates, TimeModel& model) {
  return Maker(candidates, model).take();
}

}  // namespace einsummable
