// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "einsummable/exchange/closure.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// An exchange program with every choice made, as numbers: what the simulator runs and search builds
// by the thousand, without names or text. An item is an aggregate at a site. It is given, or it is
// there as soon as the first transfer or form that makes it ends.
//
//     IN: A @ 0; B @ 1  OUT: A+B @ 0        items      0: A @ 0   1: B @ 1   2: B @ 0   3: A+B @ 0
//     B @ 1 -> 0                            transfers  {1, 2}
//     A+B @ 0                               forms      {3, 0, 2}   parts  0 2
struct Lowered {
  struct Item {
    int32_t site = 0;
    bool given = false;
    int64_t bytes = 0;
  };
  // From an item to the same aggregate at another site.
  struct Transfer {
    int32_t from = 0;
    int32_t to = 0;
  };
  // An item made of others at its site, which partition it: parts[first_part ..], each once.
  struct Form {
    int32_t item = 0;
    int32_t first_part = 0;
    int32_t part_count = 0;
  };

  std::vector<Item> items;
  std::vector<Transfer> transfers;  // in program order, in which those of a pair of sites queue up
  std::vector<Form> forms;          // in the order in which they wait for workers
  std::vector<int32_t> parts;

  std::span<const int32_t> parts_of(const Form& form) const {
    return std::span(parts).subspan(static_cast<size_t>(form.first_part),
                                    static_cast<size_t>(form.part_count));
  }
  // What forming reads and writes: the parts and the result.
  int64_t form_bytes(const Form& form) const;
};

// Where each aggregate of a program is found among items that are sorted by aggregate and site.
class ItemIndex {
 public:
  ItemIndex(const Program& program, std::span<const Derivation> sorted);
  // The position; -1 if the aggregate never comes to be at the site.
  int32_t find(AggregateId aggregate, SiteId site) const;
  // The aggregate's items are those from its first to before its end.
  int32_t first(AggregateId aggregate) const { return first_[aggregate.index()]; }
  int32_t end(AggregateId aggregate) const { return first_[aggregate.index() + 1]; }

 private:
  std::vector<int32_t> first_;  // of each aggregate, and the end
  std::vector<SiteId> sites_;
};

// The derivations of a program without splits as items, in order of aggregate and site: each comes
// about as its derivation says, so a transfer or aggregation that no derivation needs is left out.
// Transfers and forms are in the order of the body. `parts` are those the derivations refer to.
Lowered lower(const Program& program, const Members& members,
              std::span<const Derivation> derivations, std::span<const AggregateId> parts);

}  // namespace einsummable::exchange
