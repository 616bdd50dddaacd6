// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/memory_plan.h"

#include <algorithm>
#include <array>
#include <limits>

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// From the first task that writes a buffer to the last that touches it, as positions in the list.
struct Lifetime {
  int64_t first = kForever, last = -1;
  int64_t bytes = 0;
  std::vector<TaskId> writers, accessors;  // rising; writers are accessors too

  bool meets(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

std::vector<Lifetime> lifetimes(const TaskGraph& graph) {
  std::vector<Lifetime> out(graph.buffers.size());
  for (size_t b = 0; b < out.size(); ++b) out[b].bytes = graph.buffers[b].bytes();
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const TaskId id(static_cast<int64_t>(t));
    const auto touched = [&](const Operand& operand) -> Lifetime& {
      Lifetime& life = out[operand.buffer.index()];
      life.first = std::min(life.first, static_cast<int64_t>(t));
      life.last = std::max(life.last, static_cast<int64_t>(t));
      if (life.accessors.empty() || life.accessors.back() != id) life.accessors.push_back(id);
      return life;
    };
    for (const Operand& operand : graph.tasks[t].reads) touched(operand);
    for (const Operand& operand : graph.tasks[t].writes) {
      std::vector<TaskId>& writers = touched(operand).writers;
      if (writers.empty() || writers.back() != id) writers.push_back(id);
    }
  }
  for (const Load& load : graph.loads) {
    Lifetime& life = out[load.buffer.index()];
    life.first = -1;
    if (graph.buffer(load.buffer).role == Buffer::Role::parameter) life.last = kForever;
  }
  for (const Offload& offload : graph.offloads) out[offload.from.buffer.index()].last = kForever;
  return out;
}

struct Placed {
  int64_t lo = 0, hi = 0;
  size_t buffer = 0;
};

// The lowest aligned offset where `bytes` fit between the placed buffers that live at the same
// time.
int64_t lowest_fit(const std::vector<Placed>& placed, const std::vector<Lifetime>& lives,
                   const Lifetime& life, int64_t bytes, int64_t alignment) {
  int64_t offset = 0;
  for (const Placed& other : placed) {  // by rising lo
    if (!lives[other.buffer].meets(life)) continue;
    if (checked_add(offset, bytes) <= other.lo) break;
    offset = std::max(offset, round_up(other.hi, alignment));
  }
  return offset;
}

// Places the buffers of one site; gives its arena's size.
int64_t place_buffers(TaskGraph& graph, std::vector<size_t> of_site,
                      const std::vector<Lifetime>& lives, int64_t alignment,
                      const Interruption& interruption) {
  std::ranges::stable_sort(of_site, std::ranges::greater(),
                           [&](size_t b) { return lives[b].bytes; });
  std::vector<Placed> placed;
  int64_t arena = 0;
  for (size_t b : of_site) {
    interruption.check();
    Buffer& buffer = graph.buffers[b];
    const int64_t bytes = lives[b].bytes;
    buffer.offset = bytes == 0 ? 0 : lowest_fit(placed, lives, lives[b], bytes, alignment);
    if (bytes == 0) continue;
    const Placed at{buffer.offset, checked_add(buffer.offset, bytes), b};
    placed.insert(std::ranges::upper_bound(placed, at.lo, {}, &Placed::lo), at);
    arena = std::max(arena, at.hi);
  }
  return round_up(arena, alignment);
}

void add_after(Task& task, TaskId earlier) {
  const auto place = std::ranges::lower_bound(task.after, earlier);
  if (place == task.after.end() || *place != earlier) task.after.insert(place, earlier);
}

// Orders the writers of each buffer after everything that touched the memory it takes over.
void order_reuse(TaskGraph& graph, std::vector<size_t> of_site, const std::vector<Lifetime>& lives,
                 const Interruption& interruption) {
  std::ranges::stable_sort(of_site, {}, [&](size_t b) { return lives[b].first; });
  std::vector<Placed> owners;  // disjoint: which buffer had each stretch of memory last
  for (size_t b : of_site) {
    interruption.check();
    const Buffer& buffer = graph.buffers[b];
    if (lives[b].bytes == 0) continue;
    const Placed mine{buffer.offset, buffer.offset + lives[b].bytes, b};
    std::vector<Placed> kept = {mine};
    for (const Placed& owner : owners) {
      if (owner.hi <= mine.lo || mine.hi <= owner.lo) {
        kept.push_back(owner);
        continue;
      }
      for (TaskId writer : lives[b].writers) {
        for (TaskId earlier : lives[owner.buffer].accessors) {
          add_after(graph.tasks[writer.index()], earlier);
        }
      }
      if (owner.lo < mine.lo) kept.push_back({owner.lo, mine.lo, owner.buffer});
      if (mine.hi < owner.hi) kept.push_back({mine.hi, owner.hi, owner.buffer});
    }
    owners = std::move(kept);
  }
}

std::string megabytes(int64_t bytes) {
  return bytes < 1'000'000 ? std::to_string(bytes) + " B"
                           : std::to_string((bytes + 99'999) / 1'000'000) + "." +
                                 std::to_string((bytes + 99'999) / 100'000 % 10) + " MB";
}

}  // namespace

void plan_memory(TaskGraph& graph, const Traits& traits, const Interruption& interruption) {
  const std::vector<Lifetime> lives = lifetimes(graph);
  std::vector<std::vector<size_t>> of_site(static_cast<size_t>(graph.plan->sites));
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    of_site[graph.buffers[b].site.index()].push_back(b);
  }
  graph.memory.assign(of_site.size(), {});
  for (size_t site = 0; site < of_site.size(); ++site) {
    graph.memory[site].arena =
        place_buffers(graph, of_site[site], lives, traits.alignment, interruption);
    order_reuse(graph, of_site[site], lives, interruption);
  }
  for (Task& task : graph.tasks) {
    interruption.check();
    if (is_copy(task.kind) || !traits.workspace) continue;
    task.workspace = traits.workspace(graph, task);
    int64_t& workspace = graph.memory[task.site.index()].workspace;
    workspace = std::max(workspace, round_up(task.workspace, traits.alignment));
  }
}

int64_t peak_bytes(const TaskGraph& graph) {
  int64_t peak = 0;
  for (const SiteMemory& memory : graph.memory) peak = std::max(peak, memory.peak());
  return peak;
}

void check_memory_limit(const TaskGraph& graph, int64_t limit) {
  const auto worst = std::ranges::max_element(graph.memory, {}, &SiteMemory::peak);
  if (worst == graph.memory.end() || worst->peak() <= limit) return;
  const auto site = worst - graph.memory.begin();
  std::array<int64_t, 3> by_role = {0, 0, 0};
  for (const Buffer& buffer : graph.buffers) {
    if (buffer.site.value != site || buffer.role == Buffer::Role::temporary) continue;
    int64_t& total = by_role[static_cast<size_t>(buffer.role)];
    total = checked_add(total, buffer.bytes());
  }
  const int64_t parameters = by_role[static_cast<size_t>(Buffer::Role::parameter)];
  // Figures that would read the same are given in bytes.
  const bool alike = megabytes(limit) == megabytes(worst->peak());
  const auto amount = [&](int64_t bytes) {
    return alike ? std::to_string(bytes) + " B" : megabytes(bytes);
  };
  throw MemoryLimitError(
      "the plan does not fit " + amount(limit) + " a device on " +
      std::to_string(graph.memory.size()) + " devices: device " + std::to_string(site) + " needs " +
      amount(worst->peak()) + " (parameters " + amount(parameters) +
      ", inputs, activations and partial results " + amount(worst->arena - parameters) +
      ", workspace " + amount(worst->workspace) + "); more devices, or a limit of " +
      amount(worst->peak()) + ", would do");
}

}  // namespace einsummable
