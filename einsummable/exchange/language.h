// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace einsummable::exchange {

// The language of exchange programs in a page: what docs/exprog.md says of state and actions, the
// text, and validity.
std::string_view language_page();

}  // namespace einsummable::exchange
