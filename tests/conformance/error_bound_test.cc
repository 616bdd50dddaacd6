// SPDX-License-Identifier: Apache-2.0
// Graphs in low precision on 8 devices, each operator within the error bound of its own arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/ops/error_bound.h"
#include "tests/support/executable.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Values = std::map<TensorId, Array64>;

// The largest difference of one operator's outputs from its reference on its inputs as they came
// out, as a part of the bound; infinite if one is not allowed.
double worst_of_bound(const PlannedOp& planned, const GraphOp& op, const Values& values) {
  std::vector<Array64> inputs;
  for (TensorId id : op.inputs) inputs.push_back(values.at(id));
  std::vector<int64_t> partials;
  for (size_t o = 0; o < op.outputs.size(); ++o) partials.push_back(planned.spec->partials(o));
  const std::vector<AllowedValues> allowed = allowed_values(*op.op, inputs, partials);
  double worst = 0;
  for (size_t o = 0; o < op.outputs.size(); ++o) {
    const std::vector<double>& found = values.at(op.outputs[o]).values();
    for (size_t i = 0; i < found.size(); ++i) {
      const double want = allowed[o].expected[i];
      if (!allowed[o].hold(i, found[i])) {
        ADD_FAILURE() << op.name << ": " << found[i] << " instead of " << want << " within "
                      << allowed[o].bound(i);
        return std::numeric_limits<double>::infinity();
      }
      if (found[i] == want || std::isnan(want)) continue;
      worst = std::max(worst, std::abs(found[i] - want) / allowed[o].bound(i));
    }
  }
  return worst;
}

// The values of every tensor of a graph, all of whose tensors are saved, on 8 devices.
Values values_on_8(const Graph& graph, Executable& executable, const Values& given) {
  const std::vector<Memory> results = call(executable, graph, given);
  Values values;
  for (size_t s = 0; s < results.size(); ++s) {
    values.insert_or_assign(graph.saves()[s].tensor, results[s].values());
  }
  return values;
}

void save_all(Graph& graph) {
  std::vector<char> saved(graph.tensors().size(), 0);
  for (const GraphSave& save : graph.saves()) saved[save.tensor.index()] = 1;
  for (size_t t = 0; t < saved.size(); ++t) {
    if (!saved[t]) graph.save(TensorId(static_cast<int64_t>(t)), "saved_" + std::to_string(t));
  }
}

TEST(ErrorBound, HoldsForEveryOperatorInLowPrecision) {
  double worst = 0;
  int64_t operators = 0;
  for (int round = 0; round < rounds(60, 2000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
    Graph graph = random_graph(random, 3 + round % 8, dtypes[round % 3]);
    save_all(graph);
    const Values given = random_values(random, graph);
    const Selector selector = round % 2 ? Selector::random : Selector::optimal;
    const auto executable = compiled(
        graph, {.devices = 8, .selector = selector, .seed = random(), .objective = kProxy});
    const Values values = values_on_8(graph, *executable, given);
    for (size_t i = 0; i < graph.ops().size(); ++i) {
      const double of_op =
          worst_of_bound(executable->plan().logical.ops[i], graph.ops()[i], values);
      EXPECT_LE(of_op, 1) << graph.ops()[i].name << ", round " << round << "\n" << text(graph);
      worst = std::max(worst, of_op);
      ++operators;
    }
    if (HasFailure()) return;
  }
  printf("%lld operators, at most %.2f of the bound\n", static_cast<long long>(operators), worst);
}

}  // namespace
}  // namespace einsummable
