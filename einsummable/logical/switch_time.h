// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/logical/layout_grid.h"

namespace einsummable {

// Bytes of one element while it is part of a partial result (all components together), and when it
// is complete.
struct ElementBytes {
  double partial = 0, complete = 0;

  bool operator==(const ElementBytes&) const = default;
};

// What ExchangeTime says, sooner, where all that leaves a site goes through one resource, all that
// comes to it through another, and all ways take as long, as with a switch. Sites that have a block
// send alike, and so do those that need one receive, but for the parts that they have themselves;
// so what flows is added up by blocks.
class SwitchTime {
 public:
  struct Site {
    double out = 0, in = 0;  // seconds a byte
    size_t device = 0;
  };
  struct Device {
    double seconds_a_byte = 0;  // of its memory
    double kernel_latency = 0;  // seconds
  };

  SwitchTime(std::vector<Site> sites, std::vector<Device> devices, double latency)
      : sites_(std::move(sites)), devices_(std::move(devices)), latency_(latency) {}

  // Of layouts of one tensor, with axes in `axes`; the blocks of `from` are disjoint.
  double seconds(const LayoutGrid& from, const LayoutGrid& to, AxisTable& axes,
                 const ElementBytes& bytes);

 private:
  // Bytes out of a site and into it, and through its memory while partial results are merged.
  struct Flow {
    double out = 0, in = 0, merged = 0;

    void add(const Flow& other, double times) {
      out += times * other.out;
      in += times * other.in;
      merged += times * other.merged;
    }
  };
  // What each element of a part of a block makes flow: out of each site that has the block, at
  // each that needs the part, and how much less at one that is both.
  struct Share {
    double holder = 0;
    Flow needer, less;
  };

  size_t pair_of(size_t block, size_t needed) const { return block * to_->blocks() + needed; }
  void find_both();
  void add_evenly();
  void add_by_parts(AxisTable& axes);
  void visit(size_t axis, size_t at, size_t to, double elements);
  void find_needers();
  void add_part(size_t block, double elements);
  Share share(double holders, double receivers) const;
  double busiest();

  std::vector<Site> sites_;
  std::vector<Device> devices_;
  double latency_;

  // Of the exchange that is asked for.
  const LayoutGrid* from_ = nullptr;
  const LayoutGrid* to_ = nullptr;
  ElementBytes bytes_;
  std::vector<int32_t> both_;  // how many sites have a block and need another; by pair_of()
  std::vector<Flow> less_;     // of those, if there are any
  std::vector<std::pair<size_t, size_t>> pairs_;  // of blocks that some sites have both of
  std::vector<double> held_;                      // bytes that each site of a block sends of it
  std::vector<Flow> needed_;                      // of each site that needs a block
  std::vector<double> memory_;                    // seconds of each device's
  bool sends_ = false, sends_merged_ = false;

  // Where parts are gone through one by one.
  std::vector<const Meeting*> meetings_;       // of each axis
  std::vector<const Meeting::Alike*> chosen_;  // of each axis
  std::vector<size_t> needers_;                // the blocks that need a part
  bool single_ = true;                         // no two blocks need the same part
};

}  // namespace einsummable
