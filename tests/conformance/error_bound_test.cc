// SPDX-License-Identifier: Apache-2.0
// Graphs in low precision on 8 devices, each operator within the error bound of its own arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/executable.h"
#include "tests/support/operators.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::map<TensorId, Array64>;

// Half the distance from 1 to the next number.
double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return std::exp2(-11);
    case DType::bf16:
      return std::exp2(-8);
    case DType::f32:
      return std::exp2(-24);
    default:
      return std::exp2(-53);
  }
}

double smallest(DType dtype) { return dtype == DType::f16 ? std::exp2(-24) : std::exp2(-126); }

// One operator of a graph all of whose tensors are there: its outputs from its inputs as they are,
// and the same of the inputs' absolute values, which says how large its summands are.
struct OneOp {
  std::vector<Array64> expected, magnitude;
  double summands = 1, largest = 1;
};

OneOp evaluated(const Graph& graph, const GraphOp& op, const Values& values) {
  OneOp out;
  std::vector<Array64> inputs, absolute;
  for (TensorId id : op.inputs) {
    inputs.push_back(values.at(id));
    out.summands = std::max(out.summands, static_cast<double>(graph.type(id).elements()));
    absolute.push_back(inputs.back());
    for (double& value : absolute.back().values()) {
      value = std::abs(value);
      if (std::isfinite(value)) out.largest = std::max(out.largest, value);
    }
  }
  out.expected = whole_reference(*op.op, inputs);
  out.magnitude = whole_reference(*op.op, absolute);
  return out;
}

// B = u_out |ref| + (K + q) u_acc magnitude (notes on verification, section 5), operator by
// operator: each from its inputs as they came out. Exponentials multiply what their argument's
// rounding is off by the argument.
double worst_of_bound(const Graph& graph, const PlannedOp& planned, const GraphOp& op,
                      const Values& values) {
  const OneOp one = evaluated(graph, op, values);
  double worst = 0;
  for (size_t o = 0; o < op.outputs.size(); ++o) {
    const DType dtype = graph.type(op.outputs[o]).dtype;
    const double u_out = unit_roundoff(dtype), u_acc = unit_roundoff(accumulation(dtype));
    const double steps =
        (one.summands + static_cast<double>(planned.spec->partials(o))) * one.largest;
    const std::vector<double>& found = values.at(op.outputs[o]).values();
    for (size_t i = 0; i < found.size(); ++i) {
      const double want = one.expected[o].values()[i];
      const double magnitude = std::max(std::abs(want), std::abs(one.magnitude[o].values()[i]));
      const double rounded_want = rounded(Array64(Box{}, want), dtype).values()[0];
      if (std::isnan(want) || std::isinf(rounded_want)) {
        if (std::isnan(want) != std::isnan(found[i])) return kInfinity;
        continue;
      }
      const double bound = u_out * std::abs(want) + steps * u_acc * magnitude + smallest(dtype);
      worst = std::max(worst, std::abs(found[i] - want) / bound);
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
    const auto executable = compile(graph, {.devices = 8, .selector = selector, .seed = random()});
    const Values values = values_on_8(graph, *executable, given);
    for (size_t i = 0; i < graph.ops().size(); ++i) {
      const double of_op =
          worst_of_bound(graph, executable->plan().logical.ops[i], graph.ops()[i], values);
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
