// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/switch_time.h"

#include <algorithm>

namespace einsummable {

double SwitchTime::seconds(const LayoutGrid& from, const LayoutGrid& to, AxisTable& axes,
                           const ElementBytes& bytes) {
  from_ = &from;
  to_ = &to;
  bytes_ = bytes;
  held_.assign(from.blocks(), 0);
  needed_.assign(to.blocks(), {});
  sends_ = sends_merged_ = false;
  find_both();
  if (from.even && to.even && from.bounds == to.bounds) {
    add_evenly();
  } else {
    add_by_parts(axes);
  }
  return busiest() + (sends_ ? latency_ : 0) + (sends_merged_ ? latency_ : 0);
}

void SwitchTime::find_both() {
  both_.assign(from_->blocks() * to_->blocks(), 0);
  less_.resize(both_.size());
  pairs_.clear();
  for (size_t s = 0; s < std::min(from_->block_of.size(), to_->block_of.size()); ++s) {
    if (from_->block_of[s] < 0 || to_->block_of[s] < 0) continue;
    const auto b = static_cast<size_t>(from_->block_of[s]);
    const auto n = static_cast<size_t>(to_->block_of[s]);
    if (both_[pair_of(b, n)]++ > 0) continue;
    less_[pair_of(b, n)] = {};
    pairs_.emplace_back(b, n);
  }
}

// Of blocks that tile the same box, each at as many sites: everything, as if no site had of what it
// needs; then the parts of which some sites have.
void SwitchTime::add_evenly() {
  const double holders = from_->copies[0], receivers = to_->copies[0];
  const Share each = share(holders, receivers);
  double received = 0;
  for (size_t b = 0; b < held_.size(); ++b) {
    held_[b] = from_->elements[b] * each.holder;
    received += from_->elements[b];
  }
  for (size_t n = 0; n < needed_.size(); ++n) needed_[n].add(each.needer, to_->elements[n]);
  for (const auto& [b, n] : pairs_) {
    const auto part = static_cast<double>(common_elements(from_->boxes[b], to_->boxes[n]));
    if (part == 0) continue;
    if (from_->partial) {
      less_[pair_of(b, n)].add(each.less, part);
      continue;
    }
    const double others = receivers - both_[pair_of(b, n)];
    const Share left = others > 0 ? share(holders, others) : Share();
    if (others == 0) received -= part;
    held_[b] += part * (left.holder - each.holder);
    needed_[n].add(left.needer, part);
    needed_[n].add(each.needer, -part);
    less_[pair_of(b, n)].add(left.less, part);
  }
  sends_ = received > 0;
  sends_merged_ = from_->partial && receivers > 1;
}

void SwitchTime::add_by_parts(AxisTable& axes) {
  meetings_.clear();
  single_ = true;
  for (size_t axis = 0; axis < from_->axes.size(); ++axis) {
    meetings_.push_back(&axes.meeting(from_->axes[axis], to_->axes[axis]));
    single_ = single_ && meetings_.back()->intervals.size() == meetings_.back()->alike.size();
  }
  chosen_.resize(meetings_.size());
  visit(0, 0, 0, 1);
}

// Goes through the parts of all blocks: `at` is where a block is along the axes before, and `to`
// where the first of those is that need the part.
void SwitchTime::visit(size_t axis, size_t at, size_t to, double elements) {
  if (axis < meetings_.size()) {
    const Meeting& meeting = *meetings_[axis];
    for (size_t i = 0; i < meeting.intervals_from; ++i) {
      for (size_t a = meeting.first[i]; a < meeting.first[i + 1]; ++a) {
        const Meeting::Alike& alike = meeting.alike[a];
        chosen_[axis] = &alike;
        visit(axis + 1, at * meeting.intervals_from + i,
              to * meeting.intervals_to + meeting.intervals[alike.begin], elements * alike.length);
      }
    }
    return;
  }
  if (from_->block_at[at] < 0) return;
  needers_.assign(1, to);
  if (!single_) find_needers();
  add_part(static_cast<size_t>(from_->block_at[at]), elements);
}

// Along every axis any of the intervals that have the part in common.
void SwitchTime::find_needers() {
  needers_.assign(1, 0);
  for (size_t axis = 0; axis < chosen_.size(); ++axis) {
    const Meeting& meeting = *meetings_[axis];
    const size_t before = needers_.size();
    for (size_t i = chosen_[axis]->begin; i < chosen_[axis]->end; ++i) {
      for (size_t n = 0; n < before; ++n) {
        needers_.push_back(needers_[n] * meeting.intervals_to + meeting.intervals[i]);
      }
    }
    needers_.erase(needers_.begin(), needers_.begin() + static_cast<std::ptrdiff_t>(before));
  }
}

void SwitchTime::add_part(size_t block, double elements) {
  int32_t receivers = 0;
  size_t blocks = 0;
  for (size_t at : needers_) {
    if (to_->block_at[at] < 0) continue;
    const auto n = static_cast<size_t>(to_->block_at[at]);
    receivers += to_->copies[n];
    if (!from_->partial) receivers -= both_[pair_of(block, n)];
    needers_[blocks++] = n;
  }
  needers_.resize(blocks);
  if (receivers == 0) return;
  const Share each = share(from_->copies[block], receivers);
  held_[block] += elements * each.holder;
  for (size_t n : needers_) {
    needed_[n].add(each.needer, elements);
    if (both_[pair_of(block, n)] > 0) less_[pair_of(block, n)].add(each.less, elements);
  }
  sends_ = true;
  sends_merged_ = sends_merged_ || (from_->partial && receivers > 1);
}

// As ExchangeTime::send_complete and merge_partials. Of what is complete each receiver gets all,
// and sends on what the holders do not send; of partial results each merges its share and sends it
// on.
SwitchTime::Share SwitchTime::share(double holders, double receivers) const {
  if (from_->partial) {
    const double partial = bytes_.partial / receivers, complete = bytes_.complete / receivers;
    const double on = complete * (receivers - 1);
    return {
        .holder = bytes_.partial,
        .needer = {.out = on, .in = partial * holders + on, .merged = holders * partial + complete},
        .less = {.out = partial, .in = partial}};
  }
  const double holder = bytes_.complete * std::max(receivers / (holders + receivers), 1 / holders);
  const double sent = holder * holders / receivers;  // by all holders, of what a receiver gets
  const Flow needer{.out = receivers > 1 ? std::max(0.0, bytes_.complete - sent) : 0,
                    .in = bytes_.complete};
  return {.holder = holder, .needer = needer, .less = needer};
}

// The seconds of the busiest resource, and of merging.
double SwitchTime::busiest() {
  double longest = 0, merging = 0, latency = 0;
  memory_.assign(devices_.size(), 0);
  const std::vector<int32_t>&holds = from_->block_of, &needs = to_->block_of;
  for (size_t s = 0; s < std::max(holds.size(), needs.size()); ++s) {
    const int32_t held = s < holds.size() ? holds[s] : -1;
    const int32_t needed = s < needs.size() ? needs[s] : -1;
    Flow flow = needed >= 0 ? needed_[static_cast<size_t>(needed)] : Flow();
    if (held >= 0) flow.out += held_[static_cast<size_t>(held)];
    if (held >= 0 && needed >= 0) {
      flow.add(less_[pair_of(static_cast<size_t>(held), static_cast<size_t>(needed))], -1);
    }
    longest = std::max({longest, flow.out * sites_[s].out, flow.in * sites_[s].in});
    if (flow.merged <= 0) continue;
    const Device& device = devices_[sites_[s].device];
    double& memory = memory_[sites_[s].device] += flow.merged * device.seconds_a_byte;
    merging = std::max(merging, memory);
    latency = std::max(latency, device.kernel_latency);
  }
  return longest + merging + latency;
}

}  // namespace einsummable
