// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/priced_problem.h"

#include <cmath>
#include <tuple>

#include "einsummable/logical/time_model.h"

namespace einsummable {

PricedProblem::PricedProblem(const Candidates& candidates, PlanProblem problem,
                             std::optional<DType> partial_dtype, Merging merging)
    : candidates_(candidates),
      problem_(std::move(problem)),
      merging_(merging),
      readers_(candidates.graph().tensors().size(), 0) {
  const Graph& graph = candidates.graph();
  std::map<std::pair<const CandidateSet*, const void*>, std::shared_ptr<const Blocks>> known;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    candidates.interruption().check();
    const OpId op(static_cast<int64_t>(i));
    auto& blocks = known[{&candidates.of(op), problem_.picks[i].get()}];
    if (!blocks) blocks = blocks_of(op);
    Own own{blocks, {}};
    for (TensorId output : graph.op(op).outputs) {
      own.made.push_back(element_bytes(graph, output, partial_dtype));
    }
    own_.push_back(std::move(own));
    for (TensorId input : graph.op(op).inputs) readers_[input.index()] += 1;
  }
  const Weights ones(graph.tensors().size(), 1);
  for (size_t i = 0; i < problem_.ops(); ++i) {
    most_bytes_ += std::ranges::max(op_bytes(i, ones));
  }
  for (const PlanProblem::Copy& copy : problem_.copies) {
    most_bytes_ += copy_bytes(copy, ones) * static_cast<double>(std::ranges::max(*copy.elements));
  }
}

double PricedProblem::largest_price() const { return std::ldexp(1, 56) / most_bytes_; }

double PricedProblem::byte_scale() const { return std::min(64.0, largest_price()); }

std::shared_ptr<const PricedProblem::Blocks> PricedProblem::blocks_of(OpId op) const {
  const GraphOp& graph_op = candidates_.graph().op(op);
  Blocks out;
  out.read.resize(graph_op.inputs.size());
  out.made.resize(graph_op.outputs.size());
  out.partials.resize(graph_op.outputs.size());
  for (uint32_t pick : *problem_.picks[op.index()]) {
    const JoinAggSpec& spec = *candidates_.candidate(op, pick).spec;
    for (size_t k = 0; k < out.read.size(); ++k) {
      out.read[k].push_back(largest_input_block(spec, k));
    }
    for (size_t o = 0; o < out.made.size(); ++o) {
      out.made[o].push_back(largest_output_block(spec, o));
      out.partials[o].push_back(spec.partials(o));
    }
  }
  return std::make_shared<const Blocks>(std::move(out));
}

std::vector<double> PricedProblem::op_bytes(size_t i, const Weights& weights) const {
  const Graph& graph = candidates_.graph();
  const GraphOp& op = graph.ops()[i];
  const Blocks& blocks = *own_[i].blocks;
  std::vector<double> out(problem_.unary[i].size(), 0);
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId tensor = op.inputs[k];
    if (!graph.tensor(tensor).is_given()) continue;
    // Readers share what they read in one tiling.
    const double each = weights[tensor.index()] / readers_[tensor.index()] *
                        static_cast<double>(size_of(graph.type(tensor).dtype));
    for (size_t s = 0; s < out.size(); ++s) {
      out[s] += each * static_cast<double>(blocks.read[k][s]);
    }
  }
  for (size_t o = 0; o < op.outputs.size(); ++o) {
    const double weight = weights[op.outputs[o].index()];
    const ElementBytes& bytes = own_[i].made[o];
    for (size_t s = 0; s < out.size(); ++s) {
      const int64_t partials = blocks.partials[o][s];
      const auto met = static_cast<double>(merging_ == Merging::in_place ? 1
                                           : merging_ == Merging::spread ? 2
                                                                         : partials);
      out[s] += weight * (partials > 1 ? met * bytes.partial : bytes.complete) *
                static_cast<double>(blocks.made[o][s]);
    }
  }
  return out;
}

double PricedProblem::copy_bytes(const PlanProblem::Copy& copy, const Weights& weights) const {
  return weights[copy.tensor.index()] *
         static_cast<double>(size_of(candidates_.graph().type(copy.tensor).dtype));
}

double PricedProblem::bytes(std::span<const uint32_t> states, const Weights& weights) const {
  double out = 0;
  for (size_t i = 0; i < problem_.ops(); ++i) out += op_bytes(i, weights)[states[i]];
  for (size_t e = 0; e < problem_.pairs.size(); ++e) {
    const PairTable& pair = problem_.pairs[e];
    const size_t entry = states[pair.a] * problem_.unary[pair.b].size() + states[pair.b];
    if ((*pair.cost)[entry].main == 0) continue;
    out += copy_bytes(problem_.copies[e], weights) *
           static_cast<double>((*problem_.copies[e].elements)[states[pair.b]]);
  }
  return out;
}

// `combine(cost, bytes, price)` gives what is minimised.
template <class Combine>
PricedProblem::Tables PricedProblem::combined(const Combine& combine,
                                              std::span<const double> prices,
                                              const Weights& weights) const {
  Tables out{problem_.unary, problem_.pairs};
  const auto price_of = [&](size_t op) { return op < prices.size() ? prices[op] : 0; };
  for (size_t i = 0; i < problem_.unary.size(); ++i) {
    candidates_.interruption().check();
    std::vector<Cost>& row = out.unary[i];
    const std::vector<double> bytes =
        i < problem_.ops() ? op_bytes(i, weights) : std::vector<double>(row.size(), 0);
    for (size_t s = 0; s < row.size(); ++s) row[s] = combine(row[s], bytes[s], price_of(i));
  }
  std::map<std::tuple<const void*, const void*, double, double>,
           std::shared_ptr<const std::vector<Cost>>>
      known;
  for (size_t e = 0; e < out.pairs.size(); ++e) {
    candidates_.interruption().check();
    PairTable& pair = out.pairs[e];
    const std::vector<int64_t>& elements = *problem_.copies[e].elements;
    const double each = copy_bytes(problem_.copies[e], weights);
    const double price = price_of(pair.b < problem_.ops() ? pair.b : pair.a);
    auto& table = known[{pair.cost.get(), &elements, each, price}];
    if (!table) {
      std::vector<Cost> costs = *pair.cost;
      for (size_t i = 0; i < costs.size(); ++i) {
        const double count = static_cast<double>(elements[i % elements.size()]);
        costs[i] = combine(costs[i], costs[i].main == 0 ? 0 : each * count, price);
      }
      table = std::make_shared<const std::vector<Cost>>(std::move(costs));
    }
    pair.cost = table;
  }
  return out;
}

PricedProblem::Tables PricedProblem::priced(std::span<const double> prices,
                                            const Weights& weights) const {
  const auto combine = [](const Cost& cost, double bytes, double price) {
    return Cost{cost.main + std::llround(price * bytes), cost.main, cost.aggregations};
  };
  return combined(combine, prices, weights);
}

PricedProblem::Tables PricedProblem::bytes_alone(const Weights& weights) const {
  const auto combine = [](const Cost& cost, double bytes, double price) {
    return Cost{std::llround(price * bytes), cost.main, cost.aggregations};
  };
  return combined(combine, std::vector<double>(problem_.ops(), byte_scale()), weights);
}

}  // namespace einsummable
