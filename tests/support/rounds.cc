// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rounds.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace einsummable {

int rounds(int usual, int full) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::max(1, std::min(usual, full) / 5);
#else
  const char* wanted = std::getenv("EINSUMMABLE_TEST_FULL");
  return wanted != nullptr && std::string_view(wanted) == "1" ? full : usual;
#endif
}

}  // namespace einsummable
