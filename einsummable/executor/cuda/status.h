// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda {

// Throws unless `status` is `ok`: MemoryLimitError where memory ran out, DeviceError for all else.
// The message is `what`, which names device, operator and bytes as far as they are known, and what
// the library says.
void check(const Api& api, Status status, const std::string& what);

// "device 3 (NVIDIA H200)", or "device 3".
std::string describe_device(const Api& api, int32_t device);

}  // namespace einsummable::cuda
