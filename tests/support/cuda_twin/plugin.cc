// SPDX-License-Identifier: Apache-2.0
// Two devices of the host twin behind the symbol of a CUDA plugin.
#include "tests/support/cuda_twin/twin.h"

extern "C" __attribute__((visibility("default"))) const einsummable::cuda::Api*
einsummable_cuda_api(uint32_t version, const char*) {
  static const einsummable::cuda_twin::Twin twin({.memory = uint64_t{1} << 32});
  return version == einsummable::cuda::kApiVersion ? &twin.api() : nullptr;
}
