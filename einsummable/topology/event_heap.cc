// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/event_heap.h"

#include <algorithm>

namespace einsummable {

void EventHeap::clear() {
  nodes_.clear();
  places_.clear();
  ordered_ = true;
}

double EventHeap::first_end() const {
  double first = nodes_[0].end;
  if (!ordered_) {
    for (const Node& node : nodes_) first = std::min(first, node.end);
  }
  return first;
}

void EventHeap::put(size_t at, Node node) {
  nodes_[at] = node;
  places_[static_cast<size_t>(node.slot)] = static_cast<int32_t>(at);
}

void EventHeap::push(int32_t slot, double end) {
  if (places_.size() <= static_cast<size_t>(slot))
    places_.resize(static_cast<size_t>(slot) + 1, -1);
  nodes_.emplace_back();
  put(size() - 1, {end, slot});
  if (ordered_) sift_up(size() - 1);
}

void EventHeap::remove(int32_t slot) {
  const auto at = static_cast<size_t>(place(slot));
  const Node last = nodes_.back();
  nodes_.pop_back();
  places_[static_cast<size_t>(slot)] = -1;
  if (at == size()) return;
  put(at, last);
  if (!ordered_) return;
  sift_up(at);
  sift_down(static_cast<size_t>(place(last.slot)));
}

void EventHeap::change(int32_t slot, double end) {
  nodes_[static_cast<size_t>(place(slot))].end = end;
  if (!ordered_) return;
  sift_up(static_cast<size_t>(place(slot)));
  sift_down(static_cast<size_t>(place(slot)));
}

void EventHeap::restore() {
  if (ordered_) return;
  ordered_ = true;
  for (size_t at = size() / 4 + 1; at-- > 0;) {
    if (at < size()) sift_down(at);
  }
}

void EventHeap::sift_up(size_t at) {
  const Node node = nodes_[at];
  while (at > 0) {
    const size_t parent = (at - 1) / 4;
    if (nodes_[parent].end <= node.end) break;
    put(at, nodes_[parent]);
    at = parent;
  }
  put(at, node);
}

void EventHeap::sift_down(size_t at) {
  const Node node = nodes_[at];
  for (;;) {
    const size_t child = 4 * at + 1;
    if (child >= size()) break;
    size_t least = child;
    for (size_t c = child + 1; c < std::min(child + 4, size()); ++c) {
      if (nodes_[c].end < nodes_[least].end) least = c;
    }
    if (nodes_[least].end >= node.end) break;
    put(at, nodes_[least]);
    at = least;
  }
  put(at, node);
}

}  // namespace einsummable
