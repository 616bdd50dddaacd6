// SPDX-License-Identifier: Apache-2.0
#include "tests/support/provenance_oracle.h"

#include <algorithm>
#include <queue>

namespace einsummable {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// Every byte of every site's memory holds the value of the element it is part of, and which byte.
class Memory {
 public:
  explicit Memory(const TaskGraph& graph) : graph_(graph) {
    uint64_t poison = 0x1234567;
    for (const SiteMemory& site : graph.memory) {
      auto& bytes = sites_.emplace_back(static_cast<size_t>(site.arena));
      for (uint64_t& byte : bytes) byte = poison = mix(poison, 1);
    }
  }

  std::vector<uint64_t> read(const Operand& operand) const {
    std::vector<uint64_t> out;
    visit(operand, [&](size_t site, size_t at, size_t size) {
      uint64_t value = sites_[site][at];
      for (size_t byte = 1; byte < size; ++byte) {
        if (sites_[site][at + byte] != sites_[site][at] + byte) value = mix(value, byte + 77);
      }
      out.push_back(value);
    });
    return out;
  }

  void write(const Operand& operand, const std::vector<uint64_t>& values) {
    size_t next = 0;
    visit(operand, [&](size_t site, size_t at, size_t size) {
      const uint64_t value = values[next++];
      for (size_t byte = 0; byte < size; ++byte) sites_[site][at + byte] = value + byte;
    });
  }

 private:
  template <class Visit>
  void visit(const Operand& operand, const Visit& visitor) const {
    const Buffer& buffer = graph_.buffer(operand.buffer);
    const int64_t size = size_of(buffer.dtype);
    for_each_position(box_of(operand.shape), [&](std::span<const int64_t> x) {
      int64_t offset = operand.offset;
      for (size_t i = 0; i < x.size(); ++i) offset += x[i] * operand.strides[i];
      visitor(buffer.site.index(), static_cast<size_t>(buffer.offset + offset * size),
              static_cast<size_t>(size));
    });
  }

  const TaskGraph& graph_;
  std::vector<std::vector<uint64_t>> sites_;
};

uint64_t hash_of(uint64_t seed, const std::vector<uint64_t>& values) {
  for (uint64_t value : values) seed = mix(seed, value);
  return seed;
}

// `count` different values that all follow from `seed`.
std::vector<uint64_t> spread(uint64_t seed, size_t count) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(mix(mix(seed, i), 5));
  return out;
}

size_t size_of_operand(const Operand& operand) {
  return static_cast<size_t>(elements(std::span<const int64_t>(operand.shape)));
}

void run_kernel(const Task& task, Memory& memory) {
  uint64_t seed = 11;
  for (const Operand& read : task.reads) seed = mix(hash_of(seed, memory.read(read)), 3);
  for (const KernelStep& step : task.steps) {
    seed = mix(mix(seed, static_cast<uint64_t>(step.op.value)), static_cast<uint64_t>(step.cell));
  }
  for (size_t w = 0; w < task.writes.size(); ++w) {
    memory.write(task.writes[w], spread(mix(seed, w), size_of_operand(task.writes[w])));
  }
}

// A merge is the multiset of its parts: the same in any order, another with a part twice.
void run_merge(const Task& task, Memory& memory) {
  const auto parts = static_cast<size_t>(task.parts);
  const size_t components = task.reads.size() / parts;
  for (size_t w = 0; w < task.writes.size(); ++w) {
    std::vector<std::vector<uint64_t>> of_part;
    for (size_t part = 0; part < parts; ++part) {
      std::vector<uint64_t> values = memory.read(task.reads[part * components + w]);
      for (size_t c = 0; c < components; ++c) {
        if (c == w) continue;
        const uint64_t beside = hash_of(17, memory.read(task.reads[part * components + c]));
        for (uint64_t& value : values) value = mix(value, beside);
      }
      of_part.push_back(std::move(values));
    }
    std::vector<uint64_t> merged(size_of_operand(task.writes[w]), 0);
    for (const std::vector<uint64_t>& values : of_part) {
      for (size_t i = 0; i < merged.size() && i < values.size(); ++i)
        merged[i] += mix(values[i], 23);
    }
    const bool finish = task.kind == Task::Kind::finalise;
    for (uint64_t& value : merged) value = mix(value, finish ? 29 : 31);
    memory.write(task.writes[w], merged);
  }
}

}  // namespace

std::vector<uint64_t> run_symbolically(const TaskGraph& graph, const std::vector<TaskId>& order) {
  Memory memory(graph);
  for (const Load& load : graph.loads) {
    const Buffer& buffer = graph.buffer(load.buffer);
    std::vector<uint64_t> values;
    for_each_position(buffer.box, [&](std::span<const int64_t> x) {
      uint64_t value = mix(41, static_cast<uint64_t>(load.tensor.value));
      for (int64_t position : x) value = mix(value, static_cast<uint64_t>(position));
      values.push_back(value);
    });
    memory.write(whole_operand(load.buffer, buffer), values);
  }
  for (TaskId id : order) {
    const Task& task = graph.task(id);
    if (task.kind == Task::Kind::kernel) {
      run_kernel(task, memory);
    } else if (task.kind == Task::Kind::aggregate || task.kind == Task::Kind::finalise) {
      run_merge(task, memory);
    } else {
      for (size_t i = 0; i < task.reads.size(); ++i) {
        memory.write(task.writes[i], memory.read(task.reads[i]));
      }
    }
  }
  std::vector<std::vector<uint64_t>> saved;
  for (const GraphSave& save : graph.graph().saves()) {
    saved.emplace_back(static_cast<size_t>(graph.graph().type(save.tensor).elements()), 0);
  }
  for (const Offload& offload : graph.offloads) {
    const auto save = static_cast<size_t>(offload.save);
    const TensorType& type = graph.graph().type(graph.graph().saves()[save].tensor);
    const std::vector<int64_t> strides = row_major_strides(type.shape());
    const std::vector<uint64_t> values = memory.read(offload.from);
    size_t next = 0;
    for_each_position(offload.box, [&](std::span<const int64_t> x) {
      int64_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) at += x[i] * strides[i];
      saved[save][static_cast<size_t>(at)] = values[next++];
    });
  }
  std::vector<uint64_t> all;
  for (const auto& values : saved) all.insert(all.end(), values.begin(), values.end());
  return all;
}

std::vector<TaskId> order_by(const TaskGraph& graph, const std::vector<int64_t>& priority) {
  std::vector<size_t> waiting;
  std::vector<std::vector<size_t>> successors(graph.tasks.size());
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    waiting.push_back(graph.tasks[t].after.size());
    for (TaskId earlier : graph.tasks[t].after) successors[earlier.index()].push_back(t);
  }
  using Entry = std::pair<int64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (size_t t = 0; t < waiting.size(); ++t) {
    if (waiting[t] == 0) ready.push({priority[t], t});
  }
  std::vector<TaskId> order;
  while (!ready.empty()) {
    const size_t t = ready.top().second;
    ready.pop();
    order.push_back(TaskId(static_cast<int64_t>(t)));
    for (size_t next : successors[t]) {
      if (--waiting[next] == 0) ready.push({priority[next], next});
    }
  }
  return order;
}

}  // namespace einsummable
