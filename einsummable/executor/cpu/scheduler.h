// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "einsummable/task/task_graph.h"

namespace einsummable::cpu {

// A pool of threads that runs the tasks of a graph in any order their dependencies allow: of each
// site one task at a time, the most urgent ready one first. A thread stays at a site while tasks
// are ready there, then goes to another, its own first. Threads live as long as the scheduler; a
// run locks no mutex and allocates nothing, except that a thread without work goes to sleep, and is
// woken when there is some.
class Scheduler {
 public:
  // `urgency` has a number a task, the larger the sooner; of the same, the earlier in the list
  // first. `threads` >= 1, the calling thread of `run` one of them. More than there are sites would
  // have nothing to do, so there are no more; nor more than the machine gives.
  Scheduler(const TaskGraph& graph, std::span<const double> urgency, int64_t threads);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Runs every task once by `execute`. If one throws, tasks later in the list that have not begun
  // are left out, those before it still run: the error thrown is that of the earliest task that
  // fails, at any number of threads. Also stops, with InputError, when `interrupted` (asked by the
  // calling thread now and then; may be empty) says so, and with its error if it throws.
  void run(const std::function<void(size_t task)>& execute,
           const std::function<bool()>& interrupted);

 private:
  using Clock = std::chrono::steady_clock;

  // A task. They are numbered by falling urgency.
  struct Node {
    int32_t task = 0, site = 0, predecessors = 0;
    size_t first_successor = 0;        // in successors_, up to that of the next node
    std::atomic<int32_t> waiting = 0;  // predecessors that have not ended
    int32_t below = -1;                // the node under it in the inbox of its site
  };
  struct alignas(64) Site {
    std::atomic<int32_t> inbox = -1;  // a stack of nodes that came to be ready
    std::atomic<int32_t> ready = 0;   // nodes that may run or are running
    std::vector<int32_t> heap;        // taken from the inbox by the thread that has the site
  };
  struct Sleeper {
    std::condition_variable wake;
    bool asleep = false;
  };

  void number_tasks(const TaskGraph& graph, std::span<const double> urgency);
  void work(size_t thread);
  bool is_over(size_t thread) const;
  void make_ready(int32_t node);
  std::optional<size_t> claim(size_t thread);
  void run_site(size_t thread, Site& site);
  int32_t most_urgent(Site& site);
  void execute(int32_t task);
  void wait_for_work(size_t thread);
  void share_work();
  void wake(size_t thread);
  void wake_one(std::span<Sleeper> sleepers);
  void fail(int32_t task, int32_t end, std::exception_ptr error);
  void ask_interrupted();

  std::vector<Node> nodes_;  // and one more, for its first_successor
  std::vector<int32_t> successors_;
  std::vector<Site> sites_;
  std::vector<std::atomic<char>> open_;  // sites with ready nodes that no thread has

  std::atomic<int32_t> open_sites_ = 0;
  std::atomic<int32_t> searching_ = 0, sleeping_ = 0;  // threads
  std::atomic<size_t> left_ = 0;
  std::atomic<bool> stopping_ = false;
  const std::function<void(size_t)>* execute_ = nullptr;
  const std::function<bool()>* interrupted_ = nullptr;
  Clock::time_point asked_;

  std::mutex mutex_;               // of what follows
  std::vector<Sleeper> sleepers_;  // a thread each
  std::atomic<int32_t> end_ = 0;   // tasks from here on are left out
  int32_t failed_task_ = -1;
  std::exception_ptr error_;

  std::vector<std::thread> threads_;
};

}  // namespace einsummable::cpu
