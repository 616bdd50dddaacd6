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
  return operand.strides == row_major_strides(box_of(operand.shape)) ||
         elements(operand.shape) <= 1;
}

}  // namespace

ExchangeLowering::ExchangeLowering(TaskGraphBuilder& builder, const Partials& partials,
                                   const ExchangeStep& step)
    : builder_(builder),
      partials_(partials),
      step_(step),
      region_of_atom_(step.program.atoms().size(), -1),
      arrivals_(arrivals(step)),
      place_of_arrival_(arrivals_.size(), -1) {
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

int32_t& ExchangeLowering::place_of(AggregateId aggregate, SiteId site) {
  const int32_t arrival = arrivals_.find(aggregate, site);
  ensure(arrival >= 0, "an aggregate that is not where its plan says");
  return place_of_arrival_[static_cast<size_t>(arrival)];
}

int32_t ExchangeLowering::add_place(Operands operands) {
  places_.push_back(std::move(operands));
  return static_cast<int32_t>(places_.size()) - 1;
}

const ExchangeLowering::Operands& ExchangeLowering::locations(AggregateId aggregate, SiteId site) {
  int32_t& place = place_of(aggregate, site);
  if (place < 0) {
    place = add_place(is_complete(aggregate) ? complete_at(region_of(aggregate), site)
                                             : partial_at(region_of(aggregate), aggregate, site));
  }
  return places_[static_cast<size_t>(place)];
}

// Of a region that is at the site from before.
ExchangeLowering::Operands ExchangeLowering::complete_at(const Region& region, SiteId site) {
  Operands operands;
  for (const Box& box : region.boxes) {
    const auto located = builder_.find(region.tensor, site, box);
    ensure(located.has_value(), "a region is not where its plan says");
    operands.push_back(located->operand);
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
    for (size_t c = 0; c < buffers.size(); ++c) {
      operands.push_back(part_operand(buffers[c], builder_.buffer(buffers[c]),
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
  const size_t boxes = region.boxes.size();
  const auto of_box = [&](const Operands& operands, size_t b) {
    const size_t components = operands.size() / boxes;
    return std::span(operands).subspan(b * components, components);
  };
  for (size_t b = 0; b < boxes; ++b) {
    Task task{.kind = complete ? Task::Kind::finalise : Task::Kind::aggregate,
              .site = site,
              .tensor = region.tensor,
              .parts = static_cast<int32_t>(parts.size()),
              .reads = {},
              .writes = {},
              .after = {}};
    task.writes.assign(of_box(out, b).begin(), of_box(out, b).end());
    for (AggregateId part : parts) {
      const auto reads = of_box(locations(part, site), b);
      task.reads.insert(task.reads.end(), reads.begin(), reads.end());
    }
    builder_.add_task(std::move(task));
  }
  place_of(aggregate, site) = add_place(std::move(out));
}

// The boxes of an aggregate's operands.
std::vector<Box> ExchangeLowering::boxes_of(AggregateId aggregate) const {
  const Region& region = region_of(aggregate);
  if (is_complete(aggregate)) return region.boxes;
  const PartialType partial = partial_type(region.tensor);
  std::vector<Box> boxes;
  for (const Box& box : region.boxes) {
    for (const Component& component : partial.components) {
      boxes.push_back(component_box(component, box));
    }
  }
  return boxes;
}

void ExchangeLowering::transfer(AggregateId aggregate, SiteId from, SiteId to) {
  const Region& region = region_of(aggregate);
  const bool complete = is_complete(aggregate);
  const Operands& in = locations(aggregate, from);
  if (builder_.shared_memory()) {
    for (size_t b = 0; complete && b < region.boxes.size(); ++b) {
      builder_.locate(region.tensor, to, {region.boxes[b], in[b]});
    }
    place_of(aggregate, to) = place_of(aggregate, from);
    return;
  }
  Operands out = complete ? place_complete(region, to) : place_partial(region, to);
  Task task = copy_task(Task::Kind::transfer, to, region.tensor);
  Task unpack = copy_task(Task::Kind::concat, to, region.tensor);
  const std::vector<Box> boxes = boxes_of(aggregate);
  const bool dense = builder_.traits().transfers == Traits::Transfers::dense;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool pack = dense && !is_dense(in[i]);
    task.reads.push_back(pack ? packed(region.tensor, in[i], boxes[i], from) : in[i]);
    if (dense && !is_dense(out[i])) {
      task.writes.push_back(staging(region.tensor, out[i], boxes[i], to));
      unpack.reads.push_back(task.writes.back());
      unpack.writes.push_back(out[i]);
    } else {
      task.writes.push_back(out[i]);
    }
  }
  TaskId& last = last_transfer_[{from, to}];
  last = builder_.add_task(std::move(task), last);
  if (!unpack.reads.empty()) builder_.add_task(std::move(unpack));
  place_of(aggregate, to) = add_place(std::move(out));
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
    builder_.locate(region.tensor, site, {box, out.back()});
  }
  return out;
}

ExchangeLowering::Operands ExchangeLowering::place_partial(const Region& region, SiteId site) {
  const PartialType partial = partial_type(region.tensor);
  Operands out;
  for (const Box& box : region.boxes) {
    for (const Component& component : partial.components) {
      const BufferId id = builder_.add_buffer({.site = site,
                                               .dtype = component.dtype,
                                               .tensor = region.tensor,
                                               .box = component_box(component, box)});
      out.push_back(whole_operand(id, builder_.buffer(id)));
    }
  }
  return out;
}

// Where complete data of `box` is to be written at a site: inside the block expected there, or into
// a buffer of its own.
Operand ExchangeLowering::destination(TensorId tensor, SiteId site, const Box& box) {
  const auto expected = expected_.find({tensor, site});
  if (expected != expected_.end()) {
    for (const Box& block : expected->second) {
      if (!contains(block, box)) continue;
      Assembly& into = assembly(tensor, {site, block});
      subtract(into.missing, box);
      return part_operand(into.buffer, builder_.buffer(into.buffer), box);
    }
  }
  const BufferId id = builder_.add_buffer(
      {.site = site, .dtype = builder_.graph().type(tensor).dtype, .tensor = tensor, .box = box});
  return whole_operand(id, builder_.buffer(id));
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
  std::vector<Located> pieces = builder_.cover(
      tensor, block.site, begun ? assemblies.at(block.box).missing : std::vector<Box>{block.box});
  if (!begun) {
    if (const auto joined = join_pieces(pieces, block.box, builder_.buffers())) {
      builder_.locate(tensor, block.site, *joined);
      return *joined;
    }
  }
  const BufferId into = assembly(tensor, block).buffer;
  Task task = copy_task(Task::Kind::concat, block.site, tensor);
  task.reads.reserve(pieces.size());
  task.writes.reserve(pieces.size());
  for (Located& piece : pieces) {
    task.reads.push_back(std::move(piece.operand));
    task.writes.push_back(part_operand(into, builder_.buffer(into), piece.box));
  }
  if (!task.reads.empty()) builder_.add_task(std::move(task));
  Located whole{block.box, whole_operand(into, builder_.buffer(into))};
  builder_.locate(tensor, block.site, whole);
  return whole;
}

}  // namespace einsummable
