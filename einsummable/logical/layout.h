// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "einsummable/base/id.h"
#include "einsummable/spec/join_agg_spec.h"

namespace einsummable {

// Which blocks of a tensor lie at which sites.
struct Layout {
  struct Block {
    Box box;
    std::vector<int32_t> sites;  // rising

    bool operator==(const Block&) const = default;
  };
  std::vector<Block> blocks;  // distinct non-empty boxes, in order of their first site
  // Whether the sites of a block hold partial results of it, all of which make up the block; else
  // each holds the block.
  bool partial = false;

  bool operator==(const Layout&) const = default;
};

// What the cells of a spec leave of an output, and what they read of an input, where the cells run
// on the sites given, and without any, cell i on site i.
Layout made_layout(const JoinAggSpec& spec, size_t output, std::span<const int32_t> sites = {});
Layout needed_layout(const JoinAggSpec& spec, size_t input, std::span<const int32_t> sites = {});

struct LayoutTag;
using LayoutId = Id<LayoutTag>;

// Gives equal layouts equal ids.
class LayoutTable {
 public:
  LayoutId intern(Layout layout);
  const Layout& operator[](LayoutId id) const { return *layouts_[id.index()]; }

 private:
  struct Hash {
    size_t operator()(const Layout& layout) const;
  };
  std::unordered_map<Layout, LayoutId, Hash> ids_;
  std::vector<const Layout*> layouts_;  // keys of ids_, whose nodes stay in place
};

}  // namespace einsummable
