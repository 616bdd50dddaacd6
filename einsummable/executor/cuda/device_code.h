// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace einsummable::cuda {

// The texts of words.cuh and prelude.cuh.
std::string_view words_text();
std::string_view prelude_text();

}  // namespace einsummable::cuda
