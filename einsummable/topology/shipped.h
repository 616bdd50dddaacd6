// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace einsummable {

struct ShippedMachine {
  std::string_view name, text;
};

// The files of topologies/, by name; the build writes them into the library.
std::span<const ShippedMachine> shipped_machines();

}  // namespace einsummable
