// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/gemm.h"

#include <thread>

#include "einsummable/executor/cpu/kernels/blas.h"
#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

void run(Block& a, Block& b, Block& c) {
  Scratch scratch(gemm_workspace_bytes(a.view(), b.view(), c.view()));
  gemm(a.view(), b.view(), c.view(), Accumulate::overwrite, scratch.bytes());
}

TEST(Gemm, MultipliesBatchesOfAnyStrides) {
  use_one_blas_thread();
  for (int seed = 0; seed < rounds(60, 600); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const DType dtype = kAllDTypes[seed % 6];
    const int64_t batch = pick(random, 1, 3), m = pick(random, 0, 20), n = pick(random, 0, 20),
                  k = pick(random, 0, 20);
    Block a = Block::any(dtype, {batch, m, k}, random),
          b = Block::any(dtype, {batch, k, n}, random),
          c = Block::scattered(dtype, {batch, m, n}, random);
    a.fill_integers(random, -4, 4);
    b.fill_integers(random, -4, 4);
    run(a, b, c);
    c.each([&](const auto& p) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a.at({p[0], p[1], l}) * b.at({p[0], l, p[2]});
      EXPECT_EQ(c.at(p), sum) << "seed " << seed;
    });
    EXPECT_TRUE(c.gaps_untouched());
  }
}

TEST(Gemm, SumsOfFloat16BeyondItsRangeAreRoundedOnce) {
  use_one_blas_thread();
  Block a(DType::f16, {1, 4096}), b(DType::f16, {4096, 1}), c(DType::f16, {1, 1}),
      partial(DType::f32, {1, 1});
  a.fill([] { return 1; });
  b.fill([] { return 1; });
  run(a, b, c);
  EXPECT_EQ(c.at({0, 0}), 4096);
  b.fill([] { return 64; });
  run(a, b, partial);
  EXPECT_EQ(partial.at({0, 0}), 262144);
}

TEST(Gemm, CallsFromManyThreadsGiveTheSameBits) {
  use_one_blas_thread();
  Random random(3);
  Block a(DType::f32, {90, 200}), b(DType::f32, {200, 130}), c(DType::f32, {90, 130});
  a.fill_normal(random);
  b.fill_normal(random);
  run(a, b, c);
  std::vector<Block> results(4, c);
  std::vector<std::thread> threads;
  for (Block& result : results) {
    result.fill([] { return 0; });
    threads.emplace_back([&a, &b, &result] {
      for (int i = 0; i < 20; ++i) run(a, b, result);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Block& result : results) EXPECT_EQ(result.bits(), c.bits());
}

}  // namespace
}  // namespace einsummable::cpu
