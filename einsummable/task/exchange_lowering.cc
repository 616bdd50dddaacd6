// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/exchange_lowering.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable {

using exchange::AggregateId;
using exchange::AtomId;

namespace {

Task copy_task(Task::Kind kind, SiteId site, TensorId tensor) {
  return {.kind = kind, .site = site, .tensor = tensor, .reads = {}, .writes = {}, .after = {}};
}

bool is_dense(const Operand& operand) {
  return operand.strides == row_major_strides(operand.shape) ||
         elements(std::span<const int64_t>(operand.shape)) <= 1;
}

}  // namespace

ExchangeLowering::ExchangeLowering(TaskGraphBuilder& builder, const Partials& partials,
                                   const ExchangeStep& step)
    : builder_(builder),
      partials_(partials),
      step_(step),
      region_of_atom_(step.program.atoms().size(), -1) {
  for (size_t r = 0; r < step.regions.size(); ++r) {
    for (AtomId atom : step.regions[r].atoms) {
      region_of_atom_[atom.index()] = static_cast<int32_t>(r);
    }
  }
}

void ExchangeLowering::expect(TensorId tensor, const Resident& block) {
  std::vector<Box>& boxes = expected_[{tensor, block.site}];
  for (const Box& box : boxes) {
    if (contains(box, block.box)) return;
  }
  std::erase_if(boxes, [&](const Box& box) { return contains(block.box, box); });
  boxes.push_back(block.box);
}

const Region& ExchangeLowering::region_of(AggregateId aggregate) const {
  const AtomId first = step_.program.atoms(aggregate)[0];
  return step_.regions[static_cast<size_t>(region_of_atom_[first.index()])];
}

bool ExchangeLowering::is_complete(AggregateId aggregate) const {
  return region_of(aggregate).complete == aggregate;
}

void ExchangeLowering::run() {
  ensure(step_.program.splits().empty(), "a program with split atoms cannot be lowered");
  for (const Derivation& derivation : step_.derivations) {
    if (derivation.source.valid()) {
      transfer(derivation.aggregate, derivation.source, derivation.site);
    } else {
      aggregate(derivation.aggregate, derivation.site, derivation.parts);
    }
  }
}

const ExchangeLowering::Operands& ExchangeLowering::locations(AggregateId aggregate, SiteId site) {
  const auto [place, added] = located_.try_emplace({aggregate, site});
  if (added) {
    place->second = is_complete(aggregate) ? complete_at(region_of(aggregate), site)
                                           : partial_at(region_of(aggregate), aggregate, site);
  }
  return place->second;
}

// Of a region that is at the site from before.
ExchangeLowering::Operands ExchangeLowering::complete_at(const Region& region, SiteId site) {
  Operands operands;
  for (const Box& box : region.boxes) {
    const auto located = builder_.find(region.tensor, site, box);
    ensure(located.has_value(), "a region is not where its plan says");
    operands.push_back({located->operand});
  }
  return operands;
}

// Of a partial result as its cell left it.
ExchangeLowering::Operands ExchangeLowering::partial_at(const Region& region, AggregateId aggregate,
                                                        SiteId site) {
  const AtomId atom = step_.program.atoms(aggregate)[0];
  const auto k = static_cast<size_t>(std::ranges::find(region.atoms, atom) - region.atoms.begin());
  const PartialBuffers& buffers = partials_.at({region.tensor, region.block, k});
  ensure(step_.program.atoms(aggregate).size() == 1 && builder_.buffer(buffers[0]).site == site,
         "a partial result is not where its plan says");
  const PartialType partial = partial_type(region.tensor);
  Operands operands;
  for (const Box& box : region.boxes) {
    operands.emplace_back();
    for (size_t c = 0; c < buffers.size(); ++c) {
      operands.back().push_back(part_operand(buffers[c], builder_.buffer(buffers[c]),
                                             component_box(partial.components[c], box)));
    }
  }
  return operands;
}

PartialType ExchangeLowering::partial_type(TensorId id) const {
  return builder_.plan().partial(id);
}

void ExchangeLowering::aggregate(AggregateId aggregate, SiteId site,
                                 const std::vector<AggregateId>& parts) {
  const Region& region = region_of(aggregate);
  const bool complete = is_complete(aggregate);
  Operands out = complete ? place_complete(region, site) : place_partial(region, site);
  for (size_t b = 0; b < region.boxes.size(); ++b) {
    Task task{.kind = complete ? Task::Kind::finalise : Task::Kind::aggregate,
              .site = site,
              .tensor = region.tensor,
              .parts = static_cast<int32_t>(parts.size()),
              .reads = {},
              .writes = out[b],
              .after = {}};
    for (AggregateId part : parts) {
      for (const Operand& operand : locations(part, site)[b]) task.reads.push_back(operand);
    }
    builder_.add_task(std::move(task));
  }
  located_[{aggregate, site}] = std::move(out);
}

void ExchangeLowering::transfer(AggregateId aggregate, SiteId from, SiteId to) {
  const Region& region = region_of(aggregate);
  const bool complete = is_complete(aggregate);
  const Operands in = locations(aggregate, from);
  if (builder_.shared_memory()) {
    for (size_t b = 0; complete && b < region.boxes.size(); ++b) {
      builder_.locate(region.tensor, to, {region.boxes[b], in[b][0]});
    }
    located_[{aggregate, to}] = in;
    return;
  }
  Operands out = complete ? place_complete(region, to) : place_partial(region, to);
  Task task = copy_task(Task::Kind::transfer, to, region.tensor);
  Task unpack = copy_task(Task::Kind::concat, to, region.tensor);
  const PartialType partial = partial_type(region.tensor);
  const bool dense = builder_.traits().transfers == Traits::Transfers::dense;
  for (size_t b = 0; b < in.size(); ++b) {
    for (size_t c = 0; c < in[b].size(); ++c) {
      const Box box =
          complete ? region.boxes[b] : component_box(partial.components[c], region.boxes[b]);
      const bool pack = dense && !is_dense(in[b][c]);
      task.reads.push_back(pack ? packed(region.tensor, in[b][c], box, from) : in[b][c]);
      if (dense && !is_dense(out[b][c])) {
        task.writes.push_back(staging(region.tensor, out[b][c], box, to));
        unpack.reads.push_back(task.writes.back());
        unpack.writes.push_back(out[b][c]);
      } else {
        task.writes.push_back(out[b][c]);
      }
    }
  }
  TaskId& last = last_transfer_[{from, to}];
  last = builder_.add_task(std::move(task), last);
  if (!unpack.reads.empty()) builder_.add_task(std::move(unpack));
  located_[{aggregate, to}] = std::move(out);
}

// A dense buffer at a site for what another buffer holds of `box`.
Operand ExchangeLowering::staging(TensorId tensor, const Operand& like, const Box& box,
                                  SiteId site) {
  const BufferId id = builder_.add_buffer(
      {.site = site, .dtype = builder_.buffer(like.buffer).dtype, .tensor = tensor, .box = box});
  return whole_operand(id, builder_.buffer(id));
}

// A dense copy of the operand at its site.
Operand ExchangeLowering::packed(TensorId tensor, const Operand& operand, const Box& box,
                                 SiteId site) {
  Task task = copy_task(Task::Kind::slice, site, tensor);
  task.reads = {operand};
  task.writes = {staging(tensor, operand, box, site)};
  const Operand out = task.writes[0];
  builder_.add_task(std::move(task));
  return out;
}

ExchangeLowering::Operands ExchangeLowering::place_complete(const Region& region, SiteId site) {
  Operands out;
  for (const Box& box : region.boxes) {
    out.push_back(destination(region.tensor, site, box));
    builder_.locate(region.tensor, site, {box, out.back()[0]});
  }
  return out;
}

ExchangeLowering::Operands ExchangeLowering::place_partial(const Region& region, SiteId site) {
  const PartialType partial = partial_type(region.tensor);
  Operands out;
  for (const Box& box : region.boxes) {
    out.emplace_back();
    for (const Component& component : partial.components) {
      const BufferId id = builder_.add_buffer({.site = site,
                                               .dtype = component.dtype,
                                               .tensor = region.tensor,
                                               .box = component_box(component, box)});
      out.back().push_back(whole_operand(id, builder_.buffer(id)));
    }
  }
  return out;
}

// Where complete data of `box` is to be written at a site: inside the block expected there, or into
// a buffer of its own.
std::vector<Operand> ExchangeLowering::destination(TensorId tensor, SiteId site, const Box& box) {
  const auto expected = expected_.find({tensor, site});
  if (expected != expected_.end()) {
    for (const Box& block : expected->second) {
      if (!contains(block, box)) continue;
      Assembly& into = assembly(tensor, {site, block});
      into.missing = subtract(into.missing, box);
      return {part_operand(into.buffer, builder_.buffer(into.buffer), box)};
    }
  }
  const BufferId id = builder_.add_buffer(
      {.site = site, .dtype = builder_.graph().type(tensor).dtype, .tensor = tensor, .box = box});
  return {whole_operand(id, builder_.buffer(id))};
}

ExchangeLowering::Assembly& ExchangeLowering::assembly(TensorId tensor, const Resident& block) {
  auto& assemblies = assemblies_[{tensor, block.site}];
  const auto found = assemblies.find(block.box);
  if (found != assemblies.end()) return found->second;
  const BufferId id = builder_.add_buffer({.site = block.site,
                                           .dtype = builder_.graph().type(tensor).dtype,
                                           .tensor = tensor,
                                           .box = block.box});
  return assemblies[block.box] = {id, {block.box}};
}

Located ExchangeLowering::block(TensorId tensor, const Resident& block) {
  if (const auto found = builder_.find(tensor, block.site, block.box)) return *found;
  const auto& assemblies = assemblies_[{tensor, block.site}];
  const bool begun = assemblies.contains(block.box);
  const std::vector<Located> pieces = builder_.cover(
      tensor, block.site, begun ? assemblies.at(block.box).missing : std::vector<Box>{block.box});
  if (!begun) {
    if (const auto joined = join_pieces(pieces, block.box, builder_.buffers())) {
      builder_.locate(tensor, block.site, *joined);
      return *joined;
    }
  }
  const BufferId into = assembly(tensor, block).buffer;
  Task task = copy_task(Task::Kind::concat, block.site, tensor);
  for (const Located& piece : pieces) {
    task.reads.push_back(piece.operand);
    task.writes.push_back(part_operand(into, builder_.buffer(into), piece.box));
  }
  if (!task.reads.empty()) builder_.add_task(std::move(task));
  Located whole{block.box, whole_operand(into, builder_.buffer(into))};
  builder_.locate(tensor, block.site, whole);
  return whole;
}

}  // namespace einsummable
