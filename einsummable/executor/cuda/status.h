// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda {

// A library has no kernel for a call that it was thought to serve.
class UnsupportedError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// Throws unless `status` is `ok`: MemoryLimitError where memory ran out, UnsupportedError, and
// DeviceError for all else.
// The message is `what`, which names device, operator and bytes as far as they are known, and what
// the library says.
void check(const Api& api, Status status, const std::string& what);

// "device 3 (NVIDIA H200)", or "device 3".
std::string describe_device(const Api& api, int32_t device);

}  // namespace einsummable::cuda
