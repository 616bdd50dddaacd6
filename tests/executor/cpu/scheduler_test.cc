// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "einsummable/base/error.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

// Tasks without operands: sites and dependencies are all that a scheduler sees.
TaskGraph random_tasks(Random& random, int64_t count, int64_t sites) {
  auto plan = std::make_shared<PhysicalPlan>();
  plan->sites = sites;
  TaskGraph graph;
  graph.plan = plan;
  const int64_t reach = 1 + random_below(random, 20);
  for (int64_t t = 0; t < count; ++t) {
    Task task{.site = SiteId(random_below(random, sites)), .reads = {}, .writes = {}, .after = {}};
    std::set<TaskId> after;
    for (int64_t edge = random_below(random, 4); t > 0 && edge > 0; --edge) {
      after.insert(TaskId(t - 1 - random_below(random, std::min(t, reach))));
    }
    task.after.assign(after.begin(), after.end());
    graph.tasks.push_back(std::move(task));
  }
  return graph;
}

std::vector<double> random_urgency(Random& random, const TaskGraph& graph) {
  std::vector<double> urgency;
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    urgency.push_back(static_cast<double>(random_below(random, 5)));
  }
  return urgency;
}

// All tasks alike.
std::vector<double> no_urgency(const TaskGraph& graph) {
  return std::vector<double>(graph.tasks.size(), 0);
}

// What happens while tasks run, checked as they do.
class Log {
 public:
  explicit Log(const TaskGraph& graph)
      : graph_(graph), runs_(graph.tasks.size()), busy_(static_cast<size_t>(graph.plan->sites)) {}

  void begin(size_t task) {
    const Task& of = graph_.tasks[task];
    faults_ += busy_[of.site.index()].exchange(true);
    for (TaskId earlier : of.after) faults_ += runs_[earlier.index()] != 1;
  }
  void end(size_t task) {
    ++runs_[task];
    busy_[graph_.tasks[task].site.index()] = false;
  }

  // Predecessors that had not ended, and tasks of one site at the same time.
  int faults() const { return faults_; }
  int runs(size_t task) const { return runs_[task]; }
  int64_t total() const {
    int64_t sum = 0;
    for (const auto& runs : runs_) sum += runs;
    return sum;
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::atomic<int>> runs_;
  std::vector<std::atomic<bool>> busy_;
  std::atomic<int> faults_ = 0;
};

void run_logged(Scheduler& scheduler, Log& log) {
  scheduler.run(
      [&](size_t task) {
        log.begin(task);
        log.end(task);
      },
      {});
}

TEST(Scheduler, RunsEachTaskOnceAfterItsPredecessorsOneAtATimePerSite) {
  for (int round = 0; round < rounds(100, 3000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const TaskGraph graph =
        random_tasks(random, random_below(random, 150), 1 + random_below(random, 9));
    Scheduler scheduler(graph, random_urgency(random, graph), 1 + round % 5);
    for (int repeat = 0; repeat < 3; ++repeat) {
      Log log(graph);
      run_logged(scheduler, log);
      EXPECT_EQ(log.faults(), 0);
      for (size_t t = 0; t < graph.tasks.size(); ++t) ASSERT_EQ(log.runs(t), 1) << "task " << t;
    }
  }
}

TEST(Scheduler, NeedsNoMoreThreadsThanSites) {
  Random random(1);
  const TaskGraph graph = random_tasks(random, 60, 3);
  Scheduler scheduler(graph, no_urgency(graph), std::numeric_limits<int64_t>::max());
  Log log(graph);
  run_logged(scheduler, log);
  EXPECT_EQ(log.faults(), 0);
  EXPECT_EQ(log.total(), 60);
}

TEST(Scheduler, TakesTheMostUrgentReadyTaskOfASiteThenTheEarliest) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const TaskGraph graph = random_tasks(random, 60, 1);
    const std::vector<double> urgency = random_urgency(random, graph);
    std::vector<size_t> order;
    Scheduler(graph, urgency, 1).run([&](size_t task) { order.push_back(task); }, {});
    std::set<size_t> ended;
    const auto is_ready = [&](size_t task) {
      return !ended.contains(task) && std::ranges::all_of(graph.tasks[task].after, [&](TaskId t) {
        return ended.contains(t.index());
      });
    };
    for (size_t taken : order) {
      for (size_t other = 0; other < graph.tasks.size(); ++other) {
        if (!is_ready(other)) continue;
        EXPECT_GE(urgency[taken], urgency[other]);
        EXPECT_TRUE(urgency[taken] > urgency[other] || taken <= other);
      }
      ended.insert(taken);
    }
  }
}

// Threads that have nothing to do are asleep by then. Each task but the first waits for all four.
TEST(Scheduler, WakesThreadsForWorkThatComesUpLater) {
  Random random(1);
  TaskGraph graph = random_tasks(random, 5, 4);
  for (size_t t = 1; t < graph.tasks.size(); ++t) {
    graph.tasks[t].site = SiteId(static_cast<int64_t>(t) - 1);
    graph.tasks[t].after = {TaskId(0)};
  }
  Scheduler scheduler(graph, no_urgency(graph), 4);
  for (int round = 0; round < 10; ++round) {
    std::mutex mutex;
    std::condition_variable changed;
    int present = 0;
    const auto meet = [&](size_t task) {
      if (task == 0) return std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::unique_lock lock(mutex);
      ++present;
      changed.notify_all();
      changed.wait_for(lock, std::chrono::seconds(30), [&] { return present == 4; });
    };
    scheduler.run(meet, {});
    EXPECT_EQ(present, 4);
  }
}

// As if the tasks had run one after another: the error does not depend on the threads.
TEST(Scheduler, ThrowsTheErrorOfTheEarliestTaskThatFails) {
  for (int round = 0; round < rounds(100, 3000); ++round) {
    Random random(static_cast<uint64_t>(round));
    const TaskGraph graph = random_tasks(random, 60, 6);
    std::set<size_t> failing;
    for (int i = 0; i < 4; ++i) failing.insert(static_cast<size_t>(random_below(random, 60)));
    Scheduler scheduler(graph, random_urgency(random, graph), 1 + round % 4);
    Log log(graph);
    try {
      scheduler.run(
          [&](size_t task) {
            log.begin(task);
            log.end(task);
            if (failing.contains(task)) throw InputError(std::to_string(task));
          },
          {});
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), std::to_string(*failing.begin()));
    }
    EXPECT_EQ(log.faults(), 0);
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      for (TaskId earlier : graph.tasks[t].after) {
        EXPECT_FALSE(failing.contains(earlier.index()) && log.runs(t) > 0)
            << "task " << t << " ran after one that failed";
      }
    }
    Log again(graph);
    run_logged(scheduler, again);
    EXPECT_EQ(again.total(), std::ssize(graph.tasks)) << "the next run is whole";
    EXPECT_EQ(again.faults(), 0);
  }
}

// Tasks of 2 ms each, one after another, two seconds in all.
TaskGraph long_chain() {
  Random random(1);
  TaskGraph graph = random_tasks(random, 1000, 3);
  for (size_t t = 1; t < graph.tasks.size(); ++t) {
    graph.tasks[t].after = {TaskId(static_cast<int64_t>(t) - 1)};
  }
  return graph;
}

void sleep_a_little(size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

TEST(Scheduler, StopsWhereItIsInterrupted) {
  const TaskGraph graph = long_chain();
  for (int64_t threads : {1, 2, 4}) {
    Scheduler scheduler(graph, no_urgency(graph), threads);
    std::atomic<int> ran = 0;
    try {
      scheduler.run(
          [&](size_t task) {
            sleep_a_little(task);
            ++ran;
          },
          [] { return true; });
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "the call was interrupted");
    }
    EXPECT_LT(ran, 500);
    Log log(graph);
    run_logged(scheduler, log);
    EXPECT_EQ(log.total(), std::ssize(graph.tasks)) << "the next run is whole";
  }
}

TEST(Scheduler, AnErrorInTheQuestionStopsTheRunLikeAnyOther) {
  const TaskGraph graph = long_chain();
  for (int64_t threads : {1, 3}) {
    Scheduler scheduler(graph, no_urgency(graph), threads);
    const auto interrupted = []() -> bool { throw std::runtime_error("asked in vain"); };
    EXPECT_THROW(scheduler.run(sleep_a_little, interrupted), std::runtime_error);
    Log log(graph);
    run_logged(scheduler, log);
    EXPECT_EQ(log.total(), std::ssize(graph.tasks));
  }
}

TEST(Scheduler, NeedsNoTasksAndNoRun) {
  Random random(1);
  const TaskGraph none = random_tasks(random, 0, 2);
  Scheduler scheduler(none, {}, 3);
  scheduler.run([](size_t) { FAIL() << "there is no task"; }, {});
  const TaskGraph some = random_tasks(random, 10, 2);
  const Scheduler never_run(some, no_urgency(some), 4);
}

}  // namespace
}  // namespace einsummable::cpu
