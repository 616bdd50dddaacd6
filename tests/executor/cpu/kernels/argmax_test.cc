// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/argmax.h"

#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

TEST(Argmax, GivesTheFirstLargestOfAnyAxesStridesAndDType) {
  for (int seed = 0; seed < rounds(1000, 20000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Shape shape, out;
    std::vector<int64_t> axes, steps;
    for (int64_t i = pick(random, 1, 4); i > 0; --i) {
      const int64_t extent = random() % 10 == 0 ? pick(random, 0, 50) : pick(random, 1, 6);
      random() % 2 == 0 ? axes.push_back(std::ssize(shape)) : out.push_back(extent);
      shape.push_back(extent);
    }
    // Codes as of a block within a larger tensor, so that neighbours are not neighbours there.
    for (size_t i = axes.size(); i-- > 0;) {
      steps.insert(steps.begin(), steps.empty() ? 1 : steps.front() * 100);
    }
    const DType dtype = kAllDTypes[seed % 7];
    Block x = Block::any(dtype, shape, random);
    Block index = Block::scattered(DType::i64, out, random),
          value = Block::scattered(dtype, out, random);
    x.fill_integers(random, dtype == DType::boolean ? 0 : -2, dtype == DType::boolean ? 1 : 2);
    if (is_float(dtype) && random() % 2 == 0) {
      x.each([&](const auto& at) {
        if (random() % 9 == 0) x.set(at, random() % 2 == 0 ? std::nan("") : -INFINITY);
      });
    }
    const PositionCode code{7, steps};
    Scratch scratch(argmax_workspace_bytes());
    argmax(x.view(), axes, code, index.view(), value.view(), scratch.bytes());
    int64_t wrong = 0;
    index.each([&](const std::vector<int64_t>& at) {
      double best = 0, position_of_best = static_cast<double>(kNoPosition);
      x.each([&](const std::vector<int64_t>& position) {
        size_t kept = 0, reduced = 0;
        int64_t here = code.origin;
        for (size_t i = 0; i < position.size(); ++i) {
          if (reduced < axes.size() && axes[reduced] == static_cast<int64_t>(i)) {
            here += position[i] * steps[reduced++];
          } else if (position[i] != at[kept++]) {
            return;
          }
        }
        const double v = x.at(position);
        const bool first = position_of_best == static_cast<double>(kNoPosition);
        if (first || (!std::isnan(best) && (std::isnan(v) || v > best))) {
          best = v;
          position_of_best = static_cast<double>(here);
        }
      });
      wrong += index.at(at) != position_of_best;
      const bool none = position_of_best == static_cast<double>(kNoPosition);
      wrong += !none && !agree(value.at(at), best, 0);
    });
    EXPECT_EQ(wrong, 0) << "seed " << seed;
    EXPECT_TRUE(index.gaps_untouched() && value.gaps_untouched()) << "seed " << seed;
  }
}

TEST(Argmax, FindsTheLargestBeyondOnePartOfARow) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    Block x(dtype, {20000}), index(DType::i64, {});
    x.fill([] { return 1; });
    x.set({12345}, 2);
    x.set({12346}, 2);
    const std::vector<int64_t> axes = {0}, steps = {1};
    Scratch scratch(argmax_workspace_bytes());
    argmax(x.view(), axes, {0, steps}, index.view(), {}, scratch.bytes());
    EXPECT_EQ(index.at({}), 12345);
  }
}

}  // namespace
}  // namespace einsummable::cpu
