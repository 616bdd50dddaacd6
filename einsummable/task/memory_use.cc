// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/memory_use.h"

#include <algorithm>

namespace einsummable {

std::vector<Lifetime> lifetimes(const TaskGraph& graph, const Accesses& accesses) {
  std::vector<Lifetime> out(graph.buffers.size());
  for (size_t b = 0; b < out.size(); ++b) {
    out[b].first = accesses.first_use(graph, b);
    if (!accesses.of(b).empty()) out[b].last = accesses.of(b).back().task.value;
    if (graph.buffers[b].role == Buffer::Role::parameter) out[b].last = Lifetime::forever;
  }
  for (const Offload& offload : graph.offloads) {
    out[offload.from.buffer.index()].last = Lifetime::forever;
  }
  return out;
}

Fullest fullest(std::span<const Use> uses) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // of one time, decreases come first
  for (const Use& use : uses) {
    changes.emplace_back(use.life.first, use.bytes);
    if (use.life.last != Lifetime::forever) changes.emplace_back(use.life.last + 1, -use.bytes);
  }
  std::ranges::sort(changes);
  Fullest out;
  int64_t bytes = 0;
  for (const auto& [task, change] : changes) {
    bytes += change;
    if (bytes > out.bytes) out = {bytes, task};
  }
  return out;
}

std::vector<int64_t> least_bytes(const TaskGraph& graph) {
  const std::vector<Lifetime> lives = lifetimes(graph, Accesses(graph));
  std::vector<std::vector<Use>> uses(graph.memory.size());
  for (size_t b = 0; b < lives.size(); ++b) {
    const Buffer& buffer = graph.buffers[b];
    if (lives[b].is_used()) uses[buffer.site.index()].push_back({lives[b], buffer.bytes()});
  }
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    const auto now = static_cast<int64_t>(t);
    uses[graph.tasks[t].site.index()].push_back({{now, now}, graph.tasks[t].workspace});
  }
  std::vector<int64_t> out;
  for (const std::vector<Use>& of_site : uses) out.push_back(fullest(of_site).bytes);
  return out;
}

MemoryUse memory_use(const TaskGraph& graph) {
  MemoryUse out;
  out.tensors.assign(graph.graph().tensors().size(), 0);
  const auto worst = std::ranges::max_element(graph.memory, {}, &SiteMemory::peak);
  if (worst == graph.memory.end()) return out;
  out.site = worst - graph.memory.begin();
  out.workspace = worst->workspace;
  const std::vector<Lifetime> lives = lifetimes(graph, Accesses(graph));
  std::vector<size_t> there;
  std::vector<Use> uses;
  for (size_t b = 0; b < lives.size(); ++b) {
    const Buffer& buffer = graph.buffers[b];
    if (!lives[b].is_used() || buffer.bytes() == 0 || buffer.site.value != out.site) continue;
    there.push_back(b);
    uses.push_back({lives[b], buffer.bytes()});
  }
  const int64_t at = fullest(uses).task;
  for (size_t b : there) {
    if (!lives[b].meets({at, at})) continue;
    const Buffer& buffer = graph.buffers[b];
    out.tensors[buffer.tensor.index()] = 1;
    if (buffer.role == Buffer::Role::parameter) out.parameters += buffer.bytes();
    if (buffer.role == Buffer::Role::input) out.inputs += buffer.bytes();
  }
  out.temporaries = worst->arena - out.parameters - out.inputs;
  return out;
}

std::string amount_text(int64_t bytes, Figures figures) {
  if (figures == Figures::exact || bytes < 1'000'000) return std::to_string(bytes) + " B";
  return std::to_string((bytes + 99'999) / 1'000'000) + "." +
         std::to_string((bytes + 99'999) / 100'000 % 10) + " MB";
}

Figures figures_to_tell(int64_t a, int64_t b) {
  const bool alike = amount_text(a, Figures::rounded) == amount_text(b, Figures::rounded);
  return alike ? Figures::exact : Figures::rounded;
}

std::string text(const MemoryUse& use, Figures figures) {
  return "parameters " + amount_text(use.parameters, figures) + ", inputs " +
         amount_text(use.inputs, figures) + ", activations and partial results " +
         amount_text(use.temporaries, figures) + ", workspace " +
         amount_text(use.workspace, figures);
}

}  // namespace einsummable
