// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/accesses.h"

#include <algorithm>
#include <limits>

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

// A stretch of a site's arena and the buffer that had it last.
struct Owner {
  int64_t lo = 0, hi = 0;
  size_t buffer = 0;
};

// Calls `visit(operand, writes)` for every operand of the task.
template <class Visit>
void for_each_operand(const Task& task, const Visit& visit) {
  for (const Operand& read : task.reads) visit(read, false);
  for (const Operand& write : task.writes) visit(write, true);
}

// Hands the stretch of `mine` to it. Owners are disjoint, by rising stretch.
void take_over(std::vector<Owner>& owners, const Owner& mine, std::vector<Takeover>& out) {
  const auto first = std::ranges::upper_bound(owners, mine.lo, {}, &Owner::hi);
  auto last = first;
  SmallVector<Owner, 3> instead;
  if (first != owners.end() && first->lo < mine.lo) {
    instead.push_back({first->lo, mine.lo, first->buffer});
  }
  instead.push_back(mine);
  for (; last != owners.end() && last->lo < mine.hi; ++last) {
    out.push_back({mine.buffer, last->buffer});
    if (mine.hi < last->hi) instead.push_back({mine.hi, last->hi, last->buffer});
  }
  const auto kept = std::min(instead.size(), static_cast<size_t>(last - first));
  const auto end = std::copy_n(instead.begin(), kept, first);
  if (kept < instead.size()) {
    owners.insert(end, instead.begin() + kept, instead.end());
  } else {
    owners.erase(end, last);
  }
}

}  // namespace

Accesses::Accesses(const TaskGraph& graph) : begin_(graph.buffers.size() + 1, 0) {
  for (const Task& task : graph.tasks) {
    for_each_operand(task,
                     [&](const Operand& operand, bool) { ++begin_[operand.buffer.index() + 1]; });
  }
  for (size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
  all_.resize(begin_.back());
  std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    for_each_operand(graph.tasks[t], [&](const Operand& operand, bool writes) {
      all_[next[operand.buffer.index()]++] = {TaskId(static_cast<int64_t>(t)), writes,
                                              &operand.region};
    });
  }
}

int64_t Accesses::first_use(const TaskGraph& graph, size_t buffer) const {
  if (graph.buffers[buffer].role != Buffer::Role::temporary) return -1;
  const auto accesses = of(buffer);
  return accesses.empty() ? std::numeric_limits<int64_t>::max() : accesses.front().task.value;
}

// Whether anything comes to be in the buffer. What does not, takes no memory over.
bool is_filled(const TaskGraph& graph, const Accesses& accesses, size_t buffer) {
  if (graph.buffers[buffer].role != Buffer::Role::temporary) return true;
  return std::ranges::any_of(accesses.of(buffer), [](const Access& access) {
    return access.writes && !empty(*access.region);
  });
}

std::vector<Takeover> takeovers(const TaskGraph& graph, const Accesses& accesses) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    order.emplace_back(accesses.first_use(graph, b), b);
  }
  std::ranges::sort(order);
  std::vector<std::vector<Owner>> owners(graph.memory.size());
  std::vector<Takeover> out;
  for (const auto& [first, b] : order) {
    const Buffer& buffer = graph.buffers[b];
    const int64_t bytes = buffer.bytes();
    if (bytes == 0 || !is_filled(graph, accesses, b)) continue;
    take_over(owners[buffer.site.index()], {buffer.offset, checked_add(buffer.offset, bytes), b},
              out);
  }
  return out;
}

}  // namespace einsummable
