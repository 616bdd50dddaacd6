// SPDX-License-Identifier: Apache-2.0
// Pieces against the keys that every query sees, one by one.
#include "einsummable/executor/cuda/kernels/attention_pieces.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace einsummable::cuda {
namespace {

using Pairs = std::set<std::pair<int64_t, int64_t>>;  // a query and a key of a block

Pairs seen(const VisibleKeys& visible, Interval queries, Interval keys) {
  Pairs out;
  for (int64_t q = queries.lo; q < queries.hi; ++q) {
    const Interval of_row = visible.of_row(q);
    for (int64_t k = keys.lo; k < keys.hi; ++k) {
      if (of_row.lo <= k && k < of_row.hi) out.emplace(q - queries.lo, k - keys.lo);
    }
  }
  return out;
}

Pairs computed(const std::vector<AttentionPiece>& pieces) {
  Pairs out;
  for (const AttentionPiece& piece : pieces) {
    for (int64_t s = 0; s < piece.sequences; ++s) {
      for (int64_t i = 0; i < piece.queries; ++i) {
        const int64_t keys =
            piece.causal ? std::min(piece.keys, i + piece.keys - piece.queries + 1) : piece.keys;
        for (int64_t k = 0; k < keys; ++k) {
          const bool first = out.emplace(piece.first_query + s * piece.apart + i,
                                         piece.first_key + s * piece.apart + k)
                                 .second;
          EXPECT_TRUE(first) << "a query that two pieces have";
        }
      }
    }
  }
  return out;
}

bool each_sees_one(const Pairs& pairs, int64_t queries) {
  std::set<int64_t> with;
  for (const auto& [query, key] : pairs) with.insert(query);
  return std::ssize(with) == queries;
}

TEST(AttentionPieces, AreWhatQueriesSee) {
  std::mt19937_64 random(4);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int64_t served = 0;
  for (int round = 0; round < 4000; ++round) {
    VisibleKeys visible{.causal = random() % 2 == 0};
    if (random() % 2) {
      const int64_t length = 1 + below(4);
      for (int64_t s = 1 + below(5); s > 0; --s) {
        const int64_t last = visible.ends.empty() ? 0 : visible.ends.back();
        visible.ends.push_back(last + (random() % 4 ? length : 1 + below(4)));
      }
      visible.rows = visible.keys = visible.ends.back();
    } else {
      visible.rows = 1 + below(9);
      visible.keys = 1 + below(9);
    }
    Interval queries = {below(visible.rows), 0}, keys = {below(visible.keys), 0};
    if (random() % 2) queries.lo = keys.lo = 0;
    queries.hi = queries.lo + 1 + below(visible.rows - queries.lo);
    keys.hi = random() % 2 ? visible.keys : keys.lo + 1 + below(visible.keys - keys.lo);
    const Pairs wanted = seen(visible, queries, keys);
    const auto pieces = pieces_of(visible, queries, keys);
    ASSERT_EQ(pieces.has_value(), each_sees_one(wanted, queries.length())) << round;
    if (!pieces) continue;
    ++served;
    ASSERT_EQ(computed(*pieces), wanted) << round;
  }
  EXPECT_GT(served, 1000);
}

TEST(AttentionPieces, OfEquallyLongSequencesAreOne) {
  const VisibleKeys visible{.ends = {4, 8, 12, 14}, .causal = true, .rows = 14, .keys = 14};
  const auto pieces = pieces_of(visible, {0, 14}, {0, 14});
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 2u);
  EXPECT_EQ(pieces->at(0), (AttentionPiece{0, 4, 0, 4, true, 3, 4}));
  EXPECT_EQ(pieces->at(1), (AttentionPiece{12, 2, 12, 2, true}));
}

}  // namespace
}  // namespace einsummable::cuda
