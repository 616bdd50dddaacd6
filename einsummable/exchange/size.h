// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace einsummable::exchange {

// The bytes of a number and a unit (B, kB, MB, GB, KiB, MiB, GiB), exactly: ("1.5", "GB") is
// 1,500,000,000. The number is digits, with a point and digits after it or not. On failure `reason`
// says why: no such unit, not a whole number of bytes, too large.
std::optional<int64_t> bytes_of(std::string_view number, std::string_view unit,
                                std::string& reason);

// The shortest text that bytes_of reads back to the same bytes: "1.5 GB", "4 KiB", "17 B".
std::string size_text(int64_t bytes);

}  // namespace einsummable::exchange
