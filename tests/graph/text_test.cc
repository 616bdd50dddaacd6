// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "einsummable/base/error.h"
#include "einsummable/graph/graph.h"

namespace einsummable {
namespace {

constexpr std::string_view kText = R"(graph 1
%0 = input f32[1024, 4096] "x"
%1 = parameter f32[4096, 14336] "w\"1\n"
%2 = matmul(%0, %1, transpose_x=false, transpose_w=false) "up"
%3 = input f64[] "scalar"
save %2 "y"
save %2 "y again"
)";

std::string message(const std::string& text) {
  try {
    parse_graph(text);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "no error";
}

TEST(GraphText, ParsesBackToTheSameText) { EXPECT_EQ(text(parse_graph(kText)), kText); }

TEST(GraphText, ErrorsNameTheLine) {
  EXPECT_EQ(message("graph 2\n"),
            "graph text, line 1, column 8: this version reads graphs of version 1");
  EXPECT_EQ(message("graph 1\n%1 = input f32[1] \"x\"\n"),
            "graph text, line 2, column 22: tensors are numbered in order: the line gives %0");
  EXPECT_EQ(message("graph 1\n%0 = input f31[1] \"x\"\n"),
            "graph text, line 2, column 15: the dtype before this is unknown");
  EXPECT_EQ(message("graph 1\n%0 = input f32[1] \"x\"\n%1 = matmul(%0, %4) \"y\"\n"),
            "graph text, line 3, column 19: there is no tensor %4 yet");
  EXPECT_EQ(message("graph 1\n%0 = input f32[] \"x\"\n%1 = matmul(%0, %0) \"y\"\n"),
            "graph text, line 3, column 1: matmul \"y\": x is float32[] and x is float32[]; both "
            "need at least one axis");
  EXPECT_EQ(message("graph 1\n%0 = input f32[1] \"\"\n"),
            "graph text, line 2, column 21: a name is not empty");
}

TEST(GraphText, MutatedTextGivesAGraphOrAnError) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string mutated(kText);
    for (int change = 0; change < 3; ++change) {
      const size_t at = random() % mutated.size();
      if (random() % 2) {
        mutated[at] = static_cast<char>(random() % 128);
      } else {
        mutated.erase(at, random() % 9);
      }
    }
    try {
      const Graph graph = parse_graph(mutated);
      EXPECT_EQ(text(parse_graph(text(graph))), text(graph));
    } catch (const GraphError&) {
    }
  }
}

}  // namespace
}  // namespace einsummable
