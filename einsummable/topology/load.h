// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "einsummable/topology/machine.h"

namespace einsummable {

// The names of the machines that come with the library, sorted: "cpu", "dgx-a100", ...
std::vector<std::string> machine_names();

// The file of one of them, as it was written; empty if there is none of that name.
std::string_view machine_text(std::string_view name);

// A machine by its name, by the path of its file, or "measured": this one, as
// `einsummable doctor --measure` found it. A name wins over a file of the same name.
//
// Throws TopologyError for what is neither, and for files that are no machine.
Machine load_machine(std::string_view name_or_path);

// Where the figures of this machine are kept: einsummable/measured.toml in $XDG_CACHE_HOME, or in
// ~/.cache. Empty if neither is known.
std::string measured_path();

}  // namespace einsummable
