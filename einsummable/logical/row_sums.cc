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

}  // namespace

// Calls `visit` with the sums of every row, in row-major order. What does not depend on the last of
// the others is added up once for all of its states.
template <class Visit>
void RowSums::for_each_row(std::span<const Cost> more, const Visit& visit) const {
  const size_t outer = extents.empty() ? 0 : extents.size() - 1;
  const int64_t inner = extents.empty() ? 1 : extents[outer];
  std::vector<const Cost*> base;
  std::vector<Cost> fixed, row;
  for (const Term& term : terms) base.push_back(term.base);
  const auto step_of = [&](const Term& term) { return extents.empty() ? 0 : term.strides[outer]; };
  PerAxis at(outer, 0);
  while (true) {
    fixed.assign(more.begin(), more.end());
    for (size_t t = 0; t < terms.size(); ++t) {
      if (step_of(terms[t]) == 0) add(fixed, base[t], terms[t].own_stride);
    }
    for (int64_t i = 0; i < inner; ++i) {
      row = fixed;
      for (size_t t = 0; t < terms.size(); ++t) {
        const int64_t step = step_of(terms[t]);
        if (step != 0) add(row, base[t] + i * step, terms[t].own_stride);
      }
      visit(std::as_const(row));
    }
    size_t axis = outer;
    while (true) {
      if (axis == 0) return;
      --axis;
      const bool wrapped = ++at[axis] == extents[axis];
      const int64_t step = wrapped ? 1 - extents[axis] : 1;
      for (size_t t = 0; t < terms.size(); ++t) base[t] += step * terms[t].strides[axis];
      if (!wrapped) break;
      at[axis] = 0;
    }
  }
}

std::vector<Cost> RowSums::minima(std::span<const Cost> more) const {
  std::vector<Cost> out;
  out.reserve(static_cast<size_t>(elements(extents)));
  for_each_row(
      more, [&](const std::vector<Cost>& row) { out.push_back(*std::ranges::min_element(row)); });
  return out;
}

std::vector<Cost> RowSums::lowest(std::span<const Cost> more) const {
  std::vector<Cost> out;
  for_each_row(more, [&](const std::vector<Cost>& row) {
    if (out.empty()) out = row;
    for (size_t s = 0; s < row.size(); ++s) out[s] = std::min(out[s], row[s]);
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
