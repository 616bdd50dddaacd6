// SPDX-License-Identifier: Apache-2.0
// What is proved of the order of tasks: reads follow writes, each element is written once, and
// memory passes from one buffer to the next only when the first is done with.

#include <algorithm>
#include <array>
#include <limits>

#include "einsummable/base/checked.h"
#include "einsummable/task/operand.h"
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

struct Access {
  TaskId task;
  const Operand* operand;
};

struct Accesses {
  std::vector<Access> writes, reads;  // the caller's reads, after the run, have no task
};

std::vector<Accesses> accesses_of(const TaskGraph& graph) {
  std::vector<Accesses> out(graph.buffers.size());
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const TaskId id(static_cast<int64_t>(t));
    for (const Operand& read : graph.tasks[t].reads) {
      out[read.buffer.index()].reads.push_back({id, &read});
    }
    for (const Operand& write : graph.tasks[t].writes) {
      out[write.buffer.index()].writes.push_back({id, &write});
    }
  }
  for (const Offload& offload : graph.offloads) {
    out[offload.from.buffer.index()].reads.push_back({TaskId(), &offload.from});
  }
  return out;
}

std::string name_of(size_t buffer) { return "buffer " + std::to_string(buffer); }

// Checks one buffer: writes disjoint, and every read of elements written before it begins.
std::string check_buffer(const TaskGraph& graph, size_t b, const Accesses& accesses, Order& order,
                         int64_t& count) {
  const bool loaded = graph.buffers[b].role != Buffer::Role::temporary;
  if (loaded && !accesses.writes.empty()) {
    return describe(graph, accesses.writes[0].task) + " writes " + name_of(b) +
           ", which the caller fills";
  }
  for (size_t i = 0; i < accesses.writes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      ++count;
      if (!empty(
              intersect(accesses.writes[i].operand->region, accesses.writes[k].operand->region))) {
        return describe(graph, accesses.writes[i].task) + " writes again what " +
               describe(graph, accesses.writes[k].task) + " wrote to " + name_of(b);
      }
    }
  }
  const auto covered = [&](const Operand& operand, TaskId reader) -> std::string {
    if (loaded || empty(operand.region)) return "";
    std::vector<Box> left = {operand.region};
    for (const Access& write : accesses.writes) {
      if (empty(intersect(write.operand->region, operand.region))) continue;
      ++count;
      if (reader.valid() && !order.before(write.task, reader)) {
        return describe(graph, reader) + " reads what " + describe(graph, write.task) +
               " may still be writing";
      }
      left = subtract(left, write.operand->region);
    }
    return left.empty() ? "" : "elements of " + name_of(b) + " are read and never written";
  };
  for (const Access& read : accesses.reads) {
    std::string failure = covered(*read.operand, read.task);
    if (!failure.empty()) return failure;
  }
  return "";
}

// A stretch of a site's arena and the buffer that had it last.
struct Owner {
  int64_t lo = 0, hi = 0;
  size_t buffer = 0;
};

class RaceCheck {
 public:
  RaceCheck(const TaskGraph& graph, Check& check, const Interruption& interruption)
      : graph_(graph),
        check_(check),
        interruption_(interruption),
        order_(graph),
        touched_(graph.buffers.size()) {
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const TaskId id(static_cast<int64_t>(t));
      for (const Operand& read : graph.tasks[t].reads)
        touched_[read.buffer.index()].all.push_back(id);
      for (const Operand& write : graph.tasks[t].writes) {
        touched_[write.buffer.index()].all.push_back(id);
        touched_[write.buffer.index()].writers.push_back(id);
      }
    }
    for (const Offload& offload : graph.offloads) touched_[offload.from.buffer.index()].kept = true;
  }

  // Goes through the buffers of a site by when they begin. Where one takes memory over from
  // another, all that touched the other must have ended before any write to the one; what the other
  // took over itself ended before that, by the same check.
  void check_site(std::vector<size_t> buffers) {
    std::ranges::stable_sort(buffers, {}, [&](size_t b) { return first(b); });
    std::vector<Owner> owners;
    for (size_t b : buffers) {
      interruption_.check();
      const Buffer& buffer = graph_.buffers[b];
      if (buffer.bytes() == 0) continue;
      const Owner mine{buffer.offset, checked_add(buffer.offset, buffer.bytes()), b};
      std::vector<Owner> kept = {mine};
      for (const Owner& owner : owners) {
        if (owner.hi <= mine.lo || mine.hi <= owner.lo) {
          kept.push_back(owner);
          continue;
        }
        if (!takes_over(b, owner.buffer)) return;
        if (owner.lo < mine.lo) kept.push_back({owner.lo, mine.lo, owner.buffer});
        if (mine.hi < owner.hi) kept.push_back({mine.hi, owner.hi, owner.buffer});
      }
      owners = std::move(kept);
    }
  }

 private:
  struct Touched {
    std::vector<TaskId> all, writers;
    bool kept = false;  // fetched by the caller after the run
  };

  int64_t first(size_t b) const {
    if (graph_.buffers[b].role != Buffer::Role::temporary) return -1;
    return touched_[b].all.empty() ? std::numeric_limits<int64_t>::max()
                                   : touched_[b].all.front().value;
  }

  bool takes_over(size_t b, size_t from) {
    const bool filled = graph_.buffers[b].role != Buffer::Role::temporary;
    const bool stays = touched_[from].kept || graph_.buffers[from].role == Buffer::Role::parameter;
    if (filled || stays) {
      check_.detail = name_of(b) + " takes memory of " + name_of(from) + ", which is still in use";
      return false;
    }
    for (TaskId writer : touched_[b].writers) {
      for (TaskId earlier : touched_[from].all) {
        ++check_.count;
        if (order_.before(earlier, writer)) continue;
        check_.detail = describe(graph_, writer) + " writes memory that " +
                        describe(graph_, earlier) + " may still be using";
        return false;
      }
    }
    return true;
  }

  const TaskGraph& graph_;
  Check& check_;
  const Interruption& interruption_;
  Order order_;
  std::vector<Touched> touched_;
};

// What is wrong with an operand itself.
std::string check_operand(const TaskGraph& graph, const Operand& operand) {
  if (!operand.buffer.valid() || operand.buffer.index() >= graph.buffers.size()) {
    return "there is no buffer " + std::to_string(operand.buffer.value);
  }
  const Buffer& buffer = graph.buffer(operand.buffer);
  if (operand.shape.size() != operand.strides.size()) return "an operand of two ranks";
  if (elements(std::span<const int64_t>(operand.shape)) == 0) return "";
  int64_t first = operand.offset, last = operand.offset;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    const int64_t reach = checked_multiply(operand.shape[i] - 1, operand.strides[i]);
    int64_t& end = reach < 0 ? first : last;
    end = checked_add(end, reach);
  }
  if (first < 0 || last >= elements(buffer.box)) return "an operand outside its buffer";
  const Operand canonical =
      operand_of(operand.buffer, buffer, {operand.offset, operand.shape, operand.strides});
  const Box bounds = shifted_to(buffer.box, buffer.box);
  if (!contains(operand.region, canonical.region) || !contains(bounds, operand.region)) {
    return "an operand's region does not hold its elements";
  }
  return "";
}

}  // namespace

void check_memory(const TaskGraph& graph, const Traits& traits, Check& check,
                  const Interruption& interruption) {
  const auto has_memory = [&](SiteId site) {
    return site.valid() && site.index() < graph.memory.size();
  };
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    interruption.check();
    ++check.count;
    const Buffer& buffer = graph.buffers[b];
    if (!has_memory(buffer.site) || buffer.offset < 0 || buffer.offset % traits.alignment != 0 ||
        checked_add(buffer.offset, buffer.bytes()) > graph.memory[buffer.site.index()].arena) {
      check.detail = name_of(b) + " does not lie in its site's arena";
      return;
    }
  }
  const auto check_operands = [&](const auto& operands, const auto& whose) {
    for (const Operand& operand : operands) {
      ++check.count;
      const std::string failure = check_operand(graph, operand);
      if (failure.empty()) continue;
      check.detail = whose() + ": " + failure;
      return false;
    }
    return true;
  };
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    interruption.check();
    const Task& task = graph.tasks[t];
    const TaskId id(static_cast<int64_t>(t));
    const auto described = [&] { return describe(graph, id); };
    if (!check_operands(task.reads, described) || !check_operands(task.writes, described)) return;
    const bool waits_backwards =
        task.after.empty() || (task.after.front().valid() && task.after.back() < id);
    if (!waits_backwards || !std::ranges::is_sorted(task.after)) {
      check.detail = describe(graph, id) + " waits for a task that is not before it";
      return;
    }
    if (!has_memory(task.site)) {
      check.detail = describe(graph, id) + " is at a site without memory";
      return;
    }
    if (task.workspace > graph.memory[task.site.index()].workspace) {
      check.detail = describe(graph, id) + " has less workspace than it asks for";
      return;
    }
  }
  for (size_t v = 0; v < graph.views.size(); ++v) {
    const auto described = [&] { return "view " + std::to_string(v); };
    if (!check_operands(std::array{graph.views[v].input, graph.views[v].output}, described)) return;
  }
  for (size_t o = 0; o < graph.offloads.size(); ++o) {
    const auto described = [&] { return "offload " + std::to_string(o); };
    if (!check_operands(std::array{graph.offloads[o].from}, described)) return;
  }
}

void check_single_assignment(const TaskGraph& graph, Check& check,
                             const Interruption& interruption) {
  const std::vector<Accesses> accesses = accesses_of(graph);
  Order order(graph);
  for (size_t b = 0; b < accesses.size(); ++b) {
    interruption.check();
    check.detail = check_buffer(graph, b, accesses[b], order, check.count);
    if (!check.detail.empty()) return;
  }
}

void check_races(const TaskGraph& graph, Check& check, const Interruption& interruption) {
  std::vector<std::vector<size_t>> of_site(graph.memory.size());
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    of_site[graph.buffers[b].site.index()].push_back(b);
  }
  RaceCheck races(graph, check, interruption);
  for (std::vector<size_t>& buffers : of_site) {
    races.check_site(std::move(buffers));
    if (!check.detail.empty()) return;
  }
}

}  // namespace einsummable
