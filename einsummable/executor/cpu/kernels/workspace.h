// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "einsummable/base/checked.h"

namespace einsummable::cpu {

// Arrays in a kernel's workspace begin at multiples of this many bytes, as the workspace does.
inline constexpr int64_t kWorkspaceAlignment = 64;

// Bytes that one array of `count` elements of `element_bytes` takes of a workspace; checked.
inline int64_t workspace_array(int64_t count, int64_t element_bytes) {
  return round_up(checked_multiply(count, element_bytes), kWorkspaceAlignment);
}

// Hands out the memory that a kernel's caller gave, front to back.
//   Workspace w(bytes);   float* row = w.take<float>(n);
class Workspace {
 public:
  explicit Workspace(std::span<std::byte> bytes) : bytes_(bytes) {}

  // `count` uninitialised elements. The caller gave too little if they do not fit.
  template <class T>
  T* take(int64_t count) {
    const auto size = static_cast<size_t>(workspace_array(count, sizeof(T)));
    ensure(size <= bytes_.size(), "a kernel's workspace is too small");
    auto* begin = reinterpret_cast<T*>(bytes_.data());
    bytes_ = bytes_.subspan(size);
    return begin;
  }

  std::span<std::byte> rest() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace einsummable::cpu
