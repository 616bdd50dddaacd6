// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/graph_builder.h"

#include <algorithm>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/status.h"
#include "einsummable/executor/cuda/task_nodes.h"

namespace einsummable::cuda {
namespace {

// A copy through the host goes in pieces of so many bytes, so that the second half of one goes
// while the first half of the next does.
constexpr int64_t kPieceBytes = int64_t{1} << 21;

void append(std::vector<Node>& to, const std::vector<Node>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Without what is there twice, which CUDA refuses.
std::vector<Node> distinct(std::vector<Node> nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

void GraphBuilder::add(TaskId id, const PreparedTask& prepared) {
  const Task& task = binding_.graph.task(id);
  ensure(ends_.size() == id.index(), "tasks are added in their order");
  const Stamps* stamps = binding_.stamps;
  Nodes after = ends_of(task);
  if (stamps) {
    after = stamp(id, stamps->begin(id), with_queues(task, prepared, std::move(after)));
  }
  Nodes ends = task.kind == Task::Kind::transfer ? add_transfer(id, std::move(after))
                                                 : add_nodes(id, prepared, std::move(after));
  ends_.push_back(stamps ? stamp(id, stamps->end(id), std::move(ends)) : std::move(ends));
}

GraphBuilder::Nodes GraphBuilder::with_queues(const Task& task, const PreparedTask& prepared,
                                              Nodes after) {
  if (task.kind == Task::Kind::transfer) {
    for (const Operand& read : task.reads) {
      append(after, queues_[{binding_.graph.buffer(read.buffer).site, task.site}].last);
    }
  } else if (prepared.workspace > 0) {
    append(after, workspaces_[task.site]);
  }
  return distinct(std::move(after));
}

GraphBuilder::Nodes GraphBuilder::stamp(TaskId id, Address at, Nodes after) {
  const int32_t on = stamping_device(binding_.graph, binding_.graph.task(id), binding_.devices);
  const auto write_time = [&](Address to, const Nodes& before) {
    const KernelLaunch launch{.function = binding_.function(Stamps::kernel(), on),
                              .device = on,
                              .blocks = 1,
                              .threads = 1,
                              .arguments = &to,
                              .argument_count = 1};
    Node node = 0;
    require(binding_.api.add_kernel(graph_, before.data(), before.size(), &launch, &node), id);
    return node;
  };
  auto origin = origins_.find(on);
  if (origin == origins_.end()) {
    origin = origins_.emplace(on, write_time(binding_.stamps->origin(on), {})).first;
  }
  after.push_back(origin->second);
  return {write_time(at, distinct(std::move(after)))};
}

std::vector<Pinned> GraphBuilder::take_staging() { return std::move(staging_); }

GraphBuilder::Nodes GraphBuilder::ends_of(const Task& task) const {
  Nodes nodes;
  for (TaskId before : task.after) append(nodes, ends_[before.index()]);
  return distinct(std::move(nodes));
}

GraphBuilder::Nodes GraphBuilder::add_nodes(TaskId id, const PreparedTask& prepared, Nodes after) {
  if (prepared.nodes.empty()) return after;
  const SiteId site = binding_.graph.task(id).site;
  if (prepared.workspace > 0) append(after, workspaces_[site]);
  for (const NodeCall& call : prepared.nodes) after = {add_node(id, call, distinct(after))};
  if (prepared.workspace > 0) workspaces_[site] = after;
  return after;
}

Node GraphBuilder::add_node(TaskId id, const NodeCall& call, const Nodes& after) {
  if (const auto* kernel = std::get_if<GeneratedKernel>(&call)) {
    return add_kernel(id, *kernel, after);
  }
  if (const auto* product = std::get_if<ProductCall>(&call)) {
    return add_product(id, *product, after);
  }
  return add_attention(id, std::get<AttentionCall>(call), after);
}

Node GraphBuilder::add_kernel(TaskId id, const GeneratedKernel& kernel, const Nodes& after) {
  const int32_t on = device(binding_.graph.task(id).site);
  std::vector<Address> addresses;
  for (const Argument& argument : kernel.arguments) addresses.push_back(address(id, argument));
  const KernelLaunch launch{.function = binding_.function(kernel.source, on),
                            .device = on,
                            .blocks = static_cast<uint32_t>(kernel.blocks),
                            .threads = static_cast<uint32_t>(kernel.source.threads),
                            .arguments = addresses.data(),
                            .argument_count = static_cast<uint32_t>(addresses.size())};
  Node node = 0;
  require(binding_.api.add_kernel(graph_, after.data(), after.size(), &launch, &node), id);
  return node;
}

Node GraphBuilder::add_product(TaskId id, const ProductCall& call, const Nodes& after) {
  Product product = call.product;
  product.device = device(binding_.graph.task(id).site);
  product.a.address = address(id, call.a);
  product.b.address = address(id, call.b);
  product.c.address = address(id, call.c);
  if (call.residual) product.residual = address(id, *call.residual);
  if (call.bias) product.bias = address(id, *call.bias);
  product.workspace = address(id, call.workspace);
  Node node = 0;
  require(binding_.api.add_product(graph_, after.data(), after.size(), &product, &node), id);
  return node;
}

Node GraphBuilder::add_attention(TaskId id, const AttentionCall& call, const Nodes& after) {
  Attention attention = call.attention;
  attention.device = device(binding_.graph.task(id).site);
  attention.q = address(id, call.q);
  attention.k = address(id, call.k);
  attention.v = address(id, call.v);
  attention.out = address(id, call.out);
  if (call.lse) attention.lse = address(id, *call.lse);
  attention.workspace = address(id, call.workspace);
  Node node = 0;
  require(binding_.api.add_attention(graph_, after.data(), after.size(), &attention, &node), id);
  return node;
}

GraphBuilder::Nodes GraphBuilder::add_transfer(TaskId id, Nodes after) {
  const TaskGraph& graph = binding_.graph;
  const Task& task = graph.task(id);
  Nodes ends = after;
  for (size_t i = 0; i < task.reads.size(); ++i) {
    const Buffer& from = graph.buffer(task.reads[i].buffer);
    const int64_t bytes = elements(task.reads[i].shape) * size_of(from.dtype);
    if (bytes == 0) continue;
    Queue& queue = queues_[{from.site, task.site}];
    const Copy copy{.from = binding_.arenas.address(task.reads[i]),
                    .to = binding_.arenas.address(task.writes[i]),
                    .from_device = device(from.site),
                    .to_device = device(task.site),
                    .bytes = static_cast<uint64_t>(bytes)};
    add_copy(id, copy, after, queue);
    append(ends, queue.last);
  }
  return distinct(std::move(ends));
}

void GraphBuilder::add_copy(TaskId id, const Copy& copy, Nodes after, Queue& queue) {
  append(after, queue.last);
  if (copy.from_device == copy.to_device || binding_.reaches(copy.from_device, copy.to_device)) {
    queue.last = {copy_node(id, copy, distinct(std::move(after)))};
  } else {
    add_staged(id, copy, std::move(after), queue);
  }
}

void GraphBuilder::add_staged(TaskId id, const Copy& copy, Nodes after, Queue& queue) {
  if (queue.staging < 0) {
    queue.staging = static_cast<int64_t>(staging_.size());
    staging_.emplace_back(binding_.api, 2 * kPieceBytes, what(id));
  }
  const Address staging = staging_[static_cast<size_t>(queue.staging)].address();
  Nodes into = after;
  for (uint64_t done = 0; done < copy.bytes; ++queue.piece) {
    const auto slot = static_cast<size_t>(queue.piece % 2);
    const uint64_t bytes = std::min<uint64_t>(copy.bytes - done, kPieceBytes);
    const Address place = staging + slot * kPieceBytes;
    append(into, queue.freed[slot]);
    const Node in = copy_node(id,
                              {.from = copy.from + done,
                               .to = place,
                               .from_device = copy.from_device,
                               .to_device = kHost,
                               .bytes = bytes},
                              distinct(into));
    Nodes out_of{in};
    append(out_of, queue.last);
    const Node out = copy_node(id,
                               {.from = place,
                                .to = copy.to + done,
                                .from_device = kHost,
                                .to_device = copy.to_device,
                                .bytes = bytes},
                               distinct(out_of));
    into = {in};
    queue.last = queue.freed[slot] = {out};
    done += bytes;
  }
}

Node GraphBuilder::copy_node(TaskId id, const Copy& copy, const Nodes& after) {
  Node node = 0;
  require(binding_.api.add_copy(graph_, after.data(), after.size(), &copy, &node), id);
  return node;
}

Address GraphBuilder::address(TaskId id, const Argument& argument) const {
  const Task& task = binding_.graph.task(id);
  const auto index = static_cast<size_t>(argument.index);
  const auto bytes = static_cast<uint64_t>(argument.bytes);
  switch (argument.of) {
    case Argument::Of::read:
      return binding_.arenas.address(task.reads.at(index)) + bytes;
    case Argument::Of::write:
      return binding_.arenas.address(task.writes.at(index)) + bytes;
    case Argument::Of::workspace:
      return binding_.arenas.workspace(task.site) + bytes;
    case Argument::Of::fault:
      return binding_.fault(id);
  }
  throw InternalError("unknown argument");
}

void GraphBuilder::require(Status status, TaskId id) const {
  if (status != Status::ok) check(binding_.api, status, what(id));
}

std::string GraphBuilder::what(TaskId id) const {
  const Task& task = binding_.graph.task(id);
  return describe(binding_.graph, task) + " on " + describe_device(binding_.api, device(task.site));
}

}  // namespace einsummable::cuda
