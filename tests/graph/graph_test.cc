// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/graph.h"

#include <gtest/gtest.h>

#include <limits>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

std::string message(const std::function<void(Graph&)>& build) {
  Graph graph;
  try {
    build(graph);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Graph, InfersTypesAndNamesWhatIsUnnamed) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {3, 4}, "x");
  const TensorId w = graph.parameter(DType::f32, {4, 5});
  const TensorId y = graph.apply("matmul", {x, w})[0];
  const TensorId z = graph.apply("matmul", {x, w}, {}, "named")[0];
  EXPECT_EQ(describe(graph.type(y)), "float32[3, 5]");
  EXPECT_EQ(graph.tensor(w).name, "tensor_1");
  EXPECT_EQ(graph.op(graph.tensor(y).producer).name, "matmul_0");
  EXPECT_EQ(graph.find_op("named"), graph.tensor(z).producer);
  EXPECT_FALSE(graph.find_op("x").valid());
  EXPECT_EQ(graph.find_tensor("x"), x);
}

TEST(Graph, NamesAreText) {
  EXPECT_EQ(message([](Graph& g) { g.input(DType::f32, {3}, "x\xff"); }),
            "the name \"x\\xff\" is no text: names are UTF-8");
  EXPECT_EQ(message([](Graph& g) {
              g.apply("iota", {}, {{"shape", Shape{3}}}, "\xc3(");
            }),
            "iota \"\\xc3(\"; the name \"\\xc3(\" is no text: names are UTF-8");
  EXPECT_EQ(message([](Graph& g) { g.save(g.input(DType::f32, {3}), "\x80"); }),
            "the name \"\\x80\" is no text: names are UTF-8");
  EXPECT_EQ(message([](Graph&) { parse_graph("graph 1\n%0 = input f32[3] \"\\xff\"\n"); }),
            "graph text, line 2, column 1: the name \"\\xff\" is no text: names are UTF-8");
}

TEST(Graph, WhatIsAddedWhileItIsPrunedIsLeftOut) {
  Graph graph;
  TensorId x = graph.input(DType::f32, {3}, "x");
  graph.save(graph.apply("relu", {x}, {}, "relu")[0], "y");
  const std::string before = text(graph);
  int asked = 0;
  const Interruption adding([&] {
    for (int i = 0; i < 1000; ++i) x = graph.apply("neg", {x})[0];
    graph.save(x);
    ++asked;
    return false;
  });
  verify(graph, Interruption());
  EXPECT_EQ(text(prune(graph, adding)), before);
  EXPECT_GE(asked, 1);
}

TEST(Graph, ErrorsNameTheOperatorTheUsersNamesAndTheShapes) {
  EXPECT_EQ(message([](Graph& g) {
              const TensorId x = g.input(DType::f32, {3, 4}, "x");
              const TensorId w = g.input(DType::f32, {5, 6}, "w1");
              g.apply("matmul", {x, w}, {}, "up");
            }),
            "matmul \"up\": x is float32[3, 4] and w1 is float32[5, 6]; the last extent of x (4) "
            "must equal the first of w1 (5)");
  EXPECT_EQ(message([](Graph& g) {
              g.apply("matmul", {g.input(DType::f32, {3, 4}, "x")});
            }),
            "matmul: x is float32[3, 4]; takes 2 inputs, not 1");
  EXPECT_EQ(message([](Graph& g) { g.apply("matmull", {}); }), "there is no operator \"matmull\"");
  EXPECT_EQ(
      message([](Graph& g) {
        const TensorId x = g.input(DType::f32, {3, 3}, "x");
        g.apply("matmul", {x, x}, {{"transpose", true}});
      }),
      "matmul: x is float32[3, 3] and x is float32[3, 3]; has no attribute 'transpose'; it has "
      "transpose_x, transpose_w");
  EXPECT_EQ(
      message([](Graph& g) {
        const TensorId x = g.input(DType::f32, {3, 3}, "x");
        g.apply("matmul", {x, x}, {{"transpose_x", int64_t{1}}});
      }),
      "matmul: x is float32[3, 3] and x is float32[3, 3]; the attribute 'transpose_x' must be "
      "true or false");
  EXPECT_EQ(message([](Graph& g) {
              const TensorId x = g.input(DType::f32, {3, 3}, "x");
              g.apply("matmul", {x, x}, {}, "a");
              g.apply("matmul", {x, x}, {}, "a");
            }),
            "matmul \"a\": x is float32[3, 3] and x is float32[3, 3]; there is already an operator "
            "called \"a\"");
  EXPECT_EQ(message([](Graph& g) { g.save(TensorId(7), "y"); }),
            "there is no tensor %7 in this graph of 0");
}

TEST(Graph, GivenTensorsAreChecked) {
  EXPECT_EQ(message([](Graph& g) {
              g.input(DType::f32, {3, -1}, "x");
            }),
            "tensor \"x\": an extent is at least 0; the shape is [3, -1]");
  EXPECT_EQ(message([](Graph& g) {
              g.input(DType::f32, {int64_t{1} << 31, int64_t{1} << 31, 2}, "x");
            }),
            "tensor \"x\": the bytes of float32[2147483648, 2147483648, 2] do not fit in 64 bits");
  EXPECT_EQ(message([](Graph& g) {
              g.input(DType::f32, {0, std::numeric_limits<int64_t>::max()}, "x");
            }),
            "tensor \"x\": the bytes of float32[0, 9223372036854775807] do not fit in 64 bits");
  EXPECT_EQ(message([](Graph& g) { g.input(DType::f32, Shape(33, 1), "x"); }),
            "tensor \"x\": a tensor has at most 32 axes; this one has 33");
  EXPECT_EQ(message([](Graph& g) {
              g.input(DType::f32, {1}, "x");
              g.parameter(DType::f32, {1}, "x");
            }),
            "there is already a tensor called \"x\"");
  EXPECT_EQ(message([](Graph& g) {
              const TensorId x = g.input(DType::f32, {1}, "x");
              g.save(x, "y");
              g.save(x, "y");
            }),
            "there is already a saved tensor called \"y\"");
  EXPECT_EQ(message([](Graph& g) {
              g.input(DType::f32, {1}, "x");
              verify(g);
            }),
            "the graph saves nothing; call save on the tensors to keep");
}

TEST(Graph, PruneKeepsWhatSavedTensorsNeed) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {3, 3}, "x");
  const TensorId unread = graph.input(DType::f32, {3, 3}, "unread");
  const TensorId a = graph.apply("matmul", {x, x}, {}, "a")[0];
  graph.apply("matmul", {a, unread}, {}, "dead");
  const TensorId b = graph.apply("matmul", {a, x}, {}, "b")[0];
  graph.save(b, "y");
  const Graph pruned = prune(graph);
  verify(pruned);
  EXPECT_EQ(text(pruned), R"(graph 1
%0 = input f32[3, 3] "x"
%1 = input f32[3, 3] "unread"
%2 = matmul(%0, %0, transpose_x=false, transpose_w=false) "a"
%3 = matmul(%2, %0, transpose_x=false, transpose_w=false) "b"
save %3 "y"
)");
}

}  // namespace
}  // namespace einsummable
