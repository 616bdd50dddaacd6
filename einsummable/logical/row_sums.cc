// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/row_sums.h"

#include <algorithm>
#include <utility>

namespace einsummable {
namespace {

void add(std::vector<Cost>& row, const Cost* from, int64_t stride) {
  for (Cost& r : row) {
    r += *from;
    from += stride;
  }
}

// Where the sums are least.
void find_least(std::span<const int64_t> a, std::span<const int64_t> b, std::vector<size_t>& out) {
  int64_t least = INT64_MAX;
  for (size_t s = 0; s < a.size(); ++s) {
    const int64_t sum = a[s] + b[s];
    if (sum > least) continue;
    if (sum < least) out.clear();
    least = sum;
    out.push_back(s);
  }
}

}  // namespace

// The rows along the longest axis, for all states of the others. `fixed` is the sum of what does
// not depend on that axis, once for all its rows; `varying` are the other terms from its first row
// on.
template <class Visit>
void RowSums::for_each_line(std::span<const Cost> more, const Visit& visit) const {
  const size_t along = longest();
  std::vector<const Cost*> base;
  for (const Term& term : terms) base.push_back(term.base);
  std::vector<Cost> fixed;
  std::vector<Line> varying;
  PerAxis at(extents.size(), 0);
  const PerAxis strides = row_major();
  int64_t first = 0;
  while (true) {
    fixed.assign(more.begin(), more.end());
    varying.clear();
    for (size_t t = 0; t < terms.size(); ++t) {
      const int64_t step = extents.empty() ? 0 : terms[t].strides[along];
      if (step == 0) {
        add(fixed, base[t], terms[t].own_stride);
      } else {
        varying.push_back({base[t], terms[t].own_stride, step});
      }
    }
    visit(first, std::as_const(fixed), std::as_const(varying));
    size_t axis = extents.size();
    while (true) {
      if (axis == 0) return;
      if (--axis == along) continue;
      const bool wrapped = ++at[axis] == extents[axis];
      const int64_t step = wrapped ? 1 - extents[axis] : 1;
      for (size_t t = 0; t < terms.size(); ++t) base[t] += step * terms[t].strides[axis];
      first += step * strides[axis];
      if (!wrapped) break;
      at[axis] = 0;
    }
  }
}

size_t RowSums::longest() const {
  return static_cast<size_t>(std::ranges::max_element(extents) - extents.begin());
}

PerAxis RowSums::row_major() const {
  PerAxis strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i]) strides[i] = stride;
  return strides;
}

// Whether terms that vary along the longest axis depend on no other, so that all lines share them.
bool RowSums::lines_share() const {
  const size_t along = longest();
  return std::ranges::all_of(terms, [&](const Term& term) {
    if (extents.empty() || term.strides[along] == 0) return true;
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      if (axis != along && extents[axis] > 1 && term.strides[axis] != 0) return false;
    }
    return true;
  });
}

// The least is looked for among the main costs alone; of states that share it by all costs.
std::vector<Cost> RowSums::minima(std::span<const Cost> more) const {
  const auto states = static_cast<size_t>(own);
  const int64_t rows = extents.empty() ? 1 : extents[longest()];
  const int64_t step = extents.empty() ? 0 : row_major()[longest()];
  const bool shared = lines_share();
  std::vector<Cost> out(static_cast<size_t>(elements(extents)));
  std::vector<int64_t> fixed_main(states), varying_main;
  std::vector<size_t> least;
  for_each_line(
      more, [&](int64_t first, const std::vector<Cost>& fixed, const std::vector<Line>& varying) {
        for (size_t s = 0; s < states; ++s) fixed_main[s] = fixed[s].main;
        if (!shared || varying_main.empty()) varying_main = mains_of(varying, rows);
        for (int64_t i = 0; i < rows; ++i) {
          find_least(fixed_main,
                     std::span(varying_main).subspan(static_cast<size_t>(i * own), states), least);
          Cost best{INT64_MAX};
          for (size_t s : least) {
            Cost cost = fixed[s];
            for (const Line& line : varying) {
              cost += line.base[i * line.step + static_cast<int64_t>(s) * line.own_stride];
            }
            best = std::min(best, cost);
          }
          out[static_cast<size_t>(first + i * step)] = best;
        }
      });
  return out;
}

// The sums of the main costs of the varying terms, row by row.
std::vector<int64_t> RowSums::mains_of(const std::vector<Line>& varying, int64_t rows) const {
  std::vector<int64_t> out(static_cast<size_t>(rows * own), 0);
  for (const Line& line : varying) {
    int64_t* to = out.data();
    for (int64_t i = 0; i < rows; ++i) {
      const Cost* from = line.base + i * line.step;
      for (int64_t s = 0; s < own; ++s) *to++ += from[s * line.own_stride].main;
    }
  }
  return out;
}

std::vector<Cost> RowSums::lowest(std::span<const Cost> more) const {
  const int64_t rows = extents.empty() ? 1 : extents[longest()];
  std::vector<Cost> out, row;
  for_each_line(more,
                [&](int64_t, const std::vector<Cost>& fixed, const std::vector<Line>& varying) {
                  for (int64_t i = 0; i < rows; ++i) {
                    row = fixed;
                    for (const Line& line : varying)
                      add(row, line.base + i * line.step, line.own_stride);
                    if (out.empty()) out = row;
                    for (size_t s = 0; s < row.size(); ++s) out[s] = std::min(out[s], row[s]);
                  }
                });
  return out;
}

void RowSums::add_to(std::vector<int64_t>& key) const {
  key.push_back(static_cast<int64_t>(terms.size()));
  key.insert(key.end(), extents.begin(), extents.end());
  for (const Term& term : terms) {
    key.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(term.base)));
    key.push_back(term.own_stride);
    key.insert(key.end(), term.strides.begin(), term.strides.end());
  }
}

}  // namespace einsummable
