// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace einsummable {

// Counts what makes toml++ slow or deep: dots in names (a.b.c is three tables in each other, and it
// searches all such tables at each), and headers other than `tables`, which it searches too.
// Strings and comments do not count. No machine file needs many of either.
size_t count_odd_names(std::string_view toml, std::span<const std::string_view> tables);

}  // namespace einsummable
