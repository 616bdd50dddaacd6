// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/scheduler.h"

#include <algorithm>
#include <numeric>
#include <system_error>

#include "einsummable/base/error.h"

namespace einsummable::cpu {
namespace {

// How often the caller is asked, and how long a thread without work stays awake: longer than most
// kernels of small graphs take, as waking up takes that long.
constexpr auto kAskEvery = std::chrono::milliseconds(50);
constexpr auto kAwake = std::chrono::microseconds(50);

size_t threads_for(int64_t asked, int64_t sites) {
  return static_cast<size_t>(std::max<int64_t>(1, std::min(asked, sites)));
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Scheduler::Scheduler(const TaskGraph& graph, std::span<const double> urgency, int64_t threads)
    : nodes_(graph.tasks.size() + 1),
      sites_(static_cast<size_t>(graph.plan->sites)),
      open_(sites_.size()),
      sleepers_(threads_for(threads, graph.plan->sites)) {
  number_tasks(graph, urgency);
  try {
    for (size_t thread = 1; thread < sleepers_.size(); ++thread) {
      threads_.emplace_back([this, thread] { work(thread); });
    }
  } catch (const std::system_error&) {
    // Those there are do all the work.
  }
}

Scheduler::~Scheduler() {
  stopping_ = true;
  for (size_t thread = 1; thread <= threads_.size(); ++thread) wake(thread);
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::number_tasks(const TaskGraph& graph, std::span<const double> urgency) {
  std::vector<int32_t> order(graph.tasks.size()), node_of(graph.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](int32_t task) { return urgency[static_cast<size_t>(task)]; });
  std::vector<size_t> at_site(sites_.size(), 0);
  for (size_t n = 0; n < order.size(); ++n) {
    const auto t = static_cast<size_t>(order[n]);
    const Task& task = graph.tasks[t];
    node_of[t] = static_cast<int32_t>(n);
    nodes_[n].task = order[n];
    nodes_[n].site = task.site.value;
    nodes_[n].predecessors = static_cast<int32_t>(task.after.size());
    ++at_site[task.site.index()];
  }
  for (size_t site = 0; site < sites_.size(); ++site) sites_[site].heap.reserve(at_site[site]);
  // Counted in the node after, then summed, then filled in: after that each has its own start.
  const auto each_edge = [&](const auto& visit) {
    for (size_t t = 0; t < order.size(); ++t) {
      for (TaskId earlier : graph.tasks[t].after) {
        visit(static_cast<size_t>(node_of[earlier.index()]), node_of[t]);
      }
    }
  };
  each_edge([&](size_t from, int32_t) { ++nodes_[from + 1].first_successor; });
  for (size_t n = 1; n < nodes_.size(); ++n) {
    nodes_[n].first_successor += nodes_[n - 1].first_successor;
  }
  successors_.resize(nodes_.back().first_successor);
  std::vector<size_t> next;
  for (const Node& node : nodes_) next.push_back(node.first_successor);
  each_edge([&](size_t from, int32_t to) { successors_[next[from]++] = to; });
}

void Scheduler::run(const std::function<void(size_t)>& execute,
                    const std::function<bool()>& interrupted) {
  const size_t tasks = nodes_.size() - 1;
  execute_ = &execute;
  interrupted_ = &interrupted;
  end_ = static_cast<int32_t>(tasks);
  failed_task_ = -1;
  error_ = nullptr;
  asked_ = Clock::now();
  left_ = tasks;
  for (Node& node : nodes_) node.waiting.store(node.predecessors, std::memory_order_relaxed);
  for (size_t n = 0; n < tasks; ++n) {
    if (nodes_[n].predecessors == 0) make_ready(static_cast<int32_t>(n));
  }
  work(0);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

bool Scheduler::is_over(size_t thread) const { return thread == 0 ? left_ == 0 : stopping_.load(); }

void Scheduler::work(size_t thread) {
  while (!is_over(thread)) {
    if (const std::optional<size_t> site = claim(thread)) {
      run_site(thread, sites_[*site]);
    } else {
      wait_for_work(thread);
    }
    if (thread == 0) ask_interrupted();
  }
}

// A site without ready nodes is no one's; who gives it the first one opens it.
void Scheduler::make_ready(int32_t node) {
  Node& made = nodes_[static_cast<size_t>(node)];
  const auto s = static_cast<size_t>(made.site);
  Site& site = sites_[s];
  made.below = site.inbox.load(std::memory_order_relaxed);
  while (!site.inbox.compare_exchange_weak(made.below, node, std::memory_order_release,
                                           std::memory_order_relaxed)) {
  }
  if (site.ready.fetch_add(1, std::memory_order_acq_rel) > 0) return;
  open_[s].store(1, std::memory_order_release);
  ++open_sites_;
}

// An open site, the thread's own first: sites are dealt out evenly.
std::optional<size_t> Scheduler::claim(size_t thread) {
  const size_t own = thread * sites_.size() / sleepers_.size();
  for (size_t i = 0; open_sites_ > 0 && i < sites_.size(); ++i) {
    const size_t site = (own + i) % sites_.size();
    if (!open_[site].load(std::memory_order_relaxed)) continue;
    if (!open_[site].exchange(0, std::memory_order_acquire)) continue;
    --open_sites_;
    return site;
  }
  return std::nullopt;
}

void Scheduler::run_site(size_t thread, Site& site) {
  bool more = true;
  while (more) {
    share_work();
    const auto n = static_cast<size_t>(most_urgent(site));
    execute(nodes_[n].task);
    for (size_t s = nodes_[n].first_successor; s < nodes_[n + 1].first_successor; ++s) {
      const int32_t next = successors_[s];
      std::atomic<int32_t>& waiting = nodes_[static_cast<size_t>(next)].waiting;
      if (waiting.fetch_sub(1, std::memory_order_acq_rel) == 1) make_ready(next);
    }
    more = site.ready.fetch_sub(1, std::memory_order_acq_rel) > 1;
    // The run may be over and another begin: nothing of this one is touched from here on.
    if (--left_ == 0 && thread != 0 && sleeping_ > 0) wake(0);
    if (thread == 0) ask_interrupted();
  }
}

// Of the nodes that are ready at a site, which has some.
int32_t Scheduler::most_urgent(Site& site) {
  int32_t node = site.inbox.exchange(-1, std::memory_order_acquire);
  for (; node >= 0; node = nodes_[static_cast<size_t>(node)].below) {
    site.heap.push_back(node);
    std::ranges::push_heap(site.heap, std::greater{});
  }
  std::ranges::pop_heap(site.heap, std::greater{});
  node = site.heap.back();
  site.heap.pop_back();
  return node;
}

void Scheduler::execute(int32_t task) {
  try {
    if (task < end_) (*execute_)(static_cast<size_t>(task));
  } catch (...) {
    fail(task, task, std::current_exception());
  }
}

// Whoever opens a site looks for sleepers afterwards, and a sleeper for open sites once it counts
// as one: one of both finds the other.
void Scheduler::wait_for_work(size_t thread) {
  const auto has_news = [&] { return open_sites_ > 0 || is_over(thread); };
  ++searching_;
  const auto until = Clock::now() + kAwake;
  do {
    for (int i = 0; i < 32 && !has_news(); ++i) pause();
    std::this_thread::yield();  // to a thread with work, where cores are fewer
  } while (!has_news() && Clock::now() < until);
  --searching_;
  if (has_news()) return;
  std::unique_lock lock(mutex_);
  Sleeper& me = sleepers_[thread];
  me.asleep = true;
  ++sleeping_;
  if (!has_news()) {
    const auto woken = [&] { return !me.asleep; };
    if (thread == 0) {
      me.wake.wait_for(lock, kAskEvery, woken);
    } else {
      me.wake.wait(lock, woken);
    }
  }
  --(std::exchange(me.asleep, false) ? sleeping_ : searching_);
}

// Wakes a thread if there is work for it and no other is looking for some.
void Scheduler::share_work() {
  if (sleeping_ == 0 || open_sites_ <= 0 || searching_ > 0) return;
  const std::lock_guard lock(mutex_);
  wake_one(sleepers_);
}

void Scheduler::wake(size_t thread) {
  const std::lock_guard lock(mutex_);
  wake_one(std::span(sleepers_).subspan(thread, 1));
}

// The first of them that is asleep; it is looking for work from now on.
void Scheduler::wake_one(std::span<Sleeper> sleepers) {
  const auto sleeper = std::ranges::find(sleepers, true, &Sleeper::asleep);
  if (sleeper == sleepers.end()) return;
  sleeper->asleep = false;
  ++searching_;
  --sleeping_;
  sleeper->wake.notify_one();
}

void Scheduler::ask_interrupted() {
  if (end_ == 0 || !*interrupted_) return;
  const auto now = Clock::now();
  if (now - asked_ < kAskEvery) return;
  asked_ = now;
  const auto after_all = static_cast<int32_t>(nodes_.size());
  try {
    if (!(*interrupted_)()) return;
    throw InputError("the call was interrupted");
  } catch (...) {
    fail(after_all, 0, std::current_exception());
  }
}

// Leaves out the tasks from `end` on. The error of the earliest task counts.
void Scheduler::fail(int32_t task, int32_t end, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end, end_.load());
  if (error_ && failed_task_ <= task) return;
  failed_task_ = task;
  error_ = std::move(error);
}

}  // namespace einsummable::cpu
