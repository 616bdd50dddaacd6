// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/convert.h"

#include <bit>

#include "tests/executor/cpu/kernels/blocks.h"

namespace einsummable::cpu {
namespace {

TEST(Convert, WidensEveryHalfAsTheScalarDoes) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  for (DType dtype : {DType::f16, DType::bf16}) {
    std::vector<float> wide(halves.size());
    load_row(dtype, reinterpret_cast<const std::byte*>(halves.data()), 1, 65536, wide.data());
    for (size_t i = 0; i < halves.size(); ++i) {
      const float want = dtype == DType::f16 ? from_float16(halves[i]) : from_bfloat16(halves[i]);
      EXPECT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(want)) << i;
    }
  }
}

TEST(Convert, NarrowsAsTheScalarDoes) {
  Random random(1);
  std::vector<float> wide;
  for (uint32_t half = 0; half < 65536; ++half) {  // every half, its neighbours and the midpoints
    for (float x :
         {from_float16(static_cast<uint16_t>(half)), from_bfloat16(static_cast<uint16_t>(half))}) {
      const auto bits = std::bit_cast<uint32_t>(x);
      for (uint32_t near : {bits - 1, bits, bits + 1, bits + 0x1000, bits + 0xfff, bits + 0x1001,
                            bits + 0x8000, bits + 0x7fff}) {
        wide.push_back(std::bit_cast<float>(near));
      }
    }
  }
  for (int i = 0; i < 100000; ++i) {
    wide.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
  const auto n = static_cast<int64_t>(wide.size());
  for (DType dtype : {DType::f16, DType::bf16}) {
    std::vector<uint16_t> halves(wide.size());
    store_row(wide.data(), n, dtype, reinterpret_cast<std::byte*>(halves.data()), 1);
    int64_t wrong = 0;
    for (size_t i = 0; i < wide.size(); ++i) {
      wrong += halves[i] != (dtype == DType::f16 ? to_float16(wide[i]) : to_bfloat16(wide[i]));
    }
    EXPECT_EQ(wrong, 0) << short_name(dtype);
  }
}

TEST(Convert, ReadsAndWritesAnyStrideAndTail) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    for (DType dtype : kAllDTypes) {
      const int64_t n = pick(random, 0, 70);
      Block from = Block::scattered(dtype, {n}, random), to = Block::scattered(dtype, {n}, random);
      from.fill_integers(random, dtype == DType::boolean ? 0 : -40,
                         dtype == DType::boolean ? 1 : 40);
      std::vector<float> row(static_cast<size_t>(n));
      load_row(dtype, from.view().data, from.strides()[0], n, row.data());
      store_row(row.data(), n, dtype, to.view().data, to.strides()[0]);
      EXPECT_EQ(from.bits(), to.bits());
      EXPECT_TRUE(to.gaps_untouched());
    }
  }
}

}  // namespace
}  // namespace einsummable::cpu
