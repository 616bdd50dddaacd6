// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "einsummable/exchange/bounds_places.h"
#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// What OUT asks of the places: aggregates that lie alike and are wanted alike.
//
// Every transfer counts for at most one demand. It counts for this one if its aggregate lies within
// this demand's and has some atom that is no other's; `whole` demands share no atom at all.
struct Demand {
  AggregateId example = {};            // one of its aggregates, for words
  std::vector<PlaceSet> holders = {};  // least sets of places that alone hold some atom that counts
  PlaceSet sources = {};               // places with some part of it
  PlaceSet wanted = {};                // places it must come to
  PlaceSet formable = {};              // places where it can be formed from the start
  PlaceSet lacking = {};               // wanted places that are not formable: something must enter
  int64_t spread = 0;                  // it must come to this many sites, whichever they are
  bool whole = false;
  double part_gb = 0;    // of each part
  double entry_gb = 0;   // the least size in which it may pass: of a part, or complete
  double formed_gb = 0;  // what forming it from its parts at once moves through memory; 0: it is
                         // given somewhere

  // Some of it is within `inside` alone, but it is wanted outside.
  bool leaves(const PlaceSet& inside, int64_t sites_inside) const {
    if (wanted.within(inside) && spread <= sites_inside) return false;
    for (const PlaceSet& alone : holders) {
      if (alone.within(inside)) return true;
    }
    return false;
  }
};

// What a preamble demands. `members` are those of each partition; an empty one's requirements count
// as `spread`. Throws ExchangeError if an aggregate of OUT has an atom that nothing in IN brings.
std::vector<Demand> find_demands(const Program& preamble, const Places& places,
                                 const Members& members);

}  // namespace einsummable::exchange
