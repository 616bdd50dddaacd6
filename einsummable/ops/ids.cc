// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/ids.h"

#include "einsummable/base/error.h"
#include "einsummable/tensor/interval.h"

namespace einsummable {

void require_id(int64_t id, int64_t rows, std::span<const int64_t> position) {
  if (0 <= id && id < rows) return;
  const std::string legal = rows == 0 ? "no rows" : "rows 0 to " + std::to_string(rows - 1);
  throw InputError("the id " + std::to_string(id) + " at position " + text(position) +
                   " is out of range: the table has " + legal);
}

}  // namespace einsummable
