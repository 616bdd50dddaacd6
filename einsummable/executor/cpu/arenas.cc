// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/arenas.h"

#include <cstdlib>

#include "einsummable/base/checked.h"

namespace einsummable::cpu {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

void Arenas::Free::operator()(std::byte* memory) const { std::free(memory); }

Arenas::Arenas(std::shared_ptr<const TaskGraph> graph) : graph_(std::move(graph)) {
  for (const SiteMemory& memory : graph_->memory) {
    const int64_t bytes = round_up(std::max<int64_t>(memory.peak(), 1), kAlignment);
    void* allocated = std::aligned_alloc(kAlignment, static_cast<size_t>(bytes));
    if (!allocated) {
      throw MemoryLimitError("the machine has no " + std::to_string(bytes) + " bytes for one of " +
                             std::to_string(graph_->memory.size()) + " virtual devices");
    }
    sites_.emplace_back(static_cast<std::byte*>(allocated));
  }
  for (size_t b = 0; b < graph_->buffers.size(); ++b) {
    whole_.push_back(whole_operand(BufferId(static_cast<int64_t>(b)), graph_->buffers[b]));
  }
}

StridedView Arenas::view(const Operand& operand) const {
  const Buffer& buffer = graph_->buffer(operand.buffer);
  return {
      sites_[buffer.site.index()].get() + buffer.offset + operand.offset * size_of(buffer.dtype),
      buffer.dtype, operand.shape, operand.strides};
}

StridedView Arenas::view(BufferId buffer) const { return view(whole_[buffer.index()]); }

std::span<std::byte> Arenas::workspace(SiteId site) const {
  const SiteMemory& memory = graph_->memory[site.index()];
  return {sites_[site.index()].get() + memory.arena, static_cast<size_t>(memory.workspace)};
}

}  // namespace einsummable::cpu
