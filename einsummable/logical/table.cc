// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/table.h"

namespace einsummable {

std::string aligned_columns(const std::vector<std::vector<std::string>>& rows, size_t left) {
  std::vector<size_t> widths(rows.empty() ? 0 : rows[0].size(), 0);
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (c < left ? row[c] + pad : pad + row[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace einsummable
