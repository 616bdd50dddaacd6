// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/join_agg_spec.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "einsummable/base/error.h"
#include "tests/support/every_spec.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;

std::shared_ptr<const Signature> shared(std::string_view notation, const std::vector<Shape>& in,
                                        const std::vector<Shape>& out) {
  return std::make_shared<const Signature>(parse_notation(notation, in, out));
}

TEST(JoinAggSpec, MatmulCutOnTheContractionHasOnePartialPerCell) {
  const auto matmul = shared("i j, j k -> i k", {{4, 6}, {6, 2}}, {{4, 2}});
  EXPECT_EQ(text(JoinAggSpec(matmul, {{0, 4}, {0, 3, 6}, {0, 2}})),
            "cell 0  [0:4, 0:3] [0:3, 0:2] -> [0:4, 0:2]\n"
            "cell 1  [0:4, 3:6] [3:6, 0:2] -> [0:4, 0:2]\n"
            "output 0 merges 2\n");
}

TEST(JoinAggSpec, TakesOnlyCutsThatAreLegalAndTile) {
  const auto rows = shared("t d* -> t d*", {{4, 6}}, {{4, 6}});
  EXPECT_NO_THROW(JoinAggSpec(rows, {{0, 1, 4}, {0, 6}}));
  EXPECT_THROW(JoinAggSpec(rows, {{0, 1, 4}, {0, 2, 6}}), InternalError);
  EXPECT_THROW(JoinAggSpec(rows, {{0, 1, 4}}), InternalError);
  Signature overlapping = *rows;
  overlapping.outputs[0].axes[0].width = 2;
  EXPECT_THROW(JoinAggSpec(std::make_shared<Signature>(overlapping), {{0, 1, 4}, {0, 6}}),
               InternalError);
  const auto diagonal = shared("i -> i i", {{4}}, {{4, 4}});
  EXPECT_THROW(JoinAggSpec(diagonal, {{0, 2, 4}}), InternalError);
  EXPECT_NO_THROW(JoinAggSpec(diagonal, {{0, 4}}));
}

TEST(JoinAggSpec, ADiagonalReadsSomeCombinationsOnly) {
  const auto diagonal = shared("i i -> i", {{4, 4}}, {{4}});
  const JoinAggSpec spec(diagonal, {{0, 1, 4}});
  EXPECT_EQ(spec.join_elements(0), 1 + 9);
  EXPECT_FALSE(spec.input(0).product);
}

// Whatever the product form says is what listing the cells shows.
class Listed {
 public:
  explicit Listed(const JoinAggSpec& spec) : spec_(spec) {
    for (int64_t cell = 0; cell < spec.cells(); ++cell) cells_.push_back(spec.cell(cell));
  }

  void check_input(size_t input) const {
    std::set<Box> blocks;
    int64_t read = 0;
    for (const FunctionSpec& cell : cells_) {
      read += elements(cell.inputs[input]);
      if (!empty(cell.inputs[input])) blocks.insert(cell.inputs[input]);
    }
    EXPECT_EQ(spec_.join_elements(input), read);
    const Tiling tiling = spec_.input(input);
    if (tiling.product) {
      EXPECT_EQ(tiling.blocks(), std::ssize(blocks));
    } else {
      EXPECT_LT(std::ssize(blocks), tiling.blocks());
    }
    for (const Box& block : blocks) {
      for (size_t axis = 0; axis < block.size(); ++axis) {
        EXPECT_TRUE(std::ranges::binary_search(tiling.axes[axis], block[axis]));
      }
    }
  }

  void check_output(size_t output) const {
    std::map<Box, std::set<int64_t>> partials;
    for (size_t cell = 0; cell < cells_.size(); ++cell) {
      const int64_t partial = spec_.partial_of_cell(output, static_cast<int64_t>(cell));
      EXPECT_TRUE(0 <= partial && partial < spec_.partials(output));
      partials[cells_[cell].outputs[output]].insert(partial);
    }
    for (const auto& [block, numbers] : partials) {
      EXPECT_EQ(std::ssize(numbers), spec_.partials(output));
    }
    EXPECT_EQ(std::ssize(partials) * spec_.partials(output), spec_.cells());
    EXPECT_EQ(spec_.output(output).blocks(), std::ssize(partials));
  }

 private:
  const JoinAggSpec& spec_;
  std::vector<FunctionSpec> cells_;
};

TEST(JoinAggSpec, SaysInProductFormWhatItsCellsShow) {
  const std::vector<std::shared_ptr<const Signature>> signatures = {
      shared("b i j, b j k -> b i k", {{2, 3, 7}, {2, 7, 5}}, {{2, 3, 5}}),
      shared("4h s d*, h s d*, h s d* -> 4h s d*", {{12, 5, 2}, {3, 5, 2}, {3, 5, 2}},
             {{12, 5, 2}}),
      shared("t (h k) -> t h k", {{3, 8}}, {{3, 2, 4}}),
      shared("i i j -> j, i", {{4, 4, 5}}, {{5}, {4}}),
      shared("i j i, 1 j -> j", {{4, 5, 4}, {1, 5}}, {{5}}),
      shared(" -> i j", {{}}, {{6, 7}}),
  };
  Random random(5);
  int64_t specs = 0;
  for (const auto& signature : signatures) {
    for (int64_t cells = 1; cells <= 12; ++cells) {
      for_each_spec(signature, cells, random, [&](const JoinAggSpec& spec) {
        SCOPED_TRACE(text(*signature) + "\n" + text(spec));
        EXPECT_EQ(spec.cells(), cells);
        const Listed listed(spec);
        for (size_t i = 0; i < signature->inputs.size(); ++i) listed.check_input(i);
        for (size_t o = 0; o < signature->outputs.size(); ++o) listed.check_output(o);
        ++specs;
      });
    }
  }
  EXPECT_GT(specs, 200);
}

TEST(JoinAggSpec, JoinElementsAreChecked) {
  const int64_t huge = int64_t{1} << 40;
  const auto matmul = shared("i j, j k -> i k", {{huge, 4}, {4, huge}}, {{huge, huge}});
  EXPECT_EQ(JoinAggSpec(matmul, {{0, huge}, {0, 4}, {0, huge}}).join_elements(0), huge * 4);
  const auto outer = shared("i j -> i j", {{huge, huge}}, {{huge, huge}});
  EXPECT_THROW(JoinAggSpec(outer, {{0, huge}, {0, huge}}).join_elements(0), Error);
}

}  // namespace
}  // namespace einsummable
