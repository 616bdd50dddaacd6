// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/linear_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "einsummable/base/error.h"
#include "tests/support/rounds.h"

namespace einsummable::exchange {
namespace {

using Outcome = LinearProgram::Outcome;
constexpr double infinity = LinearProgram::infinity;

// A linear program written out: lower <= a x <= upper, and the same of each x.
struct Dense {
  struct Line {
    std::vector<double> a;
    double lower = 0;
    double upper = 0;
  };
  std::vector<double> cost;
  std::vector<Line> rows;
  std::vector<Line> boxes;  // of each x: a unit vector

  bool allows(const std::vector<double>& x) const {
    for (const auto* lines : {&rows, &boxes}) {
      for (const Line& line : *lines) {
        double sum = 0;
        for (size_t i = 0; i < x.size(); ++i) sum += line.a[i] * x[i];
        if (sum < line.lower - 1e-7 || sum > line.upper + 1e-7) return false;
      }
    }
    return true;
  }
};

// The x with a x = b, if there is one alone.
std::optional<std::vector<double>> solve_square(std::vector<std::vector<double>> a,
                                                std::vector<double> b) {
  const size_t n = b.size();
  for (size_t k = 0; k < n; ++k) {
    size_t best = k;
    for (size_t i = k; i < n; ++i) best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
    if (std::abs(a[best][k]) < 1e-9) return std::nullopt;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = 0; k < n; ++k) b[k] /= a[k][k];
  return b;
}

// The least cost over all vertices, where every x has two finite bounds; none: nothing is allowed.
std::optional<double> least_vertex(const Dense& dense) {
  std::vector<std::pair<const Dense::Line*, double>> planes;
  for (const auto* lines : {&dense.rows, &dense.boxes}) {
    for (const Dense::Line& line : *lines) {
      if (std::isfinite(line.lower)) planes.emplace_back(&line, line.lower);
      if (std::isfinite(line.upper)) planes.emplace_back(&line, line.upper);
    }
  }
  const size_t n = dense.cost.size();
  std::optional<double> least;
  std::vector<size_t> chosen;
  const auto visit = [&](const auto& self, size_t from) -> void {
    if (chosen.size() < n) {
      for (size_t i = from; i < planes.size(); ++i) {
        chosen.push_back(i);
        self(self, i + 1);
        chosen.pop_back();
      }
      return;
    }
    std::vector<std::vector<double>> a;
    std::vector<double> b;
    for (size_t i : chosen) {
      a.push_back(planes[i].first->a);
      b.push_back(planes[i].second);
    }
    const auto x = solve_square(a, b);
    if (!x || !dense.allows(*x)) return;
    double cost = 0;
    for (size_t i = 0; i < n; ++i) cost += dense.cost[i] * (*x)[i];
    if (!least || cost < *least) least = cost;
  };
  visit(visit, 0);
  return least;
}

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  void add_column() {
    const size_t column = dense.cost.size();
    dense.cost.push_back(number(-4, 4));
    for (Dense::Line& row : dense.rows) row.a.push_back(number(-2, 3));
    for (Dense::Line& box : dense.boxes) box.a.push_back(0);
    const int lower = number(-2, 1);
    dense.boxes.push_back(
        {std::vector<double>(column + 1, 0), 1.0 * lower, 1.0 * (lower + number(0, 4))});
    dense.boxes.back().a[column] = 1;
    std::vector<LinearProgram::Entry> entries;
    for (size_t row = 0; row < dense.rows.size(); ++row) {
      entries.push_back({static_cast<int32_t>(row), dense.rows[row].a[column]});
    }
    EXPECT_EQ(program.add_column(dense.cost.back(), entries, dense.boxes.back().lower,
                                 dense.boxes.back().upper),
              static_cast<int32_t>(column));
  }

  void add_row() {
    Dense::Line line = bounds();
    std::vector<LinearProgram::Term> terms;
    for (size_t column = 0; column < dense.cost.size(); ++column) {
      line.a.push_back(number(-2, 3));
      terms.push_back({static_cast<int32_t>(column), line.a.back()});
    }
    EXPECT_EQ(program.add_row(line.lower, line.upper, terms),
              static_cast<int32_t>(dense.rows.size()));
    dense.rows.push_back(line);
  }

  void change() {
    const int what = number(0, 4);
    const int32_t column = number(0, static_cast<int>(dense.cost.size()) - 1);
    if (what == 0 && dense.cost.size() < 4) {
      add_column();
    } else if (what == 1 && dense.rows.size() < 4) {
      add_row();
    } else if (what == 2) {
      dense.cost[static_cast<size_t>(column)] = number(-4, 4);
      program.set_cost(column, dense.cost[static_cast<size_t>(column)]);
    } else if (what == 3 && !dense.rows.empty()) {
      const int32_t row = number(0, static_cast<int>(dense.rows.size()) - 1);
      Dense::Line& line = dense.rows[static_cast<size_t>(row)];
      const Dense::Line wanted = bounds();
      line.lower = wanted.lower;
      line.upper = wanted.upper;
      program.set_row_bounds(row, line.lower, line.upper);
    } else {
      Dense::Line& box = dense.boxes[static_cast<size_t>(column)];
      box.lower = number(-2, 1);
      box.upper = box.lower + number(0, 4);
      program.set_column_bounds(column, box.lower, box.upper);
    }
  }

  Dense dense;
  LinearProgram program;

 private:
  Dense::Line bounds() {
    const int lower = number(-6, 4);
    const int kind = number(0, 3);
    return {{},
            kind == 0 ? -infinity : 1.0 * lower,
            kind == 1 ? infinity : 1.0 * (lower + (kind == 2 ? 0 : number(0, 6)))};
  }

  std::mt19937_64 random_;
};

TEST(LinearProgramTest, TheExampleOfTheHeader) {
  LinearProgram program;
  const int32_t row = program.add_row(3, infinity);
  program.add_column(1, {{row, 1}}, 0, 1);
  program.add_column(2, {{row, 1}});
  ASSERT_EQ(program.solve(), Outcome::optimal);
  EXPECT_NEAR(program.objective(), 5, 1e-9);
  EXPECT_NEAR(program.value(0), 1, 1e-9);
  EXPECT_NEAR(program.value(1), 2, 1e-9);
  EXPECT_NEAR(program.price(row), 2, 1e-9);
}

TEST(LinearProgramTest, SaysInfeasibleAndUnbounded) {
  LinearProgram program;
  const int32_t row = program.add_row(3, infinity);
  program.add_column(-1, {{row, 1}}, 0, 1);
  EXPECT_EQ(program.solve(), Outcome::infeasible);
  program.add_column(-1, {{row, 1}});
  EXPECT_EQ(program.solve(), Outcome::unbounded);
  program.set_column_bounds(1, 0, 7);
  ASSERT_EQ(program.solve(), Outcome::optimal);
  EXPECT_NEAR(program.objective(), -8, 1e-9);
  program.set_row_bounds(row, 9, infinity);
  EXPECT_EQ(program.solve(), Outcome::infeasible);
  program.set_row_bounds(row, -infinity, 4);
  ASSERT_EQ(program.solve(), Outcome::optimal);
  EXPECT_NEAR(program.objective(), -4, 1e-9);
}

TEST(LinearProgramTest, ProgramsWithoutRowsOrColumns) {
  LinearProgram empty;
  ASSERT_EQ(empty.solve(), Outcome::optimal);
  EXPECT_EQ(empty.objective(), 0);
  const int32_t row = empty.add_row(-1, 1);
  ASSERT_EQ(empty.solve(), Outcome::optimal);
  EXPECT_EQ(empty.price(row), 0);
  empty.set_row_bounds(row, 1, 2);
  EXPECT_EQ(empty.solve(), Outcome::infeasible);

  LinearProgram boxes;
  boxes.add_column(2, {}, -3, 5);
  boxes.add_column(-1, {}, 0, 4);
  ASSERT_EQ(boxes.solve(), Outcome::optimal);
  EXPECT_NEAR(boxes.objective(), -10, 1e-9);
  boxes.add_column(-1, {});
  EXPECT_EQ(boxes.solve(), Outcome::unbounded);
}

TEST(LinearProgramTest, SumsWhatIsNamedTwice) {
  LinearProgram program;
  const int32_t first = program.add_row(6, infinity);
  const int32_t x = program.add_column(1, {{first, 1}, {first, 2}});
  ASSERT_EQ(program.solve(), Outcome::optimal);
  EXPECT_NEAR(program.value(x), 2, 1e-9);
  program.add_row(12, infinity, {{x, 1}, {x, 3}});
  ASSERT_EQ(program.solve(), Outcome::optimal);
  EXPECT_NEAR(program.value(x), 3, 1e-9);
}

TEST(LinearProgramTest, RefusesRowsAndColumnsThatAreNotThere) {
  LinearProgram program;
  EXPECT_THROW(program.add_column(1, {{0, 1}}), InternalError);
  EXPECT_THROW(program.add_row(0, 1, {{0, 1}}), InternalError);
  EXPECT_THROW(program.set_cost(0, 1), InternalError);
  EXPECT_THROW(program.set_row_bounds(0, 0, 1), InternalError);
  EXPECT_THROW(program.set_column_bounds(-1, 0, 1), InternalError);
  EXPECT_THROW(program.objective(), InternalError);
}

// Every vertex tried, as the program grows and changes between solves.
TEST(LinearProgramTest, EqualsTheLeastVertex) {
  int optimal = 0;
  int infeasible = 0;
  for (int seed = 0; seed < rounds(150, 3000); ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram random(static_cast<uint64_t>(seed));
    for (int i = random.number(0, 3); i > 0; --i) random.add_row();
    for (int i = random.number(1, 3); i > 0; --i) random.add_column();
    for (int step = 0; step < 10; ++step) {
      const Outcome outcome = random.program.solve();
      const auto least = least_vertex(random.dense);
      ASSERT_EQ(outcome, least ? Outcome::optimal : Outcome::infeasible) << "step " << step;
      ++(least ? optimal : infeasible);
      if (least) {
        ASSERT_NEAR(random.program.objective(), *least, 1e-6) << "step " << step;
      }
      random.change();
    }
  }
  EXPECT_GT(optimal, rounds(300, 300));
  EXPECT_GT(infeasible, rounds(50, 50));
}

// A program as packing solves it: `demands` rows to serve, `resources` rows of use <= capacity * T,
// and a column T; then trees, a few at a time.
struct Packing {
  LinearProgram program;
  int32_t demands = 8;
  int32_t resources = 56;
  std::mt19937_64 random{7};

  Packing() {
    for (int32_t d = 0; d < demands; ++d) program.add_row(1, infinity);
    std::vector<LinearProgram::Entry> time;
    for (int32_t r = 0; r < resources; ++r) time.push_back({program.add_row(-infinity, 0), -25});
    program.add_column(1, time);
    for (int32_t d = 0; d < demands; ++d) add_tree(d);
  }
  void add_tree(int32_t demand) {
    std::vector<LinearProgram::Entry> entries = {{demand, 1}};
    for (int i = 0; i < 7; ++i) {
      entries.push_back({demands + static_cast<int32_t>(random() % uint64_t(resources)), 1});
    }
    program.add_column(0, entries);
  }
};

TEST(LinearProgramTest, TheSameCallsGiveTheSameBits) {
  std::vector<double> first;
  for (int run = 0; run < 2; ++run) {
    Packing packing;
    std::vector<double> seen;
    for (int round = 0; round < 40; ++round) {
      ASSERT_EQ(packing.program.solve(), Outcome::optimal);
      seen.push_back(packing.program.objective());
      for (int32_t r = 0; r < packing.program.rows(); ++r) {
        seen.push_back(packing.program.price(r));
      }
      for (int32_t c = 0; c < packing.program.columns(); ++c) {
        seen.push_back(packing.program.value(c));
      }
      for (int32_t d = 0; d < packing.demands; ++d) packing.add_tree(d);
    }
    if (run == 0) first = seen;
    EXPECT_EQ(seen, first);
  }
}

TEST(LinearProgramTest, PricesSayWhatAUnitOfABoundCosts) {
  for (int seed = 0; seed < 50; ++seed) {
    Packing packing;
    for (int i = 0; i < seed; ++i) packing.add_tree(i % packing.demands);
    ASSERT_EQ(packing.program.solve(), Outcome::optimal);
    double served = 0;  // by duality: all of the cost lies in the demands
    for (int32_t d = 0; d < packing.demands; ++d) served += packing.program.price(d);
    EXPECT_NEAR(served, packing.program.objective(), 1e-9);
  }
}

}  // namespace
}  // namespace einsummable::exchange
