// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/profile.h"

#include <map>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

std::string work_of(const TaskGraph& graph, const Task& task) {
  switch (task.kind) {
    case Task::Kind::slice:
      return "slice";
    case Task::Kind::concat:
      return "assemble";
    case Task::Kind::aggregate:
      return "aggregate";
    case Task::Kind::finalise:
      return "finalise";
    case Task::Kind::transfer:
      return "transfer";
    case Task::Kind::kernel:
      break;
  }
  std::vector<std::string> names;
  for (const KernelStep& step : task.steps) names.push_back(graph.graph().op(step.op).op->name());
  return join(names, " ");
}

}  // namespace

std::vector<ProfileLine> profile(const TaskGraph& graph, std::span<const TaskTime> times) {
  ensure(times.size() == graph.tasks.size(), "every task has a time");
  std::map<std::pair<std::string, bool>, ProfileLine> lines;
  for (size_t i = 0; i < times.size(); ++i) {
    const std::string work = work_of(graph, graph.tasks[i]);
    ProfileLine& line = lines[{work, times[i].reference}];
    line.work = work;
    line.reference = times[i].reference;
    ++line.tasks;
    line.seconds += times[i].seconds;
  }
  std::vector<ProfileLine> out;
  for (auto& [key, line] : lines) out.push_back(std::move(line));
  std::ranges::stable_sort(out, std::ranges::greater{}, &ProfileLine::seconds);
  return out;
}

std::vector<Span> spans(const TaskGraph& graph, std::span<const TaskTime> times) {
  ensure(times.size() == graph.tasks.size(), "every task has a time");
  std::vector<Span> out;
  for (size_t i = 0; i < times.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::vector<std::string> names;
    for (const KernelStep& step : task.steps) names.push_back(graph.graph().op(step.op).name);
    if (task.steps.empty()) names.push_back(graph.graph().tensor(task.tensor).name);
    out.push_back({.work = work_of(graph, task),
                   .name = join(names, " "),
                   .site = task.site.value,
                   .start = times[i].start,
                   .seconds = times[i].seconds});
  }
  return out;
}

}  // namespace einsummable
