// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/strided_view.h"

#include <numeric>
#include <random>

#include "einsummable/base/error.h"
#include "einsummable/tensor/view_loop.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Shape = std::vector<int64_t>;

// Memory of `count` elements with the view's element 0 in its middle, so that strides of either
// sign stay inside.
struct Memory {
  Memory(DType d, int64_t count) : dtype(d), bytes(static_cast<size_t>(count * size_of(d))) {}
  std::byte* middle() { return bytes.data() + bytes.size() / 2; }
  StridedView view(const Shape& shape, const Shape& strides) {
    return {middle(), dtype, shape, strides};
  }

  DType dtype;
  std::vector<std::byte> bytes;
};

int64_t offset(int64_t index, const Shape& shape, const Shape& strides) {
  int64_t result = 0;
  for (size_t i = shape.size(); i-- > 0; index /= shape[i]) result += index % shape[i] * strides[i];
  return result;
}

// Strides that give every element a place of its own, in a random order and direction of axes.
Shape scattered(const Shape& shape, std::mt19937_64& random) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  Shape strides(shape.size());
  int64_t stride = 1 + static_cast<int64_t>(random() % 2);
  for (size_t axis : order) {
    strides[axis] = random() % 4 == 0 ? -stride : stride;
    stride = stride * shape[axis] + static_cast<int64_t>(random() % 2 * 3);
  }
  return strides;
}

TEST(StridedView, CopiesEveryElementAndNothingElse) {
  const std::vector<Shape> shapes = {{},     {1},       {5},       {0, 3},          {40, 50},
                                     {3, 1}, {7, 2, 9}, {130, 70}, {2, 3, 2, 3, 2}, {33, 2, 34}};
  for (int seed = 0; seed < rounds(200, 5000); ++seed) {
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    const Shape& shape = shapes[random() % shapes.size()];
    const int64_t count = std::reduce(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
    const DType from = kAllDTypes[random() % 7],
                to = random() % 3 ? from : kAllDTypes[random() % 7];
    Memory source(from, 200000), target(to, 200000);
    Shape from_strides = scattered(shape, random), to_strides = scattered(shape, random);
    for (int64_t& stride : from_strides) stride *= random() % 6 == 0 ? 0 : 1;
    for (int64_t i = 0; i < count; ++i) {
      store_element(from, source.middle() + offset(i, shape, from_strides) * size_of(from),
                    static_cast<double>(i % 251) - 100);
    }
    const std::vector<std::byte> before = target.bytes;
    copy_elements(source.view(shape, from_strides), target.view(shape, to_strides));
    std::vector<std::byte> expected = before;
    for (int64_t i = 0; i < count; ++i) {
      store_element(
          to, expected.data() + expected.size() / 2 + offset(i, shape, to_strides) * size_of(to),
          load_element(from, source.middle() + offset(i, shape, from_strides) * size_of(from)));
    }
    ASSERT_EQ(target.bytes, expected) << seed;
  }
}

TEST(StridedView, ConvertsIntegersExactlyAndWraps) {
  const int64_t from[] = {(int64_t{1} << 60) + 1, -(int64_t{1} << 40) - 5};
  int32_t to[2];
  const int64_t shape[] = {2}, strides[] = {1};
  auto* source = const_cast<int64_t*>(from);
  copy_elements({reinterpret_cast<std::byte*>(source), DType::i64, shape, strides},
                {reinterpret_cast<std::byte*>(to), DType::i32, shape, strides});
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(to[1], -5);
}

TEST(StridedView, CopiesOnlyBetweenEqualShapes) {
  Memory a(DType::f32, 100), b(DType::f32, 100);
  EXPECT_THROW(copy_elements(a.view({2, 3}, {3, 1}), b.view({3, 2}, {2, 1})), InternalError);
}

TEST(StridedView, IsDenseIfRowMajorWithoutGaps) {
  Memory a(DType::f32, 100);
  EXPECT_TRUE(is_dense(a.view({2, 3}, {3, 1})));
  EXPECT_TRUE(is_dense(a.view({1, 3}, {99, 1})));
  EXPECT_FALSE(is_dense(a.view({2, 3}, {1, 2})));
  EXPECT_FALSE(is_dense(a.view({2, 3}, {4, 1})));
}

TEST(ViewLoop, MergesAxesThatAllViewsCrossEvenly) {
  Memory a(DType::f32, 1000), b(DType::f64, 1000);
  const Shape shape = {2, 1, 3, 4}, dense = {12, 12, 4, 1}, row = {0, 9, 0, 1}, gap = {24, 0, 4, 1};
  std::array<ViewLoop::Operand, 2> operands;
  const StridedView x[] = {a.view(shape, dense)}, y[] = {b.view(shape, row)};
  ViewLoop one(x, {}, operands);
  EXPECT_EQ(one.rank(), 1);
  EXPECT_EQ(one.extent(0), 24);
  EXPECT_EQ(one.stride(0, 0), 4);
  ViewLoop two(x, y, operands);
  EXPECT_EQ(two.rank(), 2);
  EXPECT_EQ(two.extent(0), 6);
  EXPECT_EQ(two.stride(1, 1), 8);
  EXPECT_EQ(two.stride(1, 0), 0);
  const StridedView z[] = {a.view(shape, gap)};
  ViewLoop gaps(z, {}, operands);
  EXPECT_EQ(gaps.rank(), 2);
  EXPECT_EQ(gaps.extent(1), 12);
}

TEST(ViewLoop, VisitsPositionsInOrderAndReturns) {
  Memory a(DType::i32, 1000);
  const Shape shape = {2, 3}, strides = {100, -10};
  std::array<ViewLoop::Operand, 1> operands;
  const StridedView x[] = {a.view(shape, strides)};
  ViewLoop loop(x, {}, operands);
  std::vector<int64_t> seen;
  do {
    seen.push_back((loop.data(0) - a.middle()) / 4);
  } while (loop.next(2));
  EXPECT_EQ(seen, (std::vector<int64_t>{0, -10, -20, 100, 90, 80}));
  EXPECT_EQ(loop.data(0), a.middle());
}

TEST(ViewLoop, HasOneAxisAtLeastAndKnowsEmptiness) {
  Memory a(DType::f32, 10);
  std::array<ViewLoop::Operand, 1> operands;
  const Shape none, unit = {1, 1}, empty = {2, 0};
  const StridedView scalar[] = {a.view(none, none)}, ones[] = {a.view(unit, unit)},
                    nothing[] = {a.view(empty, unit)};
  EXPECT_EQ(ViewLoop(scalar, {}, operands).rank(), 1);
  EXPECT_EQ(ViewLoop(ones, {}, operands).rank(), 1);
  EXPECT_FALSE(ViewLoop(ones, {}, operands).empty());
  EXPECT_TRUE(ViewLoop(nothing, {}, operands).empty());
}

TEST(ViewLoop, RefusesMoreAxesThanItHasRoomFor) {
  Memory a(DType::f32, 10);
  const Shape shape(kMaxRank + 1, 1), strides(kMaxRank + 1, 0);
  std::array<ViewLoop::Operand, 1> operands;
  const StridedView x[] = {a.view(shape, strides)};
  EXPECT_THROW(ViewLoop(x, {}, operands), InternalError);
}

}  // namespace
}  // namespace einsummable
