// SPDX-License-Identifier: Apache-2.0
#include "tests/logical/oracle.h"

#include <map>
#include <set>

namespace einsummable {
namespace {

int64_t cost_of_op(const JoinAggSpec& spec) {
  if (spec.signature().layout) return 0;
  int64_t cost = 0;
  std::vector<std::map<Box, int64_t>> times(spec.signature().outputs.size());
  for (int64_t i = 0; i < spec.cells(); ++i) {
    const FunctionSpec cell = spec.cell(i);
    for (const Box& box : cell.inputs) cost += elements(box);
    for (size_t o = 0; o < cell.outputs.size(); ++o) ++times[o][cell.outputs[o]];
  }
  for (const auto& output : times) {
    for (const auto& [box, m] : output) cost += (m - 1) * elements(box);
  }
  return cost;
}

std::set<Box> made_blocks(const JoinAggSpec& spec, size_t output, const Box& read) {
  std::set<Box> blocks;
  for (int64_t i = 0; i < spec.cells(); ++i) {
    const Box block = intersect(spec.cell(i).outputs[output], read);
    if (!empty(block)) blocks.insert(block);
  }
  return blocks;
}

std::set<Box> read_blocks(const JoinAggSpec& spec, size_t input) {
  std::set<Box> blocks;
  for (int64_t i = 0; i < spec.cells(); ++i) {
    const Box block = spec.cell(i).inputs[input];
    if (!empty(block)) blocks.insert(block);
  }
  return blocks;
}

// The least box that holds all blocks.
Box hull(const std::set<Box>& blocks) {
  Box out = *blocks.begin();
  for (const Box& block : blocks) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].lo = std::min(out[i].lo, block[i].lo);
      out[i].hi = std::max(out[i].hi, block[i].hi);
    }
  }
  return out;
}

int64_t cost_of_edge(const Edge& edge, const JoinAggSpec& from, const JoinAggSpec& to) {
  const std::set<Box> wanted = read_blocks(to, static_cast<size_t>(edge.input));
  if (wanted.empty()) return 0;
  const Box read = hull(wanted);
  const bool same = wanted == made_blocks(from, static_cast<size_t>(edge.output), read);
  return same ? 0 : elements(read);
}

}  // namespace

Oracle::Oracle(const Candidates& candidates) : candidates_(candidates) {
  const auto all = [&](OpId op) -> const std::vector<Candidate>& { return candidates.of(op).all; };
  for (OpId op : all_ops(candidates.graph())) {
    op_.emplace_back();
    for (const Candidate& c : all(op)) op_.back().push_back(cost_of_op(*c.spec));
  }
  for (const Edge& edge : candidates.edges()) {
    edge_.emplace_back();
    for (const Candidate& from : all(edge.producer)) {
      edge_.back().emplace_back();
      for (const Candidate& to : all(edge.consumer)) {
        edge_.back().back().push_back(cost_of_edge(edge, *from.spec, *to.spec));
      }
    }
  }
}

int64_t Oracle::cost(const std::vector<uint32_t>& pick) const {
  return cost_of_part(all_ops(candidates_.graph()), pick, std::vector<bool>(pick.size(), false));
}

int64_t Oracle::cost_of_part(const std::vector<OpId>& ops, const std::vector<uint32_t>& pick,
                             const std::vector<bool>& fixed) const {
  std::vector<bool> part(pick.size(), false);
  int64_t cost = 0;
  for (OpId op : ops) {
    part[op.index()] = true;
    cost += op_cost(op, pick[op.index()]);
  }
  for (size_t e = 0; e < edge_.size(); ++e) {
    const size_t from = candidates_.edges()[e].producer.index();
    const size_t to = candidates_.edges()[e].consumer.index();
    const bool counts = (part[from] && (part[to] || fixed[to])) || (part[to] && fixed[from]);
    if (counts) cost += edge_cost(e, pick[from], pick[to]);
  }
  return cost;
}

int64_t Oracle::best(const std::vector<OpId>& ops, std::vector<uint32_t> pick,
                     const std::vector<bool>& fixed) const {
  for (OpId op : ops) pick[op.index()] = 0;
  int64_t best = cost_of_part(ops, pick, fixed);
  while (true) {
    size_t i = 0;
    while (i < ops.size() && ++pick[ops[i].index()] == op_[ops[i].index()].size()) {
      pick[ops[i++].index()] = 0;
    }
    if (i == ops.size()) return best;
    best = std::min(best, cost_of_part(ops, pick, fixed));
  }
}

double Oracle::combinations(const std::vector<OpId>& ops) const {
  double product = 1;
  for (OpId op : ops) product *= static_cast<double>(op_[op.index()].size());
  return product;
}

std::vector<OpId> all_ops(const Graph& graph) {
  std::vector<OpId> out;
  for (size_t i = 0; i < graph.ops().size(); ++i) out.push_back(OpId(static_cast<int64_t>(i)));
  return out;
}

}  // namespace einsummable
