// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/error.h"

namespace einsummable {

void throw_internal_error(std::string_view what, std::source_location where) {
  throw InternalError("internal error: " + std::string(what) + " (" + where.file_name() + ":" +
                      std::to_string(where.line()) + ")");
}

}  // namespace einsummable
