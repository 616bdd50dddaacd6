// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/attention.h"

#include "einsummable/executor/cpu/kernels/blas.h"
#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  int64_t batch = 1, heads = 1, group = 1, queries = 1, keys = 1, depth = 1, width = 1;
  AttentionOptions options = {};
  std::vector<int64_t> ends = {};
  DType dtype = DType::f32;
};

struct Tensors {
  Block q, k, v, value, lse, mask;
  bool masked;
};

Tensors tensors(const Problem& p, Random& random, bool masked) {
  const auto make = [&](DType dtype, Shape shape) {
    return Block::scattered(dtype, shape, random);
  };
  const int64_t heads_q = p.heads * p.group;
  Shape mask_shape = {p.batch, heads_q, p.queries, p.keys};
  for (int64_t& extent : mask_shape) extent = pick(random, 0, 2) == 0 ? 1 : extent;
  const DType mask_dtype = std::vector{DType::f32, DType::f16, DType::f64}[random() % 3];
  Tensors t{make(p.dtype, {p.batch, heads_q, p.queries, p.depth}),
            make(p.dtype, {p.batch, p.heads, p.keys, p.depth}),
            make(p.dtype, {p.batch, p.heads, p.keys, p.width}),
            make(p.dtype, {p.batch, heads_q, p.queries, p.width}),
            make(accumulation(p.dtype), {p.batch, heads_q, p.queries}),
            make(mask_dtype, mask_shape),
            masked};
  t.q.fill_normal(random);
  t.k.fill_normal(random);
  t.v.fill_normal(random);
  t.mask.fill([&] { return pick(random, 0, 3) == 0 ? -kInfinity : pick(random, -2, 2); });
  t.value.fill([] { return 77; });
  return t;
}

void run(const Problem& p, Tensors& t) {
  use_one_blas_thread();
  AttentionOptions options = p.options;
  options.ends = p.ends;
  AttentionBlocks blocks{t.q.view(), t.k.view(), t.v.view(), t.value.view(), t.lse.view(), {}};
  if (t.masked) blocks.mask.emplace(t.mask.view());
  Scratch scratch(attention_workspace_bytes(blocks, options));
  attention(blocks, options, scratch.bytes());
}

bool sees(const Problem& p, int64_t query, int64_t key) {
  const int64_t i = p.options.query_begin + query, j = p.options.key_begin + key;
  if (p.options.causal == Causal::yes && j > i + p.options.key_length - p.options.query_length) {
    return false;
  }
  const auto segment = [&](int64_t x) { return std::ranges::upper_bound(p.ends, x); };
  return p.ends.empty() || segment(i) == segment(j);
}

struct Expected {
  double lse = -kInfinity, lse_bound = 0;
  std::vector<double> value, bound;
};

// One row of the attention in double, and how far from it arithmetic in float may end.
Expected reference(const Problem& p, const Tensors& t, int64_t b, int64_t head, int64_t i) {
  const double unit = roundoff(p.dtype == DType::f64 ? DType::f64 : DType::f32);
  std::vector<double> scores;
  std::vector<int64_t> seen;
  double error = 0, largest = -kInfinity;
  for (int64_t j = 0; j < p.keys; ++j) {
    if (!sees(p, i, j)) continue;
    double score = 0, magnitude = 0;
    for (int64_t l = 0; l < p.depth; ++l) {
      const double term =
          t.q.at({b, head, i, l}) * t.k.at({b, head / p.group, j, l}) * p.options.scale;
      score += term;
      magnitude += std::abs(term);
    }
    if (t.masked) {
      const auto& shape = t.mask.shape();
      score += t.mask.at({shape[0] == 1 ? 0 : b, shape[1] == 1 ? 0 : head, shape[2] == 1 ? 0 : i,
                          shape[3] == 1 ? 0 : j});
    }
    if (std::isfinite(score)) {
      error = std::max(error,
                       unit * (static_cast<double>(p.depth + 3) * magnitude + 2 * std::abs(score)));
    }
    if (score == -kInfinity) continue;  // left out like a key that is not seen
    scores.push_back(score);
    seen.push_back(j);
    largest = std::isnan(score) || std::isnan(largest) ? std::nan("") : std::max(largest, score);
  }
  Expected e;
  e.value.assign(static_cast<size_t>(p.width), 0);
  e.bound = e.value;
  if (largest == -kInfinity) return e;
  double sum = 0;
  for (double score : scores) sum += std::exp(score - largest);
  error = 3 * error + unit * static_cast<double>(seen.size() + 16);
  e.lse = largest + std::log(sum);
  e.lse_bound = error + 2 * unit * std::abs(e.lse);
  for (int64_t c = 0; c < p.width; ++c) {
    double value = 0, magnitude = 0;
    for (size_t j = 0; j < seen.size(); ++j) {
      const double v = t.v.at({b, head / p.group, seen[j], c});
      value += std::exp(scores[j] - largest) / sum * v;
      magnitude += std::exp(scores[j] - largest) / sum * std::abs(v);
    }
    e.value[static_cast<size_t>(c)] = value;
    e.bound[static_cast<size_t>(c)] =
        roundoff(p.dtype) * std::abs(value) + error * magnitude + least(p.dtype);
  }
  return e;
}

void check(const Problem& p, const Tensors& t, const std::string& what) {
  int64_t wrong = 0;
  t.lse.each([&](const std::vector<int64_t>& at) {
    const Expected e = reference(p, t, at[0], at[1], at[2]);
    wrong += !agree(t.lse.at(at), e.lse, e.lse_bound);
    for (int64_t c = 0; c < p.width; ++c) {
      const auto i = static_cast<size_t>(c);
      wrong += !agree(t.value.at({at[0], at[1], at[2], c}), e.value[i], e.bound[i]);
    }
  });
  EXPECT_EQ(wrong, 0) << what;
  EXPECT_TRUE(t.value.gaps_untouched() && t.lse.gaps_untouched()) << what;
}

// A block of a random attention: whole sequences of random lengths, cut along queries and keys.
Problem random_problem(Random& random) {
  Problem p;
  p.dtype = kAllDTypes[random() % 4];
  p.batch = pick(random, 1, 2);
  p.heads = pick(random, 1, 3);
  p.group = pick(random, 1, 4);
  p.depth = pick(random, 1, 20);
  p.width = pick(random, 1, 20);
  p.options.scale = 1 / std::sqrt(static_cast<double>(p.depth));
  AttentionOptions& o = p.options;
  o.causal = random() % 2 == 0 ? Causal::yes : Causal::no;
  o.query_length = pick(random, 1, 40);
  o.key_length = pick(random, 1, 40);
  if (random() % 3 == 0) {
    o.key_length = o.query_length;
    for (int64_t end = 0; end < o.query_length;) {
      end = std::min(o.query_length, end + pick(random, 1, 15));
      p.ends.push_back(end);
    }
  }
  o.query_begin = random() % 2 == 0 ? 0 : pick(random, 0, o.query_length - 1);
  o.key_begin = random() % 2 == 0 ? 0 : pick(random, 0, o.key_length - 1);
  p.queries = pick(random, random() % 9 == 0 ? 0 : 1, o.query_length - o.query_begin);
  p.keys = pick(random, random() % 9 == 0 ? 0 : 1, o.key_length - o.key_begin);
  return p;
}

TEST(Attention, AgreesWithFloat64OnRandomBlocks) {
  for (int seed = 0; seed < rounds(300, 10000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Problem p = random_problem(random);
    Tensors t = tensors(p, random, random() % 2 == 0);
    run(p, t);
    check(p, t, "seed " + std::to_string(seed));
  }
}

TEST(Attention, AgreesWithFloat64BeyondATile) {
  Random random(1);
  for (const DType dtype : {DType::f32, DType::f16, DType::f64}) {
    for (const Causal causal : {Causal::no, Causal::yes}) {
      Problem p{.batch = 1,
                .heads = 2,
                .group = 3,
                .queries = 190,
                .keys = 610,
                .depth = 8,
                .width = 5,
                .options = {},
                .ends = {},
                .dtype = dtype};
      p.options.scale = 0.4;
      p.options.causal = causal;
      p.options.query_begin = 17;
      p.options.query_length = 230;
      p.options.key_begin = 3;
      p.options.key_length = 640;
      Tensors t = tensors(p, random, false);
      run(p, t);
      check(p, t, std::string(short_name(dtype)));
    }
  }
}

// Keys and values that no query sees may hold anything; those that some see change only these.
TEST(Attention, WhatIsExcludedNeverContributes) {
  for (int seed = 0; seed < rounds(200, 5000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Problem p = random_problem(random);
    if (p.keys == 0 || p.queries == 0) continue;
    Tensors t = tensors(p, random, random() % 2 == 0);
    run(p, t);
    const Tensors clean = t;
    const int64_t key = pick(random, 0, p.keys - 1), batch = pick(random, 0, p.batch - 1),
                  head = pick(random, 0, p.heads - 1);
    const double bad = std::vector{std::nan(""), kInfinity, -kInfinity}[random() % 3];
    const bool in_key = random() % 2 == 0;
    const int64_t element = pick(random, 0, (in_key ? p.depth : p.width) - 1);
    (in_key ? t.k : t.v).set({batch, head, key, element}, bad);
    run(p, t);
    check(p, t, "seed " + std::to_string(seed));
    t.value.each([&](const std::vector<int64_t>& at) {
      const bool read = at[0] == batch && at[1] / p.group == head && sees(p, at[2], key);
      if (!read || (!in_key && at[3] != element)) {
        EXPECT_EQ(t.value.at(at), clean.value.at(at)) << "seed " << seed;
      } else if (!t.masked && !in_key) {
        EXPECT_FALSE(std::isfinite(t.value.at(at))) << "seed " << seed;
      } else if (!t.masked && std::isnan(bad)) {
        EXPECT_TRUE(std::isnan(t.value.at(at))) << "seed " << seed;
      }
    });
  }
}

TEST(Attention, ARowThatSeesNothingGivesZero) {
  Random random(4);
  Problem p{.batch = 1, .heads = 1, .group = 2, .queries = 5, .keys = 2, .depth = 3, .width = 3};
  p.options.causal = Causal::yes;  // query i of 5 sees keys up to i - 3
  p.options.query_length = 5;
  p.options.key_length = 2;
  Tensors t = tensors(p, random, false);
  run(p, t);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(t.value.at({0, 1, i, 2}), 0);
    EXPECT_EQ(t.lse.at({0, 1, i}), -kInfinity);
  }
  EXPECT_TRUE(std::isfinite(t.lse.at({0, 1, 3})));
  t.masked = true;
  t.mask = Block(DType::f32, {1, 1, 1, 2});
  t.mask.fill([] { return -kInfinity; });
  t.v.fill([] { return std::nan(""); });
  run(p, t);
  t.value.each([&](const auto& at) { EXPECT_EQ(t.value.at(at), 0); });
  t.lse.each([&](const auto& at) { EXPECT_EQ(t.lse.at(at), -kInfinity); });
}

// Blocks of keys, weighted by exp(lse), are the attention over all keys.
TEST(Attention, PartialResultsOfKeyCutsMerge) {
  Random random(6);
  Problem p{.batch = 1, .heads = 2, .group = 1, .queries = 30, .keys = 33, .depth = 4, .width = 4};
  p.options.causal = Causal::yes;
  p.options.query_length = 30;
  p.options.key_length = 33;
  p.options.scale = 0.5;
  Tensors t = tensors(p, random, false);
  run(p, t);
  std::vector<Tensors> parts;
  for (int64_t cut = 0; cut < 3; ++cut) {
    Problem part = p;
    part.options.key_begin = 11 * cut;
    part.keys = 11;
    Tensors s = tensors(part, random, false);
    s.q = t.q;
    s.k.each([&](const auto& at) {
      s.k.set(at, t.k.at({at[0], at[1], at[2] + 11 * cut, at[3]}));
      s.v.set(at, t.v.at({at[0], at[1], at[2] + 11 * cut, at[3]}));
    });
    run(part, s);
    parts.push_back(s);
  }
  t.value.each([&](const auto& at) {
    double sum = 0, value = 0;
    for (const Tensors& s : parts) {
      const double weight = std::exp(s.lse.at({at[0], at[1], at[2]}));
      sum += weight;
      value += weight * s.value.at(at);
    }
    EXPECT_NEAR(t.value.at(at), value / sum, 1e-5);
    EXPECT_NEAR(t.lse.at({at[0], at[1], at[2]}), std::log(sum), 1e-5);
  });
}

}  // namespace
}  // namespace einsummable::cpu
