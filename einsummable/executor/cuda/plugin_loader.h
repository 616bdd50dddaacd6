// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda {

// Opens the plugin, which stays open. `folders` are where it looks for NVIDIA's libraries first,
// separated by colons. Throws DeviceError if it cannot be opened, or is of another version.
const Api& open_plugin(const std::string& path, const std::string& folders);

}  // namespace einsummable::cuda
