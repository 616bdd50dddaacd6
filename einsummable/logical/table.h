// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace einsummable {

// Rows as lines with columns of equal width: the first `left` columns aligned to the left, the
// others to the right. All rows have as many cells.
std::string aligned_columns(const std::vector<std::vector<std::string>>& rows, size_t left);

}  // namespace einsummable
