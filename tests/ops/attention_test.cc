// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Operator> attention(int64_t heads_q, int64_t heads_kv, int64_t rows,
                                          int64_t keys, Attributes attributes = {}) {
  return operator_of("attention",
                     {f32({heads_q, rows, 2}), f32({heads_kv, keys, 2}), f32({heads_kv, keys, 3})},
                     std::move(attributes));
}

std::vector<Array64> random_inputs(const Operator& op, Random& random) {
  std::vector<Array64> inputs;
  for (const TensorType& type : op.inputs()) inputs.push_back(random_reals(random, type.shape()));
  return inputs;
}

// One cut of one index, the others whole.
JoinAggSpec cut(const Signature& signature, std::string_view index, Cuts cuts) {
  std::vector<Cuts> all;
  for (const Index& each : signature.indices) {
    all.push_back(each.name == index ? cuts : uncut(each));
  }
  return {std::make_shared<Signature>(signature), all};
}

// Positions that hold NaN, as text: "..N."
std::string nan_places(const Array64& a) {
  std::string places;
  for (double value : a.values()) places += std::isnan(value) ? 'N' : '.';
  return places;
}

TEST(Attention, SignaturesSayWhatMayBeCut) {
  const auto plain = attention(8, 2, 6, 6)->signatures();
  ASSERT_EQ(plain.size(), 3);
  EXPECT_EQ(text(plain[0]), "4h s* d*, h t* d*, h t* e* -> 4h s* e*");
  EXPECT_EQ(text(plain[1]), "4h q d*, h 6* d*, h 6* e* -> 4h q e*");
  EXPECT_EQ(text(plain[2]), "4h s* d*, h k d*, h k e* -> 4h s* e*");
  const auto packed = attention(8, 2, 6, 6, {{"ends", std::vector<int64_t>{2, 6}}})->signatures();
  EXPECT_EQ(text(packed[0]), "4h s d*, h s d*, h s e* -> 4h s e*");
  EXPECT_EQ(text(packed[1]), "4h q d*, h <q> d*, h <q> e* -> 4h q e*");
  const auto masked =
      operator_of("attention",
                  {f32({3, 4, 6, 2}), f32({3, 4, 5, 2}), f32({3, 4, 5, 2}), f32({4, 1, 5})},
                  {{"return_lse", true}})
          ->signatures();
  EXPECT_EQ(
      text(masked[0]),
      "batch0 h s* d*, batch0 h t* d*, batch0 h t* e*, h 1 t* -> batch0 h s* e*, batch0 h s*");
}

TEST(Attention, CausalQueryBlocksReadThePrefixTheySee) {
  const auto op = attention(1, 1, 4, 6, {{"causal", true}});
  EXPECT_EQ(text(cut(op->signatures()[1], "q", {0, 1, 4})),
            "cell 0  [0:1, 0:1, 0:2] [0:1, 0:3, 0:2] [0:1, 0:3, 0:3] -> [0:1, 0:1, 0:3]\n"
            "cell 1  [0:1, 1:4, 0:2] [0:1, 0:6, 0:2] [0:1, 0:6, 0:3] -> [0:1, 1:4, 0:3]\n"
            "output 0 merges 1\n");
}

TEST(Attention, PackedQueryBlocksReadFromTheStartOfTheirSequence) {
  const std::vector<int64_t> ends = {2, 5, 6};
  const auto causal = attention(1, 1, 6, 6, {{"ends", ends}, {"causal", true}});
  EXPECT_EQ(cut(causal->signatures()[1], "q", {0, 3, 4, 6}).cell(1).inputs[1][1], (Interval{2, 4}));
  const auto whole = attention(1, 1, 6, 6, {{"ends", ends}});
  EXPECT_EQ(cut(whole->signatures()[1], "q", {0, 3, 4, 6}).cell(1).inputs[1][1], (Interval{2, 5}));
}

TEST(Attention, QueryAndKeyCutsBalanceTheWorkNotTheRows) {
  const auto causal = [](int64_t rows, int64_t keys) {
    return attention(1, 1, rows, keys, {{"causal", true}});
  };
  const auto packed = [](bool is_causal) {
    return attention(1, 1, 400, 400,
                     {{"causal", is_causal}, {"ends", std::vector<int64_t>{100, 350, 400}}});
  };
  for (const auto& op : {causal(400, 400), causal(100, 400), causal(400, 100), packed(true),
                         packed(false), attention(1, 1, 400, 400)}) {
    for (const auto& [position, index] : {std::pair(1, "q"), std::pair(2, "k")}) {
      const Signature signature = op->signatures()[static_cast<size_t>(position)];
      const Index& cut_index = signature.indices[static_cast<size_t>(find_index(signature, index))];
      const JoinAggSpec spec = cut(signature, index, *near_equal(cut_index, 4));
      double total = 0;
      for (int64_t cell = 0; cell < 4; ++cell) total += op->flops(spec.cell(cell));
      for (int64_t cell = 0; cell < 4; ++cell) {
        EXPECT_NEAR(op->flops(spec.cell(cell)) / total, 0.25, 0.02)
            << text(op->attributes()) << " " << index;
      }
    }
  }
  const Signature query = causal(100, 100)->signatures()[1];
  EXPECT_EQ(near_equal(query.indices[static_cast<size_t>(find_index(query, "q"))], 2),
            (Cuts{0, 71, 100}));
}

TEST(Attention, KeyCutsMergeByLogSumExp) {
  const auto op = attention(2, 1, 3, 4, {{"return_lse", true}});
  const PartialType value = op->partial(0), lse = op->partial(1);
  EXPECT_EQ(value.merge, Merge::weighted_mean);
  ASSERT_EQ(value.components.size(), 2);
  EXPECT_EQ(value.components[1], (Component{"lse", DType::f32, {0, 1}}));
  EXPECT_EQ(lse.merge, Merge::log_sum_exp);
  EXPECT_EQ(op->outputs()[1], f32({2, 3}));
}

TEST(Attention, AccumulatesHalfPrecisionInSingle) {
  const TensorType half = tensor_type(DType::bf16, Shape{1, 2, 4});
  const auto op = operator_of("attention", {half, half, half}, {{"return_lse", true}});
  EXPECT_EQ(op->outputs()[0].dtype, DType::bf16);
  EXPECT_EQ(op->outputs()[1].dtype, DType::f32);
  EXPECT_EQ(op->partial(0).components[0].dtype, DType::f32);
}

TEST(Attention, ARowThatSeesNothingIsZero) {
  const auto op = attention(1, 1, 4, 2, {{"causal", true}, {"return_lse", true}});
  Random random(1);
  const auto out = whole_reference(*op, random_inputs(*op, random));
  for (int64_t row : {0, 1}) {
    EXPECT_EQ(out[1].at({0, row}), -kInfinity);
    for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(out[0].at({0, row, e}), 0);
  }
  EXPECT_TRUE(std::isfinite(out[1].at({0, 2})));

  const auto masked =
      operator_of("attention", {f32({1, 2, 2}), f32({1, 2, 2}), f32({1, 2, 3}), f32({2, 2})}, {});
  auto inputs = random_inputs(*masked, random);
  inputs[3] = array({2, 2}, {-kInfinity, -kInfinity, 0, -kInfinity});
  inputs[2].at({0, 1, 0}) = kNaN;
  const Array64 y = whole_reference(*masked, inputs)[0];
  for (int64_t e = 0; e < 3; ++e) {
    EXPECT_EQ(y.at({0, 0, e}), 0);
    EXPECT_EQ(y.at({0, 1, e}), inputs[2].at({0, 0, e}));
  }
}

TEST(Attention, WhatIsExcludedNeverContributesEvenIfNaN) {
  Random random(1);
  for (double poison : {kNaN, kInfinity, -kInfinity}) {
    for (size_t input : {1, 2}) {
      const auto causal = attention(1, 1, 2, 5, {{"causal", true}});
      auto inputs = random_inputs(*causal, random);
      for (int64_t d = 0; d < 2; ++d) inputs[input].at({0, 4, d}) = d == 0 ? poison : kNaN;
      const std::string places = nan_places(whole_reference(*causal, inputs)[0]);
      EXPECT_EQ(places.substr(0, 3), "...");
      EXPECT_NE(places.substr(3), "...");

      const auto packed = attention(1, 1, 5, 5, {{"ends", std::vector<int64_t>{2, 5}}});
      inputs = random_inputs(*packed, random);
      for (int64_t d = 0; d < 2; ++d) inputs[input].at({0, 1, d}) = d == 0 ? poison : kNaN;
      const auto whole = whole_reference(*packed, inputs);
      EXPECT_EQ(nan_places(whole[0]).substr(6), ".........");
      for (const Cuts& cuts : {Cuts{0, 1, 5}, Cuts{0, 2, 5}, Cuts{0, 1, 2, 3, 5}}) {
        const auto cut_keys = implemented(*packed, cut(packed->signatures()[2], "k", cuts), inputs);
        EXPECT_EQ(nan_places(cut_keys[0]), nan_places(whole[0]));
      }
    }
  }
}

// Softmax over an explicit list of allowed keys, written without regard for blocks.
double oracle(const std::vector<Array64>& in, int64_t head, int64_t row, int64_t e, double scale,
              int64_t group, const std::function<bool(int64_t)>& allowed) {
  double total = 0, value = 0;
  for (int64_t key = 0; key < in[1].extent(1); ++key) {
    if (!allowed(key)) continue;
    double dot = 0;
    for (int64_t d = 0; d < 2; ++d)
      dot += in[0].at({head, row, d}) * in[1].at({head / group, key, d});
    total += std::exp(scale * dot);
    value += std::exp(scale * dot) * in[2].at({head / group, key, e});
  }
  return total == 0 ? 0 : value / total;
}

TEST(Attention, MatchesSoftmaxOverTheAllowedKeys) {
  Random random(3);
  for (int round = 0; round < rounds(60, 600); ++round) {
    const int64_t group = 1 + random_below(random, 3), heads = 1 + random_below(random, 3);
    const bool causal = random() % 2, packed = random() % 2;
    const int64_t keys = 1 + random_below(random, 8);
    const int64_t rows = packed ? keys : 1 + random_below(random, 8);
    Attributes attributes = {{"causal", causal}};
    const int64_t end = 1 + random_below(random, keys);
    if (packed) {
      attributes.set("ends", end == keys ? std::vector{keys} : std::vector{end, keys});
    }
    const double scale = random() % 2 ? 0.7 : 1 / std::sqrt(2.0);
    if (scale == 0.7) attributes.set("scale", 0.7);
    const auto op = attention(heads * group, heads, rows, keys, attributes);
    const auto in = random_inputs(*op, random);
    const Array64 y = whole_reference(*op, in)[0];
    for_each_position(y.bounds(), [&](std::span<const int64_t> at) {
      const auto allowed = [&](int64_t key) {
        if (packed && (key < end) != (at[1] < end)) return false;
        return !causal || key - (keys - rows) <= at[1];
      };
      EXPECT_NEAR(y.at(at), oracle(in, at[0], at[1], at[2], scale, group, allowed), 1e-12);
    });
  }
}

TEST(Attention, SaysWhatWouldBeLegal) {
  const auto shapes = [](const Shape& q, const Shape& k, const Shape& v,
                         Attributes attributes = {}) {
    return refusal("attention", {f32(q), f32(k), f32(v)}, std::move(attributes));
  };
  EXPECT_EQ(shapes({4, 8}, {4, 8}, {4, 8}),
            "q, k and v need equally many axes, three or more: [..., heads, s, d]");
  EXPECT_EQ(shapes({2, 1, 4, 8}, {3, 1, 4, 8}, {3, 1, 4, 8}),
            "the axes before heads must agree in q, k and v");
  EXPECT_EQ(shapes({8, 4, 8}, {3, 4, 8}, {3, 4, 8}),
            "the heads of k and v (3) must divide the heads of q (8)");
  EXPECT_EQ(shapes({8, 4, 8}, {0, 4, 8}, {0, 4, 8}),
            "the heads of k and v (0) must divide the heads of q (8)");
  EXPECT_EQ(shapes({0, 4, 8}, {2, 4, 8}, {2, 4, 8}), "q must have heads, as k and v have 2");
  EXPECT_EQ(shapes({8, 4, 8}, {2, 4, 8}, {4, 4, 8}), "k and v must have equally many heads");
  EXPECT_EQ(shapes({2, 4, 8}, {2, 4, 7}, {2, 4, 8}),
            "the last extent of q (8) must equal that of k (7)");
  EXPECT_EQ(shapes({2, 4, 8}, {2, 4, 8}, {2, 5, 8}),
            "the next to last extent of k (4) must equal that of v (5)");
  EXPECT_EQ(shapes({2, 4, 8}, {2, 4, 8}, {2, 4, 8}, {{"scale", kInfinity}}),
            "scale must be finite");
  EXPECT_EQ(shapes({2, 4, 8}, {2, 5, 8}, {2, 5, 8}, {{"ends", std::vector<int64_t>{5}}}),
            "with ends, q and k must be equally long; they have 4 and 5 rows");
  for (const std::vector<int64_t>& ends :
       {std::vector<int64_t>{}, {0, 4}, {2, 2, 4}, {3}, {-1, 4}, {2, 5}}) {
    EXPECT_EQ(shapes({2, 4, 8}, {2, 4, 8}, {2, 4, 8}, {{"ends", ends}}),
              "ends must be positive and strictly rising, the last the length of q and k (4); they "
              "are " +
                  text(std::span(ends)));
  }
  EXPECT_EQ(refusal("attention", {f32({2, 4, 8}), f32({2, 5, 8}), f32({2, 5, 8}), f32({2, 5})}),
            "the shape of mask must broadcast to the scores, [2, 4, 5]");
}

TEST(Attention, TakesAMaskOfFloatsOnly) {
  const TensorType x = f32({2, 4, 8});
  const auto of_mask = [&](DType dtype) {
    return refusal("attention", {x, x, x, tensor_type(dtype, Shape{4, 4})});
  };
  EXPECT_EQ(of_mask(DType::boolean),
            "mask must be a float, as it is added to the scores; of a mask that says what is seen "
            "give where(mask, 0.0, -inf)");
  EXPECT_EQ(of_mask(DType::i64),
            "mask must be a float, as it is added to the scores; of a mask that says what is seen "
            "give where(mask != 0, 0.0, -inf)");
  const OperatorInfo& info = *find_operator("attention");
  const TensorType half = tensor_type(DType::f16, Shape{2, 4, 8});
  const auto met = [&](DType dtype) {
    return promoted_dtypes(info, std::vector{half, half, half, tensor_type(dtype, Shape{4, 4})});
  };
  EXPECT_EQ(met(DType::f64), std::vector<DType>(4, DType::f64));
  for (DType dtype : {DType::boolean, DType::i32}) {
    EXPECT_EQ(met(dtype), (std::vector<DType>{DType::f16, DType::f16, DType::f16, dtype}));
  }
}

}  // namespace
}  // namespace einsummable
