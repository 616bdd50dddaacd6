// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cuda {

// Copies between arrays of the caller, of any strides, and blocks on devices, through a piece of
// pinned memory.
class HostCopies {
 public:
  // The pinned memory has at most `bytes`.
  HostCopies(const Api& api, int64_t bytes);

  // Into a dense block at `address`; `from` has its dtype or is converted to it.
  void upload(const StridedView& from, DType dtype, int32_t device, Address address);

  // From a block whose element 0 lies at `address`, with `strides` in elements of to's dtype.
  void download(int32_t device, Address address, std::span<const int64_t> strides,
                const StridedView& to);

  void abandon() { pinned_.abandon(); }  // see Owned

 private:
  void copy(const Copy& copy, const std::string& what);

  const Api* api_;
  Pinned pinned_;
};

}  // namespace einsummable::cuda
