// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/placement.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {
namespace {

constexpr int64_t gain_limit = int64_t{1} << 53;

// The assignment problem on a square matrix of costs; rows beyond the cells cost nothing. Keeps
// prices with cost(r, c) >= row price + column price, and equality wherever r is on c.
class Assignment {
 public:
  Assignment(size_t cells, size_t sites, std::span<const int64_t> gain)
      : n_(sites),
        cells_(cells),
        gain_(gain),
        row_price_(n_, 0),
        column_price_(n_, 0),
        column_of_(n_, none),
        row_of_(n_, none) {}

  std::vector<size_t> run() {
    for (size_t r = 0; r < n_; ++r) add_row(r);
    for (size_t r = 0; r < cells_; ++r) lower(r);
    return {column_of_.begin(), column_of_.begin() + static_cast<int64_t>(cells_)};
  }

 private:
  static constexpr size_t none = std::numeric_limits<size_t>::max();

  int64_t slack(size_t r, size_t c) const {
    const int64_t cost = r < cells_ ? -gain_[r * n_ + c] : 0;
    return cost - row_price_[r] - column_price_[c];
  }

  // Finds the cheapest chain of moves that makes room for row `start`, and makes it.
  void add_row(size_t start) {
    std::vector<int64_t> distance(n_, std::numeric_limits<int64_t>::max());
    std::vector<size_t> via(n_, none);  // the row from which each column is reached
    std::vector<bool> done(n_, false);
    std::vector<size_t> reached;
    size_t row = start;
    int64_t length = 0;
    size_t column = none;
    for (;;) {
      for (size_t c = 0; c < n_; ++c) {
        if (done[c]) continue;
        const int64_t through = length + slack(row, c);
        if (through < distance[c]) {
          distance[c] = through;
          via[c] = row;
        }
      }
      column = none;
      for (size_t c = 0; c < n_; ++c) {
        if (!done[c] && (column == none || distance[c] < distance[column])) column = c;
      }
      length = distance[column];
      if (row_of_[column] == none) break;
      done[column] = true;
      reached.push_back(column);
      row = row_of_[column];
    }
    row_price_[start] += length;
    for (size_t c : reached) {
      row_price_[row_of_[c]] += length - distance[c];
      column_price_[c] -= length - distance[c];
    }
    while (column != none) {
      const size_t r = via[column];
      row_of_[column] = r;
      std::swap(column, column_of_[r]);
    }
  }

  // Moves row r to the lowest column it has in any best assignment that keeps the rows before it:
  // best assignments are those along edges without slack.
  void lower(size_t r) {
    for (size_t c = 0; c < column_of_[r]; ++c) {
      if (slack(r, c) == 0 && row_of_[c] > r && move(r, c)) return;
    }
  }

  bool move(size_t r, size_t target) {
    const size_t displaced = row_of_[target];
    const size_t freed = column_of_[r];
    std::vector<size_t> via(n_, none);
    std::vector<size_t> queue = {displaced};
    for (size_t at = 0; at < queue.size(); ++at) {
      for (size_t c = 0; c < n_; ++c) {
        if (c == target || via[c] != none || slack(queue[at], c) != 0) continue;
        if (row_of_[c] < r) continue;
        via[c] = queue[at];
        if (c != freed) {
          queue.push_back(row_of_[c]);
          continue;
        }
        size_t column = c;
        for (size_t mover = none; mover != displaced;) {
          mover = via[column];
          row_of_[column] = mover;
          std::swap(column, column_of_[mover]);
        }
        row_of_[target] = r;
        column_of_[r] = target;
        return true;
      }
    }
    return false;
  }

  size_t n_, cells_;
  std::span<const int64_t> gain_;
  std::vector<int64_t> row_price_, column_price_;
  std::vector<size_t> column_of_, row_of_;
};

// Every cell on the lowest free site where it gains the most it can, if there is one for each: then
// no placement is better, and none of the best is lower.
std::optional<std::vector<size_t>> all_at_their_best(size_t cells, size_t sites,
                                                     std::span<const int64_t> gain) {
  std::vector<bool> taken(sites, false);
  std::vector<size_t> out;
  for (size_t c = 0; c < cells; ++c) {
    const std::span<const int64_t> of_cell = gain.subspan(c * sites, sites);
    const int64_t most = std::ranges::max(of_cell);
    size_t site = 0;
    while (site < sites && (taken[site] || of_cell[site] != most)) ++site;
    if (site == sites) return std::nullopt;
    taken[site] = true;
    out.push_back(site);
  }
  return out;
}

}  // namespace

std::vector<exchange::SiteId> place(int64_t cells, int64_t sites, std::span<const int64_t> gain) {
  ensure(cells >= 0 && cells <= sites && static_cast<int64_t>(gain.size()) == cells * sites,
         "a placement has at most as many cells as sites, and a gain for each pair");
  ensure(std::ranges::all_of(gain, [](int64_t g) { return g > -gain_limit && g < gain_limit; }),
         "gains are below 2^53");
  const auto rows = static_cast<size_t>(cells), columns = static_cast<size_t>(sites);
  auto sites_of = all_at_their_best(rows, columns, gain);
  if (!sites_of) sites_of = Assignment(rows, columns, gain).run();
  std::vector<exchange::SiteId> placed;
  for (size_t s : *sites_of) placed.emplace_back(static_cast<int64_t>(s));
  return placed;
}

}  // namespace einsummable::synthesis
