// SPDX-License-Identifier: Apache-2.0
// Values that are easy to get wrong when a computation is cut, through the whole path.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "tests/support/executable.h"
#include "tests/support/operators.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Values = std::map<TensorId, Array64>;

// What graph gives for the values, all saved tensors.
std::vector<Memory> results(const Graph& graph, const Values& values, CompileOptions options) {
  return call(*compiled(graph, options), graph, values);
}

std::vector<double> first_result(const Graph& graph, const Values& values,
                                 const CompileOptions& options) {
  return results(graph, values, options)[0].values().values();
}

// The first result with the operator "cut" cut into these counts on 8 devices.
std::vector<double> cut_in_8(const Graph& graph, const Values& values,
                             const std::map<std::string, int64_t>& counts) {
  return first_result(graph, values, {.devices = 8, .pins = {{"cut", counts}}});
}

// x of the shape, reduced along its last axis by "cut".
struct Reduction {
  Graph graph;
  TensorId x;

  Reduction(std::string_view op, DType dtype, const Shape& shape) {
    x = graph.input(dtype, shape, "x");
    graph.save(
        graph.apply(op, {x}, {{"axis", std::vector<int64_t>{std::ssize(shape) - 1}}}, "cut")[0],
        "y");
  }
};

TEST(Numerics, NonlinearOperatorsSeeWholeSums) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4, 16}, "x"),
                 w = graph.input(DType::f32, {16, 3}, "w");
  const TensorId y = graph.apply("matmul", {x, w}, {}, "cut")[0];
  graph.save(graph.apply("relu", {y}, {}, "relu")[0], "y");
  Random random(1);
  const Values values = {{x, random_integers(random, {4, 16}, 5)},
                         {w, random_integers(random, {16, 3}, 5)}};
  const std::vector<double> expected = evaluate(graph, values).at(graph.saves()[0].tensor).values();
  EXPECT_EQ(cut_in_8(graph, values, {{"i", 1}, {"j", 8}, {"k", 1}}), expected);
  EXPECT_GT(std::ranges::count(expected, 0.0), 0) << "some sums are negative";
  EXPECT_LT(std::ranges::count(expected, 0.0), std::ssize(expected));
}

TEST(Numerics, ExtremesOfPartialsThatAreAllOnOneSide) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64}) {
    Random random(2);
    Array64 below(box_of(Shape{3, 16}));
    for (double& value : below.values())
      value = -1 - static_cast<double>(random_below(random, 100));
    const Reduction most("max", dtype, {3, 16});
    const auto expected = evaluate(most.graph, {{most.x, below}}).at(most.graph.saves()[0].tensor);
    EXPECT_EQ(cut_in_8(most.graph, {{most.x, below}}, {{"i0", 1}, {"i1", 8}}), expected.values());
    Array64 above = below;
    for (double& value : above.values()) value = -value;
    const Reduction least("min", dtype, {3, 16});
    std::vector<double> negated = cut_in_8(least.graph, {{least.x, above}}, {{"i0", 1}, {"i1", 8}});
    for (double& value : negated) value = -value;
    EXPECT_EQ(negated, expected.values());
  }
}

// Halves count to 2,048 and no further by ones; partial results are float32.
TEST(Numerics, SumsOfHalvesAreExactWherePartialsAreFloat32) {
  for (int64_t n : {2051, 4096, 40000}) {
    const Reduction sum("sum", DType::f16, {2, n});
    const Array64 ones(box_of(Shape{2, n}), 1);
    const double expected = rounded(Array64(Box{}, static_cast<double>(n)), DType::f16).values()[0];
    EXPECT_EQ(cut_in_8(sum.graph, {{sum.x, ones}}, {{"i0", 1}, {"i1", 8}}),
              std::vector<double>(2, expected));
  }
  Graph product;
  const TensorId x = product.input(DType::f16, {1, 4096}, "x");
  const TensorId w = product.input(DType::f16, {4096, 1}, "w");
  product.save(product.apply("matmul", {x, w}, {}, "cut")[0], "y");
  EXPECT_EQ(
      cut_in_8(product,
               {{x, Array64(box_of(Shape{1, 4096}), 1)}, {w, Array64(box_of(Shape{4096, 1}), 1)}},
               {{"i", 1}, {"j", 8}, {"k", 1}}),
      std::vector<double>{4096});
}

TEST(Numerics, PartialSumsOfHalvesDoNotOverflow) {
  const Reduction sum("sum", DType::f16, {1, 64});
  Array64 x(box_of(Shape{1, 64}));
  for (int64_t j = 0; j < 64; ++j) x.at({0, j}) = j < 32 ? 60000 : -60000;
  EXPECT_EQ(cut_in_8(sum.graph, {{sum.x, x}}, {{"i0", 1}, {"i1", 8}}), std::vector<double>{0});
  const Reduction mean("mean", DType::f16, {1, 64});
  EXPECT_EQ(cut_in_8(mean.graph, {{mean.x, Array64(box_of(Shape{1, 64}), 60000)}},
                     {{"i0", 1}, {"i1", 8}}),
            std::vector<double>{60000});
}

TEST(Numerics, IntegerSumsAreExact) {
  for (DType dtype : {DType::i32, DType::i64, DType::boolean}) {
    const Reduction sum("sum", dtype, {2, 1000});
    const double value = dtype == DType::i32 ? 2147483647 : dtype == DType::i64 ? 1e12 + 1 : 1;
    const Array64 x(box_of(Shape{2, 1000}), value);
    EXPECT_EQ(cut_in_8(sum.graph, {{sum.x, x}}, {{"i0", 1}, {"i1", 8}}),
              std::vector<double>(2, 1000 * value));
  }
}

// Bits of a double do not hold such sums; int64 does.
TEST(Numerics, Int64SumsBeyondTheRangeOfDoublesAreExact) {
  const Reduction sum("sum", DType::i64, {1, 16});
  const TensorType type = tensor_type(DType::i64, Shape{1, 16});
  Memory x(type), y(tensor_type(DType::i64, Shape{1}));
  int64_t expected = 0;
  for (int64_t j = 0; j < 16; ++j) {
    const int64_t value = (int64_t{1} << 57) + 2 * j + 1;
    reinterpret_cast<int64_t*>(x.view().data)[j] = value;
    expected += value;
  }
  for (int64_t p : {1, 8}) {
    const auto executable = compiled(sum.graph, {.devices = p, .objective = kProxy});
    executable->call(std::vector<Executable::Argument>{{"x", x.view()}},
                     std::vector<Executable::Argument>{{"y", y.view()}});
    EXPECT_EQ(*reinterpret_cast<const int64_t*>(y.view().data), expected) << "p = " << p;
  }
}

// "4 nan, 7 inf, 9 -inf": where the values of a result are not finite.
std::string not_finite(const Array64& array) {
  std::vector<std::string> out;
  for (size_t i = 0; i < array.values().size(); ++i) {
    const double value = array.values()[i];
    if (std::isfinite(value)) continue;
    out.push_back(std::to_string(i) + (std::isnan(value) ? " nan" : value > 0 ? " inf" : " -inf"));
  }
  return join(out, ", ");
}

// Graphs of one operator, "cut", that merges, normalises or maps along an axis of 24.
std::vector<Graph> graphs_along_an_axis(DType dtype) {
  const Attributes reduced = {{"axis", std::vector<int64_t>{1}}};
  const std::vector<std::pair<std::string_view, Attributes>> ops = {
      {"sum", reduced},
      {"mean", reduced},
      {"max", reduced},
      {"min", reduced},
      {"logsumexp", reduced},
      {"softmax", {{"axis", int64_t{1}}}},
      {"relu", {}},
      {"exp", {}},
      {"abs", {}},
      {"sign", {}},
      {"sqrt", {}},
      {"sigmoid", {}}};
  std::vector<Graph> graphs;
  for (const auto& [op, attributes] : ops) {
    Graph& graph = graphs.emplace_back();
    const TensorId x = graph.input(dtype, {5, 24}, "x");
    graph.save(graph.apply(op, {x}, attributes, "cut")[0], "y");
  }
  Graph& product = graphs.emplace_back();
  const TensorId x = product.input(dtype, {5, 24}, "x"), w = product.input(dtype, {24, 3}, "w");
  product.save(product.apply("matmul", {x, w}, {}, "cut")[0], "y");
  return graphs;
}

// Normal values, and at the first or last position of a block, whatever p, sometimes a special one.
Values values_with_specials(Random& random, const Graph& graph) {
  const std::vector<double> specials = {kNan,  kInfinity, -kInfinity, -0.0,  1e-8,
                                        65504, 1e-41,     -1e-39,     5e-320};
  Values values = random_values(random, graph);
  for (auto& [tensor, array] : values) {
    for (size_t i = 0; i < array.values().size(); ++i) {
      if ((i % 3 == 1 && i % 8 != 7) || random_below(random, 6) != 0) continue;
      array.values()[i] = specials[random() % specials.size()];
    }
    array = rounded(std::move(array), graph.type(tensor).dtype);
  }
  return values;
}

TEST(Numerics, WhatIsNotFiniteIsTheSameAtEveryP) {
  int64_t found = 0;
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const Graph& graph : graphs_along_an_axis(dtype)) {
      SCOPED_TRACE(text(graph));
      std::vector<std::unique_ptr<Executable>> executables;
      for (int64_t p : {1, 2, 3, 5, 8}) {
        if (is_sparse() && p != 3) continue;
        executables.push_back(compiled(graph, {.devices = p, .objective = kProxy}));
        if (is_sparse()) continue;
        for (uint64_t seed : {1u, 2u}) {
          executables.push_back(
              compiled(graph, {.devices = p, .selector = Selector::random, .seed = seed}));
        }
      }
      for (int round = 0; round < rounds(4, 100); ++round) {
        Random random(static_cast<uint64_t>(round));
        const Values values = values_with_specials(random, graph);
        const auto all = evaluate(graph, values);
        const std::string expected = not_finite(all.at(graph.saves()[0].tensor));
        found += !expected.empty();
        for (const auto& executable : executables) {
          EXPECT_EQ(not_finite(call(*executable, graph, values)[0].values()), expected)
              << "p = " << executable->plan().logical.p << ", round " << round;
        }
      }
    }
  }
  EXPECT_GT(found, 0);
}

// The message of the InputError of a look-up, on p devices.
std::string refusal_of_ids(const Array64& ids, CompileOptions options) {
  Graph graph;
  const TensorId table = graph.parameter(DType::f32, {16, 3}, "table");
  const TensorId id = graph.input(DType::i32, {4, 8}, "ids");
  graph.save(graph.apply("embedding", {table, id}, {}, "cut")[0], "y");
  const Values values = {{table, Array64(box_of(Shape{16, 3}), 1)}, {id, ids}};
  const auto executable = compiled(graph, options);
  std::string said;
  try {
    call(*executable, graph, values);
  } catch (const InputError& error) {
    said = error.what();
  }
  const Values good = {{table, values.at(table)}, {id, Array64(box_of(Shape{4, 8}), 15)}};
  EXPECT_EQ(call(*executable, graph, good)[0].values().values(), std::vector<double>(96, 1))
      << "the next call is right";
  return said;
}

TEST(Numerics, IdsOutOfRangeAreNamedAtEveryP) {
  Array64 ids(box_of(Shape{4, 8}), 3);
  EXPECT_EQ(refusal_of_ids(ids, {.devices = 8, .objective = kProxy}), "");
  ids.at({1, 5}) = 16;
  ids.at({3, 7}) = -1;
  const std::string expected =
      "embedding \"cut\": table is float32[16, 3] and ids is int32[4, 8]; the id 16 at position "
      "[1, 5] is out of range: the table has rows 0 to 15";
  for (int64_t p : {1, 2, 3, 8}) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      EXPECT_EQ(refusal_of_ids(ids, {.devices = p, .selector = Selector::random, .seed = seed}),
                expected)
          << "p = " << p << ", seed " << seed;
    }
  }
  ids.at({1, 5}) = 0;
  EXPECT_EQ(refusal_of_ids(ids, {.devices = 8, .objective = kProxy}),
            "embedding \"cut\": table is float32[16, 3] and ids is int32[4, 8]; the id -1 at "
            "position [3, 7] is out of range: the table has rows 0 to 15");
}

TEST(Numerics, LogSumExpOverBlocksThatAreAllMinusInfinity) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const Reduction reduction("logsumexp", dtype, {3, 16});
    Array64 x(box_of(Shape{3, 16}), -kInfinity);
    x.at({0, 5}) = 2;
    x.at({1, 0}) = x.at({1, 15}) = 30;
    EXPECT_EQ(cut_in_8(reduction.graph, {{reduction.x, x}}, {{"i0", 1}, {"i1", 8}}),
              rounded(array({3}, {2, 30 + std::log(2.0), -kInfinity}), dtype).values())
        << short_name(dtype);
  }
}

struct AttentionCase {
  Attributes attributes;
  bool masked = false;
};

// Keys cut in 8, so that rows meet blocks of which they see nothing.
TEST(Numerics, AttentionWithKeysCutIsThatOfTheReference) {
  const Shape ends = {13, 64};
  const std::vector<AttentionCase> cases = {{{{"causal", true}}},
                                            {{{"causal", false}}},
                                            {{{"causal", true}, {"ends", ends}}},
                                            {{{"causal", false}, {"return_lse", true}}, true},
                                            {{{"causal", true}, {"return_lse", true}}, true}};
  for (size_t c = 0; c < cases.size(); ++c) {
    Graph graph;
    const TensorId q = graph.input(DType::f32, {4, 64, 8}, "q");
    const TensorId k = graph.input(DType::f32, {2, 64, 8}, "k");
    const TensorId v = graph.input(DType::f32, {2, 64, 5}, "v");
    std::vector<TensorId> inputs = {q, k, v};
    if (cases[c].masked) inputs.push_back(graph.input(DType::f32, {64, 64}, "mask"));
    for (TensorId y : graph.apply("attention", inputs, cases[c].attributes, "cut")) graph.save(y);
    Random random(c);
    Values values = random_values(random, graph);
    if (cases[c].masked) {
      for (double& value : values.at(inputs[3]).values()) {
        if (random() % 2) value = -kInfinity;
      }
      for (int64_t j = 0; j < 64; ++j) values.at(inputs[3]).at({7, j}) = -kInfinity;
    }
    const auto reference = evaluate(graph, values);
    const std::vector<Memory> got =
        results(graph, values, {.devices = 8, .pins = {{"cut", {{"k", 8}}}}});
    for (size_t s = 0; s < got.size(); ++s) {
      const Array64 found = got[s].values();
      const Array64& expected = reference.at(graph.saves()[s].tensor);
      EXPECT_EQ(not_finite(found), not_finite(expected)) << "case " << c;
      for (size_t i = 0; i < expected.values().size(); ++i) {
        if (!std::isfinite(expected.values()[i])) continue;
        EXPECT_NEAR(found.values()[i], expected.values()[i], (64 + 8) * std::exp2(-24) * 4)
            << "case " << c << ", element " << i;
      }
    }
  }
}

// On small integers every operator here is exact in every dtype.
TEST(Numerics, EveryDtypeIsExactOnSmallIntegers) {
  for (DType dtype : kAllDTypes) {
    Graph graph;
    const TensorId x = graph.input(dtype, {6, 16}, "x"), y = graph.input(dtype, {16}, "y");
    const TensorId most = graph.apply("maximum", {x, y}, {}, "maximum")[0];
    const TensorId turned = graph.apply("transpose", {most}, {{"axes", Shape{1, 0}}}, "turned")[0];
    const TensorId both =
        graph.apply("concat", {turned, turned}, {{"axis", int64_t{0}}}, "both")[0];
    for (std::string_view op : {"sum", "max", "min", "prod", "any"}) {
      if (op == "prod" && is_float(dtype)) continue;
      for (int64_t axis : {0, 1}) {
        graph.save(graph.apply(op, {both}, {{"axis", std::vector<int64_t>{axis}}})[0]);
      }
    }
    graph.save(both);
    if (dtype != DType::boolean) graph.save(graph.apply("matmul", {x, turned}, {}, "product")[0]);
    Random random(3);
    Values values;
    for (TensorId id : {x, y}) {
      Array64 array(graph.type(id).bounds);
      for (double& value : array.values()) {
        value = dtype == DType::boolean ? static_cast<double>(random() % 2)
                                        : static_cast<double>(random_below(random, 7) - 3);
      }
      values.emplace(id, std::move(array));
    }
    const auto reference = evaluate(graph, values);
    for (int64_t p : {1, 3, 8}) {
      const std::vector<Memory> saved =
          results(graph, values, {.devices = p, .selector = Selector::random, .seed = 5});
      for (size_t s = 0; s < saved.size(); ++s) {
        EXPECT_EQ(saved[s].values().values(), reference.at(graph.saves()[s].tensor).values())
            << short_name(dtype) << ", p = " << p << ", " << graph.saves()[s].name;
      }
    }
  }
}

}  // namespace
}  // namespace einsummable
