// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/contraction.h"

#include "einsummable/executor/cpu/kernels/blas.h"
#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

// The extent of every label, and the labels of the axes of a, b and c.
struct Case {
  Shape extents;
  std::vector<int32_t> a, b, c;

  Shape shape(const std::vector<int32_t>& labels) const {
    Shape result;
    for (int32_t label : labels) result.push_back(extents[static_cast<size_t>(label)]);
    return result;
  }
  ContractionLabels labels() const { return {a, b, c}; }
};

std::vector<int64_t> select(const std::vector<int64_t>& position,
                            const std::vector<int32_t>& labels) {
  std::vector<int64_t> result;
  for (int32_t label : labels) result.push_back(position[static_cast<size_t>(label)]);
  return result;
}

struct Expected {
  double sum = 0, magnitude = 0;
  int64_t terms = 0;
};

// Every element of c in row-major order, in double.
std::vector<Expected> reference(const Case& what, const Block& a, const Block& b) {
  const Shape shape = what.shape(what.c);
  std::vector<Expected> result(static_cast<size_t>(elements(shape)));
  const auto strides = row_major_strides(shape);
  Block::each_position(what.extents, [&](const std::vector<int64_t>& position) {
    int64_t at = 0;
    const auto out = select(position, what.c);
    for (size_t i = 0; i < out.size(); ++i) at += out[i] * strides[i];
    const double term = a.at(select(position, what.a)) * b.at(select(position, what.b));
    Expected& e = result[static_cast<size_t>(at)];
    e.sum += term;
    e.magnitude += std::abs(term);
    ++e.terms;
  });
  return result;
}

void run(const Case& what, Block& a, Block& b, Block& c,
         Accumulate accumulate = Accumulate::overwrite) {
  use_one_blas_thread();
  const auto labels = what.labels();
  Scratch scratch(contraction_workspace_bytes(labels, a.view(), b.view(), c.view()));
  contract(labels, a.view(), b.view(), c.view(), accumulate, scratch.bytes());
}

// Random labels in every role, sometimes one twice in an operand.
Case random_case(Random& random) {
  static const std::vector<int64_t> kExtents = {0, 1, 2, 3, 5, 7, 8, 16, 17};
  Case what;
  const auto add = [&](bool in_a, bool in_b, bool in_c) {
    const auto label = static_cast<int32_t>(what.extents.size());
    const bool rare = pick(random, 0, 7) == 0;
    what.extents.push_back(kExtents[static_cast<size_t>(pick(random, rare ? 0 : 1, rare ? 8 : 6))]);
    if (in_a) what.a.push_back(label);
    if (in_b) what.b.push_back(label);
    if (in_c) what.c.push_back(label);
  };
  for (int64_t i = pick(random, 0, 1); i > 0; --i) add(true, true, true);
  for (int64_t i = pick(random, 0, 2); i > 0; --i) add(true, false, true);
  for (int64_t i = pick(random, 0, 2); i > 0; --i) add(false, true, true);
  for (int64_t i = pick(random, 0, 2); i > 0; --i) add(true, true, false);
  if (pick(random, 0, 9) == 0) add(true, false, false);
  if (pick(random, 0, 9) == 0) add(false, true, false);
  if (!what.a.empty() && pick(random, 0, 9) == 0) what.a.push_back(what.a.front());
  std::ranges::shuffle(what.a, random);
  std::ranges::shuffle(what.b, random);
  std::ranges::shuffle(what.c, random);
  return what;
}

struct DTypes {
  DType a, b, c;
};
const std::vector<DTypes> kDTypes = {
    {DType::f32, DType::f32, DType::f32},    {DType::f64, DType::f64, DType::f64},
    {DType::f16, DType::f16, DType::f16},    {DType::f16, DType::f16, DType::f32},
    {DType::bf16, DType::bf16, DType::bf16}, {DType::bf16, DType::bf16, DType::f32},
    {DType::f32, DType::f16, DType::f32},    {DType::f32, DType::f64, DType::f64},
    {DType::i32, DType::i32, DType::i32},    {DType::i32, DType::i32, DType::i64},
    {DType::i64, DType::i64, DType::i64},    {DType::boolean, DType::boolean, DType::i64}};

TEST(Contraction, IsExactOnIntegersForEveryRoleStrideAndDType) {
  for (int seed = 0; seed < rounds(400, 4000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Case what = random_case(random);
    const DTypes& dtypes = kDTypes[static_cast<size_t>(seed) % kDTypes.size()];
    Block a = Block::any(dtypes.a, what.shape(what.a), random);
    Block b = Block::any(dtypes.b, what.shape(what.b), random);
    Block c = Block::scattered(dtypes.c, what.shape(what.c), random);
    const bool boolean = dtypes.a == DType::boolean;
    a.fill_integers(random, boolean ? 0 : -2, boolean ? 1 : 2);
    b.fill_integers(random, boolean ? 0 : -2, boolean ? 1 : 2);
    const bool add = pick(random, 0, 2) == 0;
    if (add) c.fill([] { return 3; });
    const auto want = reference(what, a, b);
    run(what, a, b, c, add ? Accumulate::add : Accumulate::overwrite);
    size_t i = 0, wrong = 0;
    Block rounded(dtypes.c, {});
    c.each([&](const auto& position) {
      rounded.set({}, want[i++].sum + (add ? 3 : 0));
      wrong += c.at(position) != rounded.at({});
    });
    EXPECT_EQ(wrong, 0u) << "seed " << seed;
    EXPECT_TRUE(c.gaps_untouched()) << "seed " << seed;
  }
}

TEST(Contraction, StaysWithinTheErrorBound) {
  for (int seed = 0; seed < rounds(200, 2000); ++seed) {
    Random random(static_cast<uint64_t>(seed) + 1000);
    const Case what = random_case(random);
    const DTypes& dtypes = kDTypes[static_cast<size_t>(seed) % 8];
    Block a = Block::any(dtypes.a, what.shape(what.a), random);
    Block b = Block::any(dtypes.b, what.shape(what.b), random);
    Block c = Block::scattered(dtypes.c, what.shape(what.c), random);
    a.fill_normal(random);
    b.fill_normal(random);
    const auto want = reference(what, a, b);
    run(what, a, b, c);
    size_t i = 0;
    c.each([&](const auto& position) {
      const Expected& e = want[i++];
      const double bound = roundoff(dtypes.c) * std::abs(e.sum) + least(dtypes.c) +
                           static_cast<double>(e.terms) *
                               roundoff(computed_dtype(dtypes.a, dtypes.b, dtypes.c)) * e.magnitude;
      EXPECT_TRUE(agree(c.at(position), e.sum, bound)) << "seed " << seed;
    });
  }
}

// Blocks beyond every block size, of all operands.
TEST(Contraction, BlocksOfCopiedOperandsMeet) {
  Random random(5);
  for (const DTypes& dtypes : {kDTypes[0], kDTypes[2], kDTypes[9]}) {
    const Case what{{530, 1, 1040, 1050}, {0, 2}, {2, 3}, {3, 0}};
    Block a = Block::scattered(dtypes.a, what.shape(what.a), random);
    Block b = Block::scattered(dtypes.b, what.shape(what.b), random);
    Block c = Block::scattered(dtypes.c, what.shape(what.c), random);
    a.fill_integers(random, -1, 1);
    b.fill_integers(random, -1, 1);
    run(what, a, b, c);
    for (int probe = 0; probe < 300; ++probe) {
      const int64_t i = pick(random, 0, 529), j = pick(random, 0, 1049);
      double sum = 0;
      for (int64_t k = 0; k < 1040; ++k) sum += a.at({i, k}) * b.at({k, j});
      EXPECT_EQ(c.at({j, i}), sum);
    }
    EXPECT_TRUE(c.gaps_untouched());
  }
}

int64_t bytes_of(const Case& what, DType dtype = DType::f32) {
  Block a(dtype, what.shape(what.a)), b(dtype, what.shape(what.b)), c(dtype, what.shape(what.c));
  return contraction_workspace_bytes(what.labels(), a.view(), b.view(), c.view());
}

TEST(Contraction, HeadIndexedProjectionsCopyNothing) {
  const Shape tdhk = {64, 96, 4, 64};
  EXPECT_EQ(bytes_of({tdhk, {0, 1}, {1, 2, 3}, {2, 0, 3}}), 0);     // t d, d h k -> h t k
  EXPECT_EQ(bytes_of({tdhk, {0, 1}, {1, 2, 3}, {0, 2, 3}}), 0);     // t d, d h k -> t h k
  EXPECT_EQ(bytes_of({tdhk, {0, 1}, {2, 1, 3}, {2, 0, 3}}), 0);     // t d, h d k -> h t k
  EXPECT_EQ(bytes_of({tdhk, {0, 2, 3}, {2, 3, 1}, {0, 1}}), 0);     // t h k, h k d -> t d
  EXPECT_EQ(bytes_of({tdhk, {0, 2, 3}, {1, 2, 3}, {0, 1}}), 0);     // t h k, d h k -> t d
  EXPECT_EQ(bytes_of({tdhk, {2, 0, 3}, {2, 1, 3}, {2, 0, 1}}), 0);  // batched over h
  // h t k, h k d -> t d: no stride leads from head to head along a row, so rows are copied.
  EXPECT_EQ(bytes_of({tdhk, {2, 0, 3}, {2, 3, 1}, {0, 1}}), 64 * 256 * 4);
}

TEST(Contraction, PropagatesNaNAndInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (int64_t n : {1, 2, 17, 70}) {
      const Case what{{n, n, n}, {0, 2}, {2, 1}, {0, 1}};
      Block a(dtype, {n, n}), b(dtype, {n, n}), c(dtype, {n, n});
      a.fill([] { return 0; });
      b.fill([] { return 1; });
      c.fill([&] { return std::nan(""); });
      a.set({0, n - 1}, std::nan(""));
      b.set({0, n - 1}, inf);
      run(what, a, b, c);
      const auto want = reference(what, a, b);
      size_t i = 0;
      c.each([&](const auto& position) {
        EXPECT_TRUE(agree(c.at(position), want[i++].sum, 0)) << short_name(dtype) << n;
      });
    }
  }
}

TEST(Contraction, SumsOfInt32Wrap) {
  const Case what{{1, 1, 3}, {0, 2}, {2, 1}, {0, 1}};
  Block a(DType::i32, {1, 3}), b(DType::i32, {3, 1}), c(DType::i32, {1, 1}),
      wide(DType::i64, {1, 1});
  a.fill([] { return 0x40000000; });
  b.fill([] { return 2; });
  run(what, a, b, c);
  run(what, a, b, wide);
  EXPECT_EQ(wide.at({0, 0}), 6442450944.0);
  EXPECT_EQ(c.at({0, 0}), static_cast<int32_t>(6442450944 - 4294967296 - 4294967296));
}

// A copy of an operand rounds as the operand itself: what private sites and shared memory give.
TEST(Contraction, CopiesDoNotChangeTheBits) {
  Random random(9);
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {64, 48, 2100}, {513, 33, 700}, {600, 1100, 90}, {7, 5, 3000}}) {
    const Case what{{m, n, k}, {0, 2}, {2, 1}, {0, 1}};
    Block a(DType::f32, {m, k}), b(DType::f32, {k, n}), c(DType::f32, {m, n});
    Block gaps = Block(DType::f32, {m, 2 * k}), copied(DType::f32, {m, n});
    a.fill_normal(random);
    b.fill_normal(random);
    const std::vector<int64_t> strides = {2 * k, 2};
    const StridedView spread{gaps.view().data, DType::f32, a.shape(), strides};
    copy_elements(a.view(), spread);
    run(what, a, b, c);
    Scratch scratch(contraction_workspace_bytes(what.labels(), spread, b.view(), copied.view()));
    contract(what.labels(), spread, b.view(), copied.view(), Accumulate::overwrite,
             scratch.bytes());
    EXPECT_EQ(c.bits(), copied.bits()) << m << " " << n << " " << k;
  }
}

}  // namespace
}  // namespace einsummable::cpu
