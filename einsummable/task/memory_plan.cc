// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/memory_plan.h"

#include <algorithm>
#include <limits>

#include "einsummable/base/checked.h"
#include "einsummable/task/memory_use.h"

namespace einsummable {
namespace {

// Bytes [lo, hi) of a site's arena.
struct Stretch {
  int64_t lo = 0, hi = 0;
};

// A union of stretches as disjoint ones, by rising offset. Those between which nothing fits are
// one.
class Union {
 public:
  explicit Union(int64_t alignment) : alignment_(alignment) {}

  const std::vector<Stretch>& stretches() const { return stretches_; }

  void add(Stretch stretch) {
    const auto end_of = [&](const Stretch& other) { return round_up(other.hi, alignment_); };
    const auto first = std::ranges::lower_bound(stretches_, stretch.lo, {}, end_of);
    auto last = first;
    for (; last != stretches_.end() && last->lo <= round_up(stretch.hi, alignment_); ++last) {
      stretch = {std::min(stretch.lo, last->lo), std::max(stretch.hi, last->hi)};
    }
    if (first == last) {
      stretches_.insert(first, stretch);
    } else {
      *first = stretch;
      stretches_.erase(first + 1, last);
    }
  }

 private:
  int64_t alignment_;
  std::vector<Stretch> stretches_;
};

// The stretches of one site, found by when they are in use: time is cut into spans, each with those
// in use within it.
class Arena {
 public:
  // For tasks 0 to tasks - 1.
  Arena(int64_t tasks, size_t buffers, int64_t alignment)
      : alignment_(alignment),
        span_length_(tasks / static_cast<int64_t>(buffers / 8 + 1) + 1),
        spans_(static_cast<size_t>(tasks / span_length_ + 1)),
        always_(alignment),
        ever_(alignment) {}

  // Gives `bytes` the lowest aligned offset where they fit between the stretches in use at the same
  // time.
  int64_t place(int64_t bytes, const Lifetime& life) {
    const bool always = life.first < 0 && life.last == Lifetime::forever;
    const int64_t offset = lowest_fit(bytes, always ? ever_.stretches() : in_use(life));
    const Stretch placed{offset, checked_add(offset, bytes)};
    ever_.add(placed);
    if (always) {
      always_.add(placed);
    } else {
      const auto [first, last] = spans_of(life);
      for (size_t span = first; span <= last; ++span) spans_[span].push_back({placed, life});
    }
    return offset;
  }

  int64_t bytes() const {
    return ever_.stretches().empty() ? 0 : round_up(ever_.stretches().back().hi, alignment_);
  }

 private:
  struct Placed {
    Stretch stretch;
    Lifetime life;
  };

  int64_t lowest_fit(int64_t bytes, const std::vector<Stretch>& taken) const {
    int64_t offset = 0;
    for (const Stretch& other : taken) {
      if (checked_add(offset, bytes) <= other.lo) break;
      offset = std::max(offset, round_up(other.hi, alignment_));
    }
    return offset;
  }

  // The first and last span of a lifetime.
  std::pair<size_t, size_t> spans_of(const Lifetime& life) const {
    const auto span = [&](int64_t task) {
      const auto last = static_cast<int64_t>(spans_.size()) - 1;
      return static_cast<size_t>(std::clamp<int64_t>(task / span_length_, 0, last));
    };
    return {span(life.first), span(life.last)};
  }

  // The stretches in use at some time of `life`, by rising offset.
  const std::vector<Stretch>& in_use(const Lifetime& life) {
    in_use_ = always_.stretches();
    const auto [first, last] = spans_of(life);
    for (size_t span = first; span <= last; ++span) {
      for (const Placed& other : spans_[span]) {
        if (!other.life.meets(life)) continue;
        // Of a stretch in several of the spans, the first counts.
        const bool counted = span > first && spans_of(other.life).first < span;
        if (!counted) in_use_.push_back(other.stretch);
      }
    }
    std::ranges::sort(in_use_, {}, &Stretch::lo);
    return in_use_;
  }

  int64_t alignment_, span_length_;
  std::vector<std::vector<Placed>> spans_;  // those in use throughout left out
  Union always_, ever_;                     // those in use throughout; all
  std::vector<Stretch> in_use_;             // memory of in_use()
};

// A buffer to be placed.
struct Item {
  size_t buffer = 0;
  int64_t bytes = 0;
  Lifetime life;
  int64_t offset = 0;

  int64_t end() const { return offset + bytes; }
};

// Finds places for the buffers of one site, in several orders, and keeps the best.
class Placement {
 public:
  Placement(std::vector<Item> items, int64_t tasks, int64_t alignment)
      : items_(std::move(items)), tasks_(tasks), alignment_(alignment) {
    std::vector<Use> uses;
    for (const Item& item : items_) uses.push_back({item.life, round_up(item.bytes, alignment)});
    least_ = fullest(uses).bytes;
  }

  // Larger ones first; then those first of all that came to lie above the least there could be,
  // until it is nearly reached, or has been tried for long.
  void run(const Interruption& interruption) {
    std::ranges::sort(items_, [](const Item& a, const Item& b) {
      return std::pair(-a.bytes, a.buffer) < std::pair(-b.bytes, b.buffer);
    });
    constexpr size_t most_rounds = 100, most_places = 5000;
    const size_t rounds = std::clamp<size_t>(most_places / items_.size(), 1, most_rounds);
    for (size_t round = 0; round < rounds && arena_ > least_ + least_ / 64; ++round) {
      place_in_order(interruption);
      std::ranges::stable_partition(items_, [&](const Item& item) { return item.end() > least_; });
    }
  }

  int64_t arena() const { return arena_; }
  const std::vector<Item>& best() const { return best_; }

 private:
  void place_in_order(const Interruption& interruption) {
    Arena arena(tasks_, items_.size(), alignment_);
    for (Item& item : items_) {
      interruption.check();
      item.offset = arena.place(item.bytes, item.life);
    }
    if (arena.bytes() >= arena_) return;
    arena_ = arena.bytes();
    best_ = items_;
  }

  std::vector<Item> items_, best_;
  int64_t tasks_, alignment_;
  int64_t least_ = 0, arena_ = std::numeric_limits<int64_t>::max();
};

// Places the buffers of one site; gives its arena's size.
int64_t place_buffers(TaskGraph& graph, const std::vector<size_t>& of_site,
                      const std::vector<Lifetime>& lives, int64_t alignment,
                      const Interruption& interruption) {
  std::vector<Item> items;
  for (size_t b : of_site) {
    graph.buffers[b].offset = 0;
    const int64_t bytes = graph.buffers[b].bytes();
    if (bytes > 0) items.push_back({b, bytes, lives[b]});
  }
  if (items.empty()) return 0;
  Placement placement(std::move(items), std::ssize(graph.tasks), alignment);
  placement.run(interruption);
  for (const Item& item : placement.best()) graph.buffers[item.buffer].offset = item.offset;
  return placement.arena();
}

// Orders the writers of each buffer after everything that touched the memory it takes over.
void order_reuse(TaskGraph& graph, const Accesses& accesses, const Interruption& interruption) {
  const auto tasks_of = [&](size_t buffer, bool writers_only) {
    std::vector<TaskId> tasks;
    for (const Access& access : accesses.of(buffer)) {
      const bool counts = access.writes || !writers_only;
      if (counts && (tasks.empty() || tasks.back() != access.task)) tasks.push_back(access.task);
    }
    return tasks;
  };
  for (const Takeover& takeover : takeovers(graph, accesses)) {
    interruption.check();
    const std::vector<TaskId> earlier = tasks_of(takeover.from, false);
    for (TaskId writer : tasks_of(takeover.buffer, true)) {
      std::vector<TaskId>& after = graph.tasks[writer.index()].after;
      after.insert(after.end(), earlier.begin(), earlier.end());
    }
  }
  for (Task& task : graph.tasks) {
    std::ranges::sort(task.after);
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  }
}

}  // namespace

void plan_memory(TaskGraph& graph, const Traits& traits, const Interruption& interruption) {
  const Accesses accesses(graph);
  const std::vector<Lifetime> lives = lifetimes(graph, accesses);
  std::vector<std::vector<size_t>> of_site(static_cast<size_t>(graph.plan->sites));
  for (size_t b = 0; b < graph.buffers.size(); ++b) {
    of_site[graph.buffers[b].site.index()].push_back(b);
  }
  graph.memory.assign(of_site.size(), {});
  for (size_t site = 0; site < of_site.size(); ++site) {
    graph.memory[site].arena =
        place_buffers(graph, of_site[site], lives, traits.alignment, interruption);
  }
  order_reuse(graph, accesses, interruption);
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
  if (peak_bytes(graph) <= limit) return;
  const MemoryUse use = memory_use(graph);
  const Figures figures = figures_to_tell(limit, use.peak());
  throw MemoryLimitError("the plan does not fit " + amount_text(limit, figures) + " a device on " +
                         std::to_string(graph.memory.size()) + " devices: device " +
                         std::to_string(use.site) + " needs " + amount_text(use.peak(), figures) +
                         " (" + text(use, figures) + "); more devices, or a limit of " +
                         amount_text(use.peak(), figures) + ", would do");
}

}  // namespace einsummable
