// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"
#include "einsummable/topology/topology.h"

namespace einsummable::synthesis {

// A shipped machine with a site on each of its first devices.
inline Topology machine(std::string_view name, int64_t sites) {
  return resolve_first(load_machine(name), sites);
}

}  // namespace einsummable::synthesis
