// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/devices.h"

namespace einsummable::cuda {

// What a device does in a second, measured with the memory that is free.
struct DeviceFigures {
  double memory_gbps = 0;  // read and written, by a copy within the device
  // FLOP/s of a large product by the library, by element type; 0 where it has none.
  double flops[4] = {};  // in the order of Element
  double kernel_us = 0;  // what a kernel adds to a graph of them, one after another
};

// Measures for less than a second, with work as large as the device is. Throws DeviceError, or
// MemoryLimitError if there is no room.
DeviceFigures measure(Devices& devices, int32_t device);

}  // namespace einsummable::cuda
