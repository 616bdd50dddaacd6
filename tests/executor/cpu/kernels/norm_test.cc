// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/norm.h"

#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

struct Operands {
  Block x, weight, bias, y;
  bool has_weight = true, has_bias = true;
};

void run(NormKind kind, double eps, Operands& o) {
  NormBlocks blocks{o.x.view(), {}, {}, o.y.view()};
  if (o.has_weight) blocks.weight.emplace(o.weight.view());
  if (o.has_bias) blocks.bias.emplace(o.bias.view());
  Scratch scratch(norm_workspace_bytes(blocks));
  norm(kind, eps, blocks, scratch.bytes());
}

void check(NormKind kind, double eps, const Operands& o, const std::string& what) {
  // Sums are in double; what is lost is the rounding of the result.
  const double unit = o.x.dtype() == DType::f64 ? 64 * 0x1p-53 : 0x1p-24;
  const int64_t n = o.x.shape().back();
  int64_t wrong = 0;
  o.y.each([&](const std::vector<int64_t>& position) {
    std::vector<int64_t> at = position;
    double mean = 0, squares = 0, largest = 0;
    for (at.back() = 0; at.back() < n && kind == NormKind::layer; ++at.back()) {
      mean += o.x.at(at) / static_cast<double>(n);
    }
    for (at.back() = 0; at.back() < n; ++at.back()) {
      squares += std::pow(o.x.at(at) - mean, 2);
      largest = std::max(largest, std::abs(o.x.at(at)));
    }
    const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
    const double unit_row = (o.x.at(position) - mean) * factor;
    const double scaled = unit_row * (o.has_weight ? o.weight.at({position.back()}) : 1);
    // The mean itself is rounded: all there is to see of a row of equal elements.
    const double of_mean = 0x1p-53 * static_cast<double>(n + 8) * largest * factor *
                           (o.has_weight ? std::abs(o.weight.at({position.back()})) : 1);
    const double shift = o.has_bias ? o.bias.at({position.back()}) : 0;
    const double bound = 2 * unit * (std::abs(scaled) + std::abs(shift)) + least(o.y.dtype()) +
                         of_mean + roundoff(o.y.dtype()) * std::abs(scaled + shift);
    wrong += !agree(o.y.at(position), scaled + shift, bound);
  });
  EXPECT_EQ(wrong, 0) << what;
  EXPECT_TRUE(o.y.gaps_untouched()) << what;
}

TEST(Norm, AgreesWithFloat64OnAnyStrideAndDType) {
  for (int seed = 0; seed < rounds(300, 10000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Shape shape;
    for (int64_t i = pick(random, 0, 2); i > 0; --i) shape.push_back(pick(random, 1, 6));
    shape.push_back(pick(random, random() % 20 == 0 ? 0 : 1, 90));
    const DType dtype = kAllDTypes[random() % 4];
    const Shape row = {shape.back()};
    Operands o{Block::any(dtype, shape, random),
               Block::any(random() % 2 == 0 ? dtype : DType::f32, row, random),
               Block::any(dtype, row, random),
               Block::scattered(dtype, shape, random),
               random() % 4 != 0,
               random() % 2 == 0};
    o.x.fill_normal(random);
    o.weight.fill_normal(random);
    o.bias.fill_normal(random);
    for (const NormKind kind : {NormKind::rms, NormKind::layer}) {
      const double eps = random() % 2 == 0 ? 1e-5 : 1e-12;
      run(kind, eps, o);
      check(kind, eps, o, "seed " + std::to_string(seed));
    }
  }
}

TEST(Norm, SmallSpreadAroundALargeMeanAndHugeValuesAreExact) {
  for (const double scale : {1.0, 1e-30, 1e30}) {
    Operands o{Block(DType::f32, {1, 100}),
               Block(DType::f32, {100}),
               Block(DType::f32, {100}),
               Block(DType::f32, {1, 100}),
               false,
               false};
    int64_t i = 0;
    o.x.fill([&] { return scale * (16384 + 0.01 * static_cast<double>(i++ % 7)); });
    for (const NormKind kind : {NormKind::rms, NormKind::layer}) {
      run(kind, 0, o);
      check(kind, 0, o, std::to_string(scale));
    }
  }
}

TEST(Norm, SpecialValuesStayInTheirRow) {
  for (const double special : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Operands o{Block(DType::f32, {3, 37}),
               Block(DType::f32, {37}),
               Block(DType::f32, {37}),
               Block(DType::f32, {3, 37}),
               false,
               false};
    Random random(1);
    o.x.fill_normal(random);
    o.x.set({1, 20}, special);
    run(NormKind::layer, 1e-5, o);
    for (int64_t j = 0; j < 37; ++j) {
      EXPECT_TRUE(std::isfinite(o.y.at({0, j})) && std::isfinite(o.y.at({2, j})));
      EXPECT_TRUE(std::isnan(o.y.at({1, j})));
    }
  }
}

TEST(Norm, MayWriteWhereItReads) {
  Random random(8);
  Block x(DType::f32, {5, 33}), y(DType::f32, {5, 33});
  x.fill_normal(random);
  const auto apply = [&](Block& from, Block& to) {
    const NormBlocks blocks{from.view(), {}, {}, to.view()};
    Scratch scratch(norm_workspace_bytes(blocks));
    norm(NormKind::layer, 1e-6, blocks, scratch.bytes());
  };
  apply(x, y);
  apply(x, x);
  EXPECT_EQ(x.bits(), y.bits());
}

}  // namespace
}  // namespace einsummable::cpu
