// SPDX-License-Identifier: Apache-2.0
// What is proved of memory: buffers lie in their sites' arenas, operands in their buffers, and
// tasks wait only for tasks before them.

#include <algorithm>
#include <array>

#include "einsummable/base/checked.h"
#include "einsummable/task/operand.h"
#include "einsummable/task/verify_checks.h"

namespace einsummable {
namespace {

bool is_inside(const Box& region, const Buffer& buffer) {
  for (size_t i = 0; i < region.size(); ++i) {
    if (region[i].lo < 0 || region[i].hi > buffer.box[i].length()) return false;
  }
  return true;
}

// Whether all elements of the operand, which has some, lie in the buffer.
bool has_elements_inside(const Operand& operand, const Buffer& buffer) {
  int64_t first = operand.offset, last = operand.offset;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    const int64_t reach = checked_multiply(operand.shape[i] - 1, operand.strides[i]);
    int64_t& end = reach < 0 ? first : last;
    end = checked_add(end, reach);
  }
  return first >= 0 && last < elements(buffer.box);
}

// What is wrong with an operand itself; null if nothing is.
const char* fault_of(const Operand& operand, const Buffer& buffer) {
  if (operand.shape.size() != operand.strides.size()) return "an operand of two ranks";
  const bool ranked = operand.region.size() == buffer.box.size();
  const bool inside = ranked && is_inside(operand.region, buffer);
  if (inside && is_plain(operand, buffer)) return nullptr;
  if (ranked && elements(operand.shape) == 0) return nullptr;
  if (!has_elements_inside(operand, buffer)) return "an operand outside its buffer";
  if (!inside || !contains(operand.region, spanned_region(operand, buffer))) {
    return "an operand's region does not hold its elements";
  }
  return nullptr;
}

// Goes through buffers, tasks, views and offloads until something is wrong.
class MemoryCheck {
 public:
  MemoryCheck(const TaskGraph& graph, const Traits& traits, Check& check)
      : graph_(graph), traits_(traits), check_(check) {}

  void run(const Interruption& interruption) {
    for (size_t b = 0; b < graph_.buffers.size(); ++b) {
      interruption.check();
      ++check_.count;
      if (!in_arena(graph_.buffers[b])) {
        return fail("buffer " + std::to_string(b) + " does not lie in its site's arena");
      }
    }
    for (size_t t = 0; t < graph_.tasks.size(); ++t) {
      interruption.check();
      if (!check_task(TaskId(static_cast<int64_t>(t)))) return;
    }
    for (size_t v = 0; v < graph_.views.size(); ++v) {
      const auto whose = [&] { return "view " + std::to_string(v); };
      const View& view = graph_.views[v];
      if (!check_operand(view.input, whose) || !check_operand(view.output, whose)) return;
    }
    for (size_t o = 0; o < graph_.offloads.size(); ++o) {
      const auto whose = [&] { return "offload " + std::to_string(o); };
      if (!check_operand(graph_.offloads[o].from, whose)) return;
    }
  }

 private:
  void fail(std::string detail) { check_.detail = std::move(detail); }

  bool has_memory(SiteId site) const { return site.valid() && site.index() < graph_.memory.size(); }

  bool in_arena(const Buffer& buffer) const {
    if (!has_memory(buffer.site) || buffer.offset < 0) return false;
    if (buffer.offset % traits_.alignment != 0) return false;
    const int64_t arena = graph_.memory[buffer.site.index()].arena;
    return checked_add(buffer.offset, buffer.bytes()) <= arena;
  }

  bool check_task(TaskId id) {
    const Task& task = graph_.task(id);
    const auto whose = [&] { return describe(graph_, id); };
    const auto holds = [&](const Operand& operand) { return check_operand(operand, whose); };
    if (!std::ranges::all_of(task.reads, holds)) return false;
    if (!std::ranges::all_of(task.writes, holds)) return false;
    const bool waits_backwards =
        task.after.empty() || (task.after.front().valid() && task.after.back() < id);
    if (!waits_backwards || !std::ranges::is_sorted(task.after)) {
      fail(whose() + " waits for a task that is not before it");
    } else if (!has_memory(task.site)) {
      fail(whose() + " is at a site without memory");
    } else if (task.workspace > graph_.memory[task.site.index()].workspace) {
      fail(whose() + " has less workspace than it asks for");
    }
    return check_.detail.empty();
  }

  template <class Whose>
  bool check_operand(const Operand& operand, const Whose& whose) {
    ++check_.count;
    if (!operand.buffer.valid() || operand.buffer.index() >= graph_.buffers.size()) {
      fail(whose() + ": there is no buffer " + std::to_string(operand.buffer.value));
      return false;
    }
    const char* fault = fault_of(operand, graph_.buffer(operand.buffer));
    if (fault) fail(whose() + ": " + fault);
    return !fault;
  }

  const TaskGraph& graph_;
  const Traits& traits_;
  Check& check_;
};

}  // namespace

void check_memory(const TaskGraph& graph, const Traits& traits, Check& check,
                  const Interruption& interruption) {
  MemoryCheck(graph, traits, check).run(interruption);
}

}  // namespace einsummable
