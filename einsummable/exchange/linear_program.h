// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>

namespace einsummable::exchange {

// A linear program: minimise the cost of x, where every row lies within its bounds and every x
// within its own. Rows and columns may be added between solves, which then start from the last
// basis. Solved by COIN-OR Clp. The same calls in the same order give the same result. A row or
// column that is named twice counts with the sum of its values.
//
//     min x + 2y, x + y >= 3, x <= 1:   row r = add_row(3, infinity);
//                                       add_column(1, {{r, 1}}, 0, 1); add_column(2, {{r, 1}});
//                                       solve() is optimal, objective() 5, value(0) 1, price(r) 2
class LinearProgram {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Entry {
    int32_t row = 0;
    double value = 0;
  };
  struct Term {
    int32_t column = 0;
    double value = 0;
  };
  enum class Outcome : uint8_t { optimal, infeasible, unbounded, not_solved };

  LinearProgram();
  ~LinearProgram();
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;

  // Adds a row with its terms (of columns that are there; none: an empty row), or a column with its
  // entries (of rows that are there); gives its number.
  int32_t add_row(double lower, double upper, std::span<const Term> terms = {});
  int32_t add_row(double lower, double upper, std::initializer_list<Term> terms);
  int32_t add_column(double cost, std::span<const Entry> entries, double lower = 0,
                     double upper = infinity);
  int32_t add_column(double cost, std::initializer_list<Entry> entries, double lower = 0,
                     double upper = infinity);
  void set_cost(int32_t column, double cost);
  void set_row_bounds(int32_t row, double lower, double upper);
  void set_column_bounds(int32_t column, double lower, double upper);

  // Solves it. `not_solved`: the solver gave up (numerical trouble or its limit of iterations).
  Outcome solve();
  int32_t rows() const;
  int32_t columns() const;
  // Of the last solve, if it was optimal.
  double objective() const;
  double value(int32_t column) const;
  // What the objective gains a unit of the row's bound (its dual value).
  double price(int32_t row) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace einsummable::exchange
