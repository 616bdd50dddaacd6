// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/repetition.h"

namespace einsummable {

std::optional<Repetition> find_repetition(std::span<const int64_t> kinds) {
  std::optional<Repetition> best;
  for (size_t period = 1; 3 * period <= kinds.size(); ++period) {
    size_t equal = 0;  // positions in a row that equal the one a period later
    for (size_t i = 0; i + period < kinds.size(); ++i) {
      equal = kinds[i] == kinds[i + period] ? equal + 1 : 0;
      const size_t count = equal / period + 1;
      if (count < 3 || (best && period * count <= best->period * best->count)) continue;
      best = Repetition{i + 1 - equal, period, count};
    }
  }
  return best;
}

}  // namespace einsummable
