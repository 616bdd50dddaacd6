// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/join_agg_spec.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

using Intervals = std::vector<Interval>;

// Calls `visit(cell)` for every combination of intervals of the indices `used`; the others are
// whole.
template <class Visit>
void for_each_combination(std::span<const Cuts> cuts, const std::vector<int32_t>& used,
                          const Visit& visit) {
  Intervals cell;
  for (const Cuts& c : cuts) cell.push_back({c.front(), c.back()});
  std::vector<int64_t> part(used.size(), 0);
  for (size_t u = 0; u < used.size(); ++u) {
    cell[static_cast<size_t>(used[u])] = interval_of(cuts[static_cast<size_t>(used[u])], 0);
  }
  while (true) {
    visit(std::span<const Interval>(cell));
    size_t u = used.size();
    while (true) {
      if (u == 0) return;
      --u;
      const Cuts& c = cuts[static_cast<size_t>(used[u])];
      const bool wrapped = ++part[u] == count_of(c);
      if (wrapped) part[u] = 0;
      cell[static_cast<size_t>(used[u])] = interval_of(c, part[u]);
      if (!wrapped) break;
    }
  }
}

// The indices of an axis that are cut at all.
std::vector<int32_t> cut_indices(const AxisMap& axis, std::span<const Cuts> cuts) {
  std::vector<int32_t> used;
  for (const Term& term : axis.terms) {
    const bool seen = std::ranges::find(used, term.index) != used.end();
    if (!seen && count_of(cuts[static_cast<size_t>(term.index)]) > 1) used.push_back(term.index);
  }
  return used;
}

// Axes that share a cut index vary together: groups of axes and the cut indices of each group.
struct AxisGroup {
  std::vector<size_t> axes;
  std::vector<int32_t> indices;
};

std::vector<AxisGroup> group_axes(const OperandMap& operand, std::span<const Cuts> cuts) {
  std::vector<AxisGroup> groups;
  for (size_t i = 0; i < operand.axes.size(); ++i) {
    AxisGroup merged{{i}, cut_indices(operand.axes[i], cuts)};
    std::erase_if(groups, [&](const AxisGroup& group) {
      const bool meets =
          std::ranges::find_first_of(group.indices, merged.indices) != group.indices.end();
      if (!meets) return false;
      merged.axes.insert(merged.axes.end(), group.axes.begin(), group.axes.end());
      for (int32_t index : group.indices) {
        if (std::ranges::find(merged.indices, index) == merged.indices.end()) {
          merged.indices.push_back(index);
        }
      }
      return true;
    });
    groups.push_back(std::move(merged));
  }
  return groups;
}

}  // namespace

JoinAggSpec::JoinAggSpec(std::shared_ptr<const Signature> signature, std::vector<Cuts> cuts)
    : signature_(std::move(signature)), cuts_(std::move(cuts)) {
  ensure(cuts_.size() == signature_->indices.size(), "a spec needs cuts for every index");
  for (size_t i = 0; i < cuts_.size(); ++i) {
    const Index& index = signature_->indices[i];
    ensure(is_legal(index, cuts_[i]), "illegal cuts of index " + index.name);
    if (index.within >= 0 && count_of(cuts_[i]) > 1) {
      const auto outer = static_cast<size_t>(index.within);
      ensure(count_of(cuts_[outer]) == signature_->indices[outer].extent,
             "index " + index.name + " is cut where its outer index is not in units");
    }
  }
  for (const OperandMap& operand : signature_->outputs) {
    Box bounds;
    for (const AxisMap& axis : operand.axes) bounds.push_back({0, axis.extent});
    ensure(tiles(tiling_of(operand, cuts_), bounds), "output blocks do not tile the output");
  }
}

int64_t JoinAggSpec::cells() const {
  int64_t cells = 1;
  for (const Cuts& cuts : cuts_) cells = checked_multiply(cells, count_of(cuts));
  return cells;
}

std::vector<bool> JoinAggSpec::indices_of(const OperandMap& operand) const {
  std::vector<bool> used(cuts_.size(), false);
  for (const AxisMap& axis : operand.axes) {
    for (const Term& term : axis.terms) used[static_cast<size_t>(term.index)] = true;
  }
  return used;
}

int64_t JoinAggSpec::partials(size_t output) const {
  const std::vector<bool> used = indices_of(signature_->outputs[output]);
  int64_t partials = 1;
  for (size_t i = 0; i < cuts_.size(); ++i) {
    if (!used[i]) partials *= count_of(cuts_[i]);
  }
  return partials;
}

Tiling tiling_of(const OperandMap& operand, std::span<const Cuts> cuts) {
  Tiling tiling;
  for (const AxisMap& axis : operand.axes) {
    std::vector<Interval> intervals;
    for_each_combination(cuts, cut_indices(axis, cuts), [&](auto cell) {
      const Interval interval = axis(cell);
      if (!interval.empty()) intervals.push_back(interval);
    });
    std::sort(intervals.begin(), intervals.end());
    intervals.erase(std::unique(intervals.begin(), intervals.end()), intervals.end());
    tiling.axes.push_back(std::move(intervals));
  }
  for (const AxisGroup& group : group_axes(operand, cuts)) {
    const auto cut = std::ranges::count_if(
        group.axes, [&](size_t axis) { return tiling.axes[axis].size() > 1; });
    if (group.axes.size() > 1 && cut > 1) tiling.product = false;
  }
  return tiling;
}

Tiling JoinAggSpec::input(size_t input) const {
  return tiling_of(signature_->inputs[input], cuts_);
}
Tiling JoinAggSpec::output(size_t output) const {
  return tiling_of(signature_->outputs[output], cuts_);
}

int64_t JoinAggSpec::join_elements(size_t input) const {
  const OperandMap& operand = signature_->inputs[input];
  const std::vector<bool> used = indices_of(operand);
  int64_t total = 1;
  for (size_t i = 0; i < cuts_.size(); ++i) {
    if (!used[i]) total = checked_multiply(total, count_of(cuts_[i]));
  }
  for (const AxisGroup& group : group_axes(operand, cuts_)) {
    int64_t sum = 0;
    for_each_combination(cuts_, group.indices, [&](auto cell) {
      int64_t product = 1;
      for (size_t axis : group.axes) {
        product = checked_multiply(product, operand.axes[axis](cell).length());
      }
      sum = checked_add(sum, product);
    });
    total = checked_multiply(total, sum);
  }
  return total;
}

std::vector<Interval> JoinAggSpec::intervals(int64_t cell) const {
  Intervals out(cuts_.size());
  for (size_t i = cuts_.size(); i-- > 0;) {
    out[i] = interval_of(cuts_[i], cell % count_of(cuts_[i]));
    cell /= count_of(cuts_[i]);
  }
  ensure(cell == 0, "a cell out of range");
  return out;
}

FunctionSpec JoinAggSpec::cell(int64_t cell) const {
  const Intervals at = intervals(cell);
  FunctionSpec out;
  out.inputs.reserve(signature_->inputs.size());
  out.outputs.reserve(signature_->outputs.size());
  for (const OperandMap& operand : signature_->inputs) out.inputs.push_back(operand(at));
  for (const OperandMap& operand : signature_->outputs) out.outputs.push_back(operand(at));
  return out;
}

int64_t JoinAggSpec::partial_of_cell(size_t output, int64_t cell) const {
  const std::vector<bool> used = indices_of(signature_->outputs[output]);
  int64_t partial = 0, stride = 1;
  for (size_t i = cuts_.size(); i-- > 0;) {
    const int64_t count = count_of(cuts_[i]);
    if (!used[i]) {
      partial += cell % count * stride;
      stride *= count;
    }
    cell /= count;
  }
  return partial;
}

std::string text(const JoinAggSpec& spec) {
  std::string out;
  for (int64_t cell = 0; cell < spec.cells(); ++cell) {
    const FunctionSpec f = spec.cell(cell);
    out += "cell " + std::to_string(cell) + " ";
    for (const Box& box : f.inputs) out += " " + text(box);
    out += " ->";
    for (const Box& box : f.outputs) out += " " + text(box);
    out += "\n";
  }
  for (size_t o = 0; o < spec.signature().outputs.size(); ++o) {
    out += "output " + std::to_string(o) + " merges " + std::to_string(spec.partials(o)) + "\n";
  }
  return out;
}

}  // namespace einsummable
