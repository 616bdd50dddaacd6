// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace einsummable {

// Throws InputError, naming the position and the value, unless 0 <= id < rows.
void require_id(int64_t id, int64_t rows, std::span<const int64_t> position);

}  // namespace einsummable
