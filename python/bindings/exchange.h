// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "einsummable/exchange/program.h"

namespace einsummable {

// The members of partitions by their names.
using NamedMembers = std::map<std::string, std::vector<int64_t>>;

// By the program's partitions; none where no partition is named. Throws ExchangeError for a name
// that no partition has.
exchange::Members members_of(const exchange::Program& program, const NamedMembers& named);
NamedMembers named_members(const exchange::Program& program, const exchange::Members& members);

// What simulates a program.
void bind_simulation(nanobind::module_& module, nanobind::class_<exchange::Program>& program);
// What makes one.
void bind_synthesis(nanobind::module_& module, nanobind::class_<exchange::Program>& program);

}  // namespace einsummable
