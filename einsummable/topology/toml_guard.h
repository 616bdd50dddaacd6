// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace einsummable {

struct TomlRefusal {
  int line = 0;  // 0: the file as a whole
  std::string_view reason;
};

// Why a text must not be given to toml++, which has undefined behaviour on some texts
// that are not ASCII, and is slow or deep where there are very many names with
// dots (a.b.c is three tables in each other, and it searches all such tables at each) or headers
// other than `tables`. None for what may be a machine file.
std::optional<TomlRefusal> refuse_toml(std::string_view text,
                                       std::span<const std::string_view> tables);

}  // namespace einsummable
