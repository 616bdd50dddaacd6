// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace einsummable {

// Slots (small numbers) by the times at which they end, the earliest first; four children a node.
// Where most ends change between two looks, order is not worth its cost: while it is given up, a
// look goes through all slots.
class EventHeap {
 public:
  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }
  double first_end() const;
  bool contains(int32_t slot) const { return place(slot) >= 0; }
  void clear();
  void push(int32_t slot, double end);
  void remove(int32_t slot);
  void change(int32_t slot, double end);
  // Gives up the order until restore(), so that changes cost nothing.
  void give_up() { ordered_ = false; }
  void restore();

  // Calls visit(slot, end) for every slot that ends no later than `end`, in no order that matters.
  template <class Visit>
  void up_to(double end, Visit visit) {
    if (!ordered_) {
      for (const Node& node : nodes_) {
        if (node.end <= end) visit(node.slot, node.end);
      }
      return;
    }
    stack_.assign(empty() ? 0 : 1, 0);
    while (!stack_.empty()) {
      const size_t at = stack_.back();
      stack_.pop_back();
      if (nodes_[at].end > end) continue;
      visit(nodes_[at].slot, nodes_[at].end);
      for (size_t child = 4 * at + 1; child < 4 * at + 5 && child < size(); ++child) {
        stack_.push_back(child);
      }
    }
  }

 private:
  struct Node {
    double end = 0;
    int32_t slot = 0;
  };

  int32_t place(int32_t slot) const {
    const auto s = static_cast<size_t>(slot);
    return s < places_.size() ? places_[s] : -1;
  }
  void put(size_t at, Node node);
  void sift_up(size_t at);
  void sift_down(size_t at);

  bool ordered_ = true;
  std::vector<Node> nodes_;
  std::vector<int32_t> places_;  // of each slot among the nodes; -1: not there
  std::vector<size_t> stack_;
};

}  // namespace einsummable
