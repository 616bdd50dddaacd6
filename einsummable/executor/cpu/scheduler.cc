// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/scheduler.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "einsummable/base/error.h"

namespace einsummable::cpu {

Scheduler::Scheduler(const TaskGraph& graph, int64_t threads)
    : successors_(graph.tasks.size()), sites_(static_cast<size_t>(graph.plan->sites)) {
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    site_of_.push_back(graph.tasks[t].site.value);
    predecessors_.push_back(static_cast<int32_t>(graph.tasks[t].after.size()));
    for (TaskId earlier : graph.tasks[t].after) {
      successors_[earlier.index()].push_back(static_cast<int32_t>(t));
    }
  }
  try {
    for (int64_t thread = 1; thread < std::min(threads, graph.plan->sites); ++thread) {
      threads_.emplace_back([this, thread] { thread_main(static_cast<size_t>(thread)); });
    }
  } catch (const std::system_error&) {
    // Those there are do all the work.
  }
}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::run(const std::function<void(size_t)>& execute,
                    const std::function<bool()>& interrupted) {
  {
    const std::lock_guard lock(mutex_);
    execute_ = &execute;
    interrupted_ = &interrupted;
    end_ = static_cast<int32_t>(predecessors_.size());
    failed_task_ = -1;
    error_ = nullptr;
    waiting_ = predecessors_;
    left_ = waiting_.size();
    for (size_t t = 0; t < waiting_.size(); ++t) {
      if (waiting_[t] == 0) {
        sites_[static_cast<size_t>(site_of_[t])].ready.push(static_cast<int32_t>(t));
      }
    }
    ++generation_;
  }
  changed_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return working_ == 0; });
  execute_ = nullptr;
  interrupted_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void Scheduler::thread_main(size_t thread) {
  int64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || (generation_ != seen && left_ > 0); });
      if (stopping_) return;
      seen = generation_;
      ++working_;
    }
    work(thread);
    {
      const std::lock_guard lock(mutex_);
      --working_;
    }
    changed_.notify_all();
  }
}

// Takes a ready task of a site that no one works on, sites in turn from the thread's own.
bool Scheduler::take(size_t thread, size_t& site, int32_t& task) {
  for (size_t i = 0; i < sites_.size(); ++i) {
    site = (thread + i) % sites_.size();
    if (sites_[site].busy || sites_[site].ready.empty()) continue;
    task = sites_[site].ready.top();
    sites_[site].ready.pop();
    sites_[site].busy = true;
    return true;
  }
  return false;
}

void Scheduler::work(size_t thread) {
  auto asked = std::chrono::steady_clock::now();
  while (true) {
    size_t site = 0;
    int32_t task = -1;
    {
      std::unique_lock lock(mutex_);
      while (left_ > 0 && !take(thread, site, task)) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        if (thread == 0) break;
      }
      if (left_ == 0) return;
    }
    if (task >= 0) {
      try {
        if (task < end_) (*execute_)(static_cast<size_t>(task));
      } catch (...) {
        fail(task, task, std::current_exception());
      }
      finish(site, task);
    }
    const auto now = std::chrono::steady_clock::now();
    if (thread == 0 && now - asked > std::chrono::milliseconds(50)) {
      ask_interrupted();
      asked = now;
    }
  }
}

void Scheduler::ask_interrupted() {
  if (end_ == 0 || !*interrupted_) return;
  const auto after_all = static_cast<int32_t>(site_of_.size());
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

void Scheduler::finish(size_t site, int32_t task) {
  {
    const std::lock_guard lock(mutex_);
    sites_[site].busy = false;
    --left_;
    for (int32_t next : successors_[static_cast<size_t>(task)]) {
      if (--waiting_[static_cast<size_t>(next)] > 0) continue;
      sites_[static_cast<size_t>(site_of_[static_cast<size_t>(next)])].ready.push(next);
    }
  }
  changed_.notify_all();
}

}  // namespace einsummable::cpu
