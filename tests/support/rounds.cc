// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rounds.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace einsummable {
namespace {

bool is_set(const char* variable, std::string_view value) {
  const char* given = std::getenv(variable);
  return given != nullptr && value == given;
}

}  // namespace

int rounds(int usual, int full) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::max(1, std::min(usual, full) / 5);
#else
  if (is_set("EINSUMMABLE_TEST_FULL", "1")) return full;
  return is_sparse() ? std::max(1, usual / 10) : usual;
#endif
}

bool is_sparse() {
  return is_set("EINSUMMABLE_TEST_BACKEND", "cuda") && !is_set("EINSUMMABLE_TEST_FULL", "1");
}

}  // namespace einsummable
