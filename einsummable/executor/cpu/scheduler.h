// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "einsummable/task/task_graph.h"

namespace einsummable::cpu {

// A pool of threads that runs the tasks of a graph in any order their dependencies allow: of each
// site one task at a time, the earliest in the list first. Threads live as long as the scheduler.
class Scheduler {
 public:
  // `threads` >= 1, the calling thread of `run` one of them. More than there are sites would have
  // nothing to do, so there are no more; nor more than the machine gives.
  Scheduler(const TaskGraph& graph, int64_t threads);
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
  struct Site {
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    bool busy = false;
  };

  void work(size_t thread);
  void thread_main(size_t thread);
  bool take(size_t thread, size_t& site, int32_t& task);
  void finish(size_t site, int32_t task);
  void fail(int32_t task, int32_t end, std::exception_ptr error);
  void ask_interrupted();

  std::vector<int32_t> site_of_;
  std::vector<std::vector<int32_t>> successors_;
  std::vector<int32_t> predecessors_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Site> sites_;
  std::vector<int32_t> waiting_;  // predecessors that have not ended, a task each
  size_t left_ = 0;
  int64_t generation_ = 0;
  size_t working_ = 0;
  bool stopping_ = false;
  const std::function<void(size_t)>* execute_ = nullptr;
  const std::function<bool()>* interrupted_ = nullptr;
  std::atomic<int32_t> end_ = 0;  // tasks from here on are left out
  int32_t failed_task_ = -1;
  std::exception_ptr error_;

  std::vector<std::thread> threads_;
};

}  // namespace einsummable::cpu
