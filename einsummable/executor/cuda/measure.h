// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "einsummable/executor/cuda/devices.h"

namespace einsummable::cuda {

// What a device does in a second, measured with the memory that is free.
struct DeviceFigures {
  double memory_gbps = 0;  // read and written, by a copy within the device
  // FLOP/s of products of m x k by k x n by the library; of element types that it has.
  struct Rate {
    Element element;
    int64_t m, k, n;
    double flops;
  };
  std::vector<Rate> products;
  // The same of attention by the library, every query to every key, as many keys as queries.
  struct AttentionRate {
    Element element;
    int64_t heads, queries, width;
    double flops;
  };
  std::vector<AttentionRate> attentions;
  double kernel_us = 0;  // what a kernel adds to a graph of them, one after another
};

// Measures for a second or so, with work as large as the device is. Throws DeviceError, or
// MemoryLimitError if there is no room.
DeviceFigures measure(Devices& devices, int32_t device);

// Whether the library's relu after products keeps NaN, as the operator does and its documentation
// leaves open: found out by small products of the element types that it has. Throws as `measure`.
bool relu_keeps_nan(const Api& api, int32_t device);

}  // namespace einsummable::cuda
