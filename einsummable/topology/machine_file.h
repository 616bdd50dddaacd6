// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "einsummable/topology/machine.h"

namespace einsummable {

// Whether every table must say where its figures come from: those of shipped files must.
enum class Sources { optional, required };

// Reads a machine file (TOML; docs/topology.md). Takes linear time.
//
// Throws TopologyError that names `file`, line and field, and nothing else, whatever the text is.
Machine parse_machine(std::string_view text, std::string_view file,
                      Sources sources = Sources::optional);

// The file of a machine, without comments; parse_machine gives the machine back.
std::string print(const Machine& machine);

}  // namespace einsummable
