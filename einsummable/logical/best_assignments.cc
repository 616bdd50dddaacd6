// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/best_assignments.h"

#include <tuple>

namespace einsummable {
namespace {

// What forbidden states cost: at least, and all together at most.
constexpr int64_t kLeast = int64_t{1} << 40, kMost = int64_t{1} << 57;

}  // namespace

BestAssignments::BestAssignments(std::vector<std::vector<Cost>> unary, std::vector<PairTable> pairs,
                                 Groups groups, int64_t table_budget,
                                 const Interruption& interruption)
    : unary_(std::move(unary)),
      pairs_(std::move(pairs)),
      groups_(std::move(groups)),
      budget_(table_budget),
      interruption_(interruption) {
  Assignment best = minimise(unary_, pairs_, budget_, interruption_);
  const auto variables = static_cast<int64_t>(unary_.size());
  too_much_ = kMost / std::max<int64_t>(1, variables);
  if (best.cost.main < too_much_ / 32) {
    too_much_ = std::min(too_much_, kLeast + 16 * std::max<int64_t>(0, best.cost.main));
  }
  queue_.push({.best = std::move(best), .fixed = 0, .forbidden = {}, .number = made_++});
}

bool BestAssignments::Later::operator()(const Part& a, const Part& b) const {
  return std::tie(a.best.cost, a.number) > std::tie(b.best.cost, b.number);
}

// Finds the cheapest of a part whose fixed groups have these states.
void BestAssignments::add(Part part, std::span<const uint32_t> states) {
  std::vector<std::vector<Cost>> unary = unary_;
  for (size_t g = 0; g < part.fixed; ++g) {
    for (uint32_t v : groups_[g]) {
      for (uint32_t s = 0; s < unary[v].size(); ++s) {
        if (s != states[v]) unary[v][s].main = too_much_;
      }
    }
  }
  std::vector<uint32_t> left;
  for (const std::vector<Cost>& row : unary) left.push_back(static_cast<uint32_t>(row.size()));
  for (const Forbidden& forbidden : part.forbidden) {
    unary[forbidden.variable][forbidden.state].main = too_much_;
    if (--left[forbidden.variable] == 0) return;
  }
  part.best = minimise(unary, pairs_, budget_, interruption_);
  if (part.best.cost.main >= too_much_) return;
  part.number = made_++;
  queue_.push(std::move(part));
}

// Cuts what is left of the part in parts, without its best.
void BestAssignments::expand(const Part& taken) {
  for (size_t g = taken.fixed; g < groups_.size(); ++g) {
    Part part{.best = {}, .fixed = g, .forbidden = {}};
    // What is forbidden of groups that are fixed now is so anyway.
    for (const Forbidden& forbidden : taken.forbidden) {
      if (std::ranges::find(groups_[g], forbidden.variable) != groups_[g].end()) {
        part.forbidden.push_back(forbidden);
      }
    }
    for (uint32_t v : groups_[g]) part.forbidden.push_back({v, taken.best.state[v]});
    add(std::move(part), taken.best.state);
  }
}

std::optional<Assignment> BestAssignments::next() {
  if (taken_) expand(*taken_);
  taken_.reset();
  if (queue_.empty()) return std::nullopt;
  taken_ = queue_.top();
  queue_.pop();
  return taken_->best;
}

}  // namespace einsummable
