// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/error.h"

namespace einsummable {

void ensure(bool condition, std::string_view what, std::source_location where) {
  if (condition) return;
  throw InternalError("internal error: " + std::string(what) + " (" + where.file_name() + ":" +
                      std::to_string(where.line()) + ")");
}

}  // namespace einsummable
