// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/row_sums.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/rounds.h"

namespace einsummable {
namespace {

using Random = std::mt19937_64;
using Costs = std::vector<Cost>;

Cost random_cost(Random& random) {
  const auto draw = [&] { return static_cast<int64_t>(random() % 50); };
  return {draw(), draw(), draw()};
}

// Sums of random terms, over storage as large as any of them needs.
struct Sums {
  Costs storage, more;
  RowSums rows{1};
};

Sums random_sums(Random& random) {
  Sums out;
  out.rows = RowSums(1 + static_cast<int64_t>(random() % 4));
  const size_t others = random() % 4;
  for (size_t i = 0; i < others; ++i) {
    out.rows.extents.push_back(1 + static_cast<int64_t>(random() % 3));
  }
  for (int i = 0; i < 200; ++i) out.storage.push_back(random_cost(random));
  for (int64_t s = 0; s < out.rows.own; ++s) out.more.push_back(random_cost(random));
  for (size_t t = random() % 4; t > 0; --t) {
    RowSums::Term term{nullptr, static_cast<int64_t>(random() % 20), PerAxis(others, 0)};
    for (int64_t& stride : term.strides) stride = static_cast<int64_t>(random() % 20);
    out.rows.terms.push_back(std::move(term));
  }
  return out;
}

// The rows, one by one.
std::vector<Costs> listed(const Sums& sums) {
  std::vector<Costs> out;
  const auto list = [&](const auto& self, PerAxis at) -> void {
    if (at.size() < sums.rows.extents.size()) {
      at.push_back(0);
      for (; at.back() < sums.rows.extents[at.size() - 1]; ++at.back()) self(self, at);
      return;
    }
    Costs row = sums.more;
    for (const RowSums::Term& term : sums.rows.terms) {
      int64_t offset = 0;
      for (size_t i = 0; i < at.size(); ++i) offset += at[i] * term.strides[i];
      for (size_t s = 0; s < row.size(); ++s) {
        row[s] += term.base[offset + static_cast<int64_t>(s) * term.own_stride];
      }
    }
    out.push_back(std::move(row));
  };
  list(list, {});
  return out;
}

TEST(RowSums, EqualTheirRowsListed) {
  Random random(1);
  for (int round = 0; round < rounds(1000, 10000); ++round) {
    Sums sums = random_sums(random);
    for (RowSums::Term& term : sums.rows.terms) term.base = sums.storage.data();
    Costs minima, lowest;
    for (const Costs& row : listed(sums)) {
      minima.push_back(*std::ranges::min_element(row));
      if (lowest.empty()) lowest = row;
      for (size_t s = 0; s < row.size(); ++s) lowest[s] = std::min(lowest[s], row[s]);
    }
    EXPECT_EQ(sums.rows.minima(sums.more), minima);
    EXPECT_EQ(sums.rows.lowest(sums.more), lowest);
  }
}

}  // namespace
}  // namespace einsummable
