// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// Tells entries and actions that are there for the first time from repetitions.
class Repetitions {
 public:
  // Of actions of this program.
  explicit Repetitions(const Program& program)
      : actions_(16, ActionHash{&program}, ActionEqual{&program}) {}

  bool new_in_entry(AggregateId aggregate, Place place) {
    return in_.insert(key(aggregate, place)).second;
  }
  bool new_out_entry(AggregateId aggregate, Place place) {
    return out_.insert(key(aggregate, place)).second;
  }
  // Whether no action before the i-th has its aggregate, source and destinations.
  bool new_action(size_t i) { return actions_.insert(i).second; }

 private:
  static uint64_t key(AggregateId aggregate, Place place) {
    const int64_t code =
        place.is_site() ? place.site.value : site_number_limit + place.partition.value;
    return static_cast<uint64_t>(aggregate.value) << 20 | static_cast<uint64_t>(code);
  }

  // Actions are kept as their positions in the body.
  struct ActionHash {
    const Program* program;
    size_t operator()(size_t i) const {
      uint64_t h = 0;
      const auto mix = [&](int32_t value) {
        h = (h ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
      };
      const Action& a = program->body()[i];
      mix(a.aggregate.value);
      mix(a.source.site.value);
      mix(a.source.partition.value);
      for (Place d : a.destinations) {
        mix(d.site.value);
        mix(d.partition.value);
      }
      return h;
    }
  };
  struct ActionEqual {
    const Program* program;
    bool operator()(size_t i, size_t j) const { return program->body()[i] == program->body()[j]; }
  };

  std::unordered_set<uint64_t> in_, out_;
  std::unordered_set<size_t, ActionHash, ActionEqual> actions_;
};

}  // namespace einsummable::exchange
