// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/linear_program.h"

#include <algorithm>
#include <coin/ClpSimplex.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "einsummable/base/error.h"

namespace einsummable::exchange {
namespace {

double clp_bound(double bound) {
  if (bound == LinearProgram::infinity) return COIN_DBL_MAX;
  return bound == -LinearProgram::infinity ? -COIN_DBL_MAX : bound;
}

struct Coefficient {
  int32_t position = 0;  // of its column in a row, of its row in a column
  double value = 0;
};

// Rows or columns that Clp does not have yet: it takes many at once far faster than one by one.
struct Lines {
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> cost;  // of columns
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> positions;
  std::vector<double> values;

  int32_t count() const { return static_cast<int32_t>(lower.size()); }

  void add(double low, double high, std::vector<Coefficient> coefficients) {
    lower.push_back(clp_bound(low));
    upper.push_back(clp_bound(high));
    std::ranges::stable_sort(coefficients, {}, &Coefficient::position);
    for (size_t i = 0; i < coefficients.size();) {
      const int32_t position = coefficients[i].position;
      double sum = 0;
      for (; i < coefficients.size() && coefficients[i].position == position; ++i) {
        sum += coefficients[i].value;
      }
      if (sum == 0) continue;  // Clp takes a program of written zeros for one without bounds
      positions.push_back(position);
      values.push_back(sum);
    }
    starts.push_back(static_cast<CoinBigIndex>(positions.size()));
  }
};

LinearProgram::Outcome outcome_of(const ClpSimplex& clp) {
  switch (clp.status()) {
    case 0:
      return LinearProgram::Outcome::optimal;
    case 1:
      return LinearProgram::Outcome::infeasible;
    case 2:
      return LinearProgram::Outcome::unbounded;
    default:
      return LinearProgram::Outcome::not_solved;
  }
}

}  // namespace

struct LinearProgram::Model {
  ClpSimplex clp;
  // Rows wait before columns: a waiting column may name waiting rows, a waiting row names none of
  // the waiting columns.
  Lines rows;
  Lines columns;
  bool basis_is_priced = false;  // the last basis is optimal but for rows and bounds set since
  Outcome outcome = Outcome::not_solved;

  Model() {
    clp.setLogLevel(0);
    clp.messageHandler()->setLogLevel(0);
  }

  int32_t row_count() const { return clp.numberRows() + rows.count(); }
  int32_t column_count() const { return clp.numberColumns() + columns.count(); }

  void flush() {
    if (rows.count() > 0) {
      clp.addRows(rows.count(), rows.lower.data(), rows.upper.data(), rows.starts.data(),
                  rows.positions.data(), rows.values.data());
      rows = {};
    }
    if (columns.count() > 0) {
      clp.addColumns(columns.count(), columns.lower.data(), columns.upper.data(),
                     columns.cost.data(), columns.starts.data(), columns.positions.data(),
                     columns.values.data());
      columns = {};
    }
  }

  // Without columns every row is 0, which Clp does not look at.
  Outcome solve_without_columns() const {
    for (int32_t row = 0; row < row_count(); ++row) {
      if (clp.rowLower()[row] > 0 || clp.rowUpper()[row] < 0) return Outcome::infeasible;
    }
    return Outcome::optimal;
  }

  // From no basis, by the other method and unscaled: what a basis has spoilt may go well so.
  void start_again() {
    ClpSimplex fresh(clp);
    fresh.allSlackBasis(true);
    fresh.scaling(0);
    fresh.dual();
    clp = fresh;
  }

  Outcome solve() {
    flush();
    if (column_count() == 0) return solve_without_columns();
    if (basis_is_priced) clp.dual();
    // The dual method's "no" is asked again: from a basis it may come from the basis alone.
    if (!basis_is_priced || clp.status() != 0) clp.primal();
    if (outcome_of(clp) == Outcome::not_solved) start_again();
    basis_is_priced = clp.status() == 0;
    return outcome_of(clp);
  }
};

LinearProgram::LinearProgram() : model_(std::make_unique<Model>()) {}
LinearProgram::~LinearProgram() = default;
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;

int32_t LinearProgram::add_row(double lower, double upper, std::span<const Term> terms) {
  if (!terms.empty() && model_->columns.count() > 0) model_->flush();
  std::vector<Coefficient> coefficients;
  for (const Term& term : terms) {
    ensure(term.column >= 0 && term.column < model_->column_count(), "a row names a column");
    coefficients.push_back({term.column, term.value});
  }
  const int32_t row = model_->row_count();
  model_->rows.add(lower, upper, std::move(coefficients));
  return row;
}

int32_t LinearProgram::add_row(double lower, double upper, std::initializer_list<Term> terms) {
  return add_row(lower, upper, std::span<const Term>(terms.begin(), terms.size()));
}

int32_t LinearProgram::add_column(double cost, std::span<const Entry> entries, double lower,
                                  double upper) {
  std::vector<Coefficient> coefficients;
  for (const Entry& entry : entries) {
    ensure(entry.row >= 0 && entry.row < model_->row_count(), "a column names a row");
    coefficients.push_back({entry.row, entry.value});
  }
  const int32_t column = model_->column_count();
  model_->columns.add(lower, upper, std::move(coefficients));
  model_->columns.cost.push_back(cost);
  model_->basis_is_priced = false;
  return column;
}

int32_t LinearProgram::add_column(double cost, std::initializer_list<Entry> entries, double lower,
                                  double upper) {
  return add_column(cost, std::span<const Entry>(entries.begin(), entries.size()), lower, upper);
}

void LinearProgram::set_cost(int32_t column, double cost) {
  ensure(column >= 0 && column < columns(), "a cost is of a column");
  model_->flush();
  model_->clp.setObjectiveCoefficient(column, cost);
  model_->basis_is_priced = false;
}

void LinearProgram::set_row_bounds(int32_t row, double lower, double upper) {
  ensure(row >= 0 && row < rows(), "bounds are of a row");
  model_->flush();
  model_->clp.setRowBounds(row, clp_bound(lower), clp_bound(upper));
}

void LinearProgram::set_column_bounds(int32_t column, double lower, double upper) {
  ensure(column >= 0 && column < columns(), "bounds are of a column");
  model_->flush();
  model_->clp.setColumnBounds(column, clp_bound(lower), clp_bound(upper));
}

LinearProgram::Outcome LinearProgram::solve() {
  model_->outcome = model_->solve();
  return model_->outcome;
}

int32_t LinearProgram::rows() const { return model_->row_count(); }
int32_t LinearProgram::columns() const { return model_->column_count(); }

double LinearProgram::objective() const {
  ensure(model_->outcome == Outcome::optimal, "an optimum was found");
  return columns() == 0 ? 0 : model_->clp.objectiveValue();
}

double LinearProgram::value(int32_t column) const {
  ensure(model_->outcome == Outcome::optimal && column >= 0 && column < model_->clp.numberColumns(),
         "a value is of a column of the optimum");
  return model_->clp.primalColumnSolution()[column];
}

double LinearProgram::price(int32_t row) const {
  ensure(model_->outcome == Outcome::optimal && row >= 0 && row < model_->clp.numberRows(),
         "a price is of a row of the optimum");
  return columns() == 0 ? 0 : model_->clp.dualRowSolution()[row];
}

}  // namespace einsummable::exchange
