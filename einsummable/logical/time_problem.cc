// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_problem.h"

#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace einsummable {
namespace {

using Table = std::shared_ptr<const std::vector<Cost>>;

// Candidates of one operator as layouts.
struct Layouts {
  PlanProblem::Picks all;                           // 0, 1, ...
  std::vector<Cost> kernels;                        // of each candidate
  std::vector<std::vector<LayoutId>> made, needed;  // [output or input][candidate]
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
      if (readers[t].size() == 1) add_edge(candidates.edges()[readers[t][0]]);
      if (readers[t].size() > 1) add_delivery(TensorId(static_cast<int64_t>(t)), readers[t]);
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
    out.made.resize(own.outputs().size());
    out.needed.resize(own.inputs().size());
    std::vector<uint32_t> all(set.all.size());
    std::iota(all.begin(), all.end(), 0u);
    out.all = std::make_shared<const std::vector<uint32_t>>(std::move(all));
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
        candidates_.interruption().check();
        for (LayoutId t : to) costs.push_back({model_.exchange(f, t, bytes)});
      }
      table = std::make_shared<const std::vector<Cost>>(std::move(costs));
    }
    return table;
  }

  void add_pair(uint32_t a, uint32_t b, Table table, PlanProblem::Copy copy) {
    out_.pairs.push_back({a, b, std::move(table)});
    out_.copies.push_back(std::move(copy));
  }

  std::shared_ptr<const std::vector<int64_t>> elements_of(const std::vector<LayoutId>& layouts) {
    auto& elements = elements_[layouts];
    if (!elements) {
      std::vector<int64_t> counts;
      for (LayoutId layout : layouts) counts.push_back(model_.largest_share(layout));
      elements = std::make_shared<const std::vector<int64_t>>(std::move(counts));
    }
    return elements;
  }

  void add_edge(const Edge& edge) {
    const auto& made = layouts_of(edge.producer).made[static_cast<size_t>(edge.output)];
    const auto& needed = layouts_of(edge.consumer).needed[static_cast<size_t>(edge.input)];
    add_pair(static_cast<uint32_t>(edge.producer.value), static_cast<uint32_t>(edge.consumer.value),
             exchanges(made, needed, model_.element_bytes(candidates_.graph(), tensor_of(edge))),
             {tensor_of(edge), elements_of(needed)});
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
    const auto delivery = static_cast<uint32_t>(out_.unary.size());
    out_.unary.emplace_back(forms.layouts.size());
    add_pair(static_cast<uint32_t>(first.producer.value), delivery, into(made, forms, bytes),
             {tensor, elements_of(forms.layouts)});
    for (size_t r = 0; r < readers.size(); ++r) {
      const OpId reader = candidates_.edges()[readers[r]].consumer;
      add_pair(delivery, static_cast<uint32_t>(reader.value),
               out_of(forms, static_cast<int32_t>(r), *needed[r], bytes),
               {tensor, elements_of(*needed[r])});
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
      candidates_.interruption().check();
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
      candidates_.interruption().check();
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
  std::map<std::vector<LayoutId>, std::shared_ptr<const std::vector<int64_t>>> elements_;
  PlanProblem out_;
};

}  // namespace

PlanProblem time_problem(const Candidates& candidates, TimeModel& model) {
  return Maker(candidates, model).take();
}

}  // namespace einsummable
