// SPDX-License-Identifier: Apache-2.0
// What is proved of the order of tasks: reads follow writes, each element is written once, and
// memory passes from one buffer to the next only when the first is done with.

#include <algorithm>
#include <limits>

#include "einsummable/base/checked.h"
#include "einsummable/task/accesses.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

// Answers whether one task ends before another begins, in every order the graph allows.
class Order {
 public:
  explicit Order(const TaskGraph& graph) : graph_(graph), seen_(graph.tasks.size(), -1) {}

  // Searches backwards from `later` through what it waits for; tasks wait only for tasks before
  // them in the list, so nothing before `earlier` can lead to it.
  bool before(TaskId earlier, TaskId later) {
    if (earlier >= later) return false;
    if (std::ranges::binary_search(graph_.task(later).after, earlier)) return true;
    ++stamp_;
    stack_ = {later};
    while (!stack_.empty()) {
      const TaskId at = stack_.back();
      stack_.pop_back();
      for (TaskId next : graph_.task(at).after) {
        if (next == earlier) return true;
        if (next < earlier || seen_[next.index()] == stamp_) continue;
        seen_[next.index()] = stamp_;
        stack_.push_back(next);
      }
    }
    return false;
  }

 private:
  const TaskGraph& graph_;
  std::vector<int64_t> seen_;
  std::vector<TaskId> stack_;
  int64_t stamp_ = 0;
};

std::string name_of(size_t buffer) { return "buffer " + std::to_string(buffer); }

// The axis along which the boxes overlap least, so that sorting along it parts them best.
size_t sweep_axis(std::span<const Access> writes) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t axis = 0; axis < writes.front().region->size(); ++axis) {
    Interval hull = (*writes.front().region)[axis];
    double lengths = 0;
    for (const Access& write : writes) {
      const Interval at = (*write.region)[axis];
      hull = {std::min(hull.lo, at.lo), std::max(hull.hi, at.hi)};
      lengths += static_cast<double>(at.length());
    }
    const double depth = lengths / static_cast<double>(std::max<int64_t>(hull.length(), 1));
    if (depth < least) {
      least = depth;
      best = axis;
    }
  }
  return best;
}

// Two of the writes that share elements, the later first; null if none do.
std::pair<const Access*, const Access*> overlapping(std::vector<Access>& writes, int64_t& count) {
  if (writes.size() < 2) return {};
  if (writes.front().region->empty()) return {&writes[1], &writes[0]};  // rank 0: one element
  const size_t axis = sweep_axis(writes);
  std::ranges::sort(writes, {}, [&](const Access& write) { return (*write.region)[axis].lo; });
  for (size_t i = 0; i < writes.size(); ++i) {
    const int64_t end = (*writes[i].region)[axis].hi;
    for (size_t k = i + 1; k < writes.size() && (*writes[k].region)[axis].lo < end; ++k) {
      ++count;
      if (!meet(*writes[i].region, *writes[k].region)) continue;
      const bool later = writes[i].task > writes[k].task;
      return later ? std::pair{&writes[i], &writes[k]} : std::pair{&writes[k], &writes[i]};
    }
  }
  return {};
}

// Checks that each element of a buffer is written once, and every read one of elements written
// before it begins.
class BufferCheck {
 public:
  BufferCheck(const TaskGraph& graph, const Accesses& accesses, int64_t& count)
      : graph_(graph), accesses_(accesses), count_(count), order_(graph) {}

  // What is wrong with the buffer; nothing if nothing is.
  std::string run(size_t b) {
    collect_writes(b);
    if (graph_.buffers[b].role != Buffer::Role::temporary) {
      if (writes_.empty()) return "";
      return describe(graph_, writes_[0].task) + " writes " + name_of(b) +
             ", which the caller fills";
    }
    const auto [again, first] = overlapping(writes_, count_);
    if (again) {
      return describe(graph_, again->task) + " writes again what " + describe(graph_, first->task) +
             " wrote to " + name_of(b);
    }
    for (const Access& access : accesses_.of(b)) {
      if (access.writes) continue;
      std::string failure = check_read(b, *access.region, access.task);
      if (!failure.empty()) return failure;
    }
    return "";
  }

  // What is wrong with what the caller fetches, after the run.
  std::string run(const Offload& offload) {
    const size_t b = offload.from.buffer.index();
    if (graph_.buffers[b].role != Buffer::Role::temporary) return "";
    collect_writes(b);
    return check_read(b, offload.from.region, TaskId());
  }

 private:
  void collect_writes(size_t b) {
    writes_.clear();
    for (const Access& access : accesses_.of(b)) {
      if (access.writes) writes_.push_back(access);
    }
  }

  // The caller's reads have no task. Writes share no elements, so a read is of
  // written ones alone if those in common with the writes are as many as it has.
  std::string check_read(size_t b, const Box& region, TaskId reader) {
    int64_t written = 0;
    for (const Access& write : writes_) {
      const int64_t common = common_elements(*write.region, region);
      if (common == 0) continue;
      ++count_;
      written = checked_add(written, common);
      if (reader.valid() && !order_.before(write.task, reader)) {
        return describe(graph_, reader) + " reads what " + describe(graph_, write.task) +
               " may still be writing";
      }
    }
    if (written == elements(region)) return "";
    return "elements of " + name_of(b) + " are read and never written";
  }

  const TaskGraph& graph_;
  const Accesses& accesses_;
  int64_t& count_;
  Order order_;
  std::vector<Access> writes_;  // of the buffer at hand
};

// Whether all that touches a buffer's memory before it has ended when the buffer is written: for
// the buffer that had the memory last; what that one took over ended before, by the same check.
class TakeoverCheck {
 public:
  TakeoverCheck(const TaskGraph& graph, const Accesses& accesses, int64_t& count)
      : graph_(graph),
        accesses_(accesses),
        count_(count),
        order_(graph),
        kept_(graph.buffers.size(), 0) {
    for (const Offload& offload : graph.offloads) kept_[offload.from.buffer.index()] = 1;
  }

  std::string run(Takeover takeover) {
    const auto [b, from] = takeover;
    const bool filled = graph_.buffers[b].role != Buffer::Role::temporary;
    const bool stays = kept_[from] || graph_.buffers[from].role == Buffer::Role::parameter;
    if (filled || stays) {
      return name_of(b) + " takes memory of " + name_of(from) + ", which is still in use";
    }
    TaskId last_writer;
    for (const Access& write : accesses_.of(b)) {
      if (!write.writes || write.task == last_writer) continue;
      last_writer = write.task;
      std::string failure = check_writer(write.task, from);
      if (!failure.empty()) return failure;
    }
    return "";
  }

 private:
  std::string check_writer(TaskId writer, size_t from) {
    TaskId last;
    for (const Access& earlier : accesses_.of(from)) {
      if (earlier.task == last) continue;
      last = earlier.task;
      ++count_;
      if (order_.before(earlier.task, writer)) continue;
      return describe(graph_, writer) + " writes memory that " + describe(graph_, earlier.task) +
             " may still be using";
    }
    return "";
  }

  const TaskGraph& graph_;
  const Accesses& accesses_;
  int64_t& count_;
  Order order_;
  std::vector<char> kept_;  // fetched by the caller after the run
};

}  // namespace

void check_single_assignment(const TaskGraph& graph, const Accesses& accesses, Check& check,
                             const Interruption& interruption) {
  BufferCheck buffers(graph, accesses, check.count);
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    interruption.check();
    check.detail = buffers.run(b);
    if (!check.detail.empty()) return;
  }
  for (const Offload& offload : graph.offloads) {
    check.detail = buffers.run(offload);
    if (!check.detail.empty()) return;
  }
}

void check_races(const TaskGraph& graph, const Accesses& accesses, Check& check,
                 const Interruption& interruption) {
  TakeoverCheck memory(graph, accesses, check.count);
  for (const Takeover& takeover : takeovers(graph, accesses)) {
    interruption.check();
    check.detail = memory.run(takeover);
    if (!check.detail.empty()) return;
  }
}

}  // namespace einsummable
