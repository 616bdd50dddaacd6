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

MemoryUse memory_use(const TaskGraph& graph) {
  MemoryUse out;
  out.tensors.assign(graph.graph().tensors().size(), 0);
  const auto worst = std::ranges::max_element(graph.memory, {}, &SiteMemory::peak);
  if (worst == graph.memory.end()) return out;
  out.site = worst - graph.memory.begin();
  out.workspace = worst->workspace;
  const std::vector<Lifetime> lives = lifetimes(graph, Accesses(graph));
  std::vector<size_t> there;
  for (size_t b = 0; b < lives.size(); ++b) {
    const Buffer& buffer = graph.buffers[b];
    const bool used = lives[b].first < static_cast<int64_t>(graph.tasks.size()) &&
                      lives[b].first <= lives[b].last && buffer.bytes() > 0;
    if (used && buffer.site.value == out.site) there.push_back(b);
  }
  // Bytes in use before the first task, and from each task on; they grow where a buffer begins.
  std::vector<int64_t> change(graph.tasks.size() + 2, 0);
  for (size_t b : there) {
    change[static_cast<size_t>(lives[b].first + 1)] += graph.buffers[b].bytes();
    if (lives[b].last == Lifetime::forever) continue;
    change[static_cast<size_t>(lives[b].last + 2)] -= graph.buffers[b].bytes();
  }
  int64_t bytes = 0, most = -1, fullest = -1;
  for (size_t t = 0; t < change.size(); ++t) {
    bytes += change[t];
    if (bytes > most) {
      most = bytes;
      fullest = static_cast<int64_t>(t) - 1;
    }
  }
  for (size_t b : there) {
    if (!lives[b].meets({fullest, fullest})) continue;
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
