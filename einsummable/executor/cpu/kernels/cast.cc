// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/cast.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/convert.h"

namespace einsummable::cpu {
namespace {

template <class T, class S>
T cast_one(S value) {
  if constexpr (std::is_same_v<T, S>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<S>) {
    // The float of the greatest integer is one above it.
    constexpr S kBelow = static_cast<S>(std::numeric_limits<T>::min());
    constexpr S kBeyond = -kBelow;
    if (value >= kBeyond) return std::numeric_limits<T>::max();
    if (value < kBelow) return std::numeric_limits<T>::min();
    return value == value ? static_cast<T>(value) : T{0};
  } else {
    return static_cast<T>(value);
  }
}

template <class S, class T>
void cast_all(const void* from, void* to, size_t count) {
  const S* source = static_cast<const S*>(from);
  T* target = static_cast<T*>(to);
  for (size_t i = 0; i < count; ++i) target[i] = cast_one<T>(source[i]);
}

// Through the 16 bits of the half and back. An integer reaches them through float64.
template <class S, DType half>
void round_all(const void* from, void* to, size_t count) {
  constexpr size_t kChunk = 256;
  using F = std::conditional_t<std::is_same_v<S, float>, float, double>;
  const S* source = static_cast<const S*>(from);
  float* target = static_cast<float*>(to);
  alignas(64) uint16_t bits[kChunk];
  auto* bytes = reinterpret_cast<std::byte*>(bits);
  for (size_t i = 0; i < count; i += kChunk) {
    const auto n = static_cast<int64_t>(std::min(kChunk, count - i));
    if constexpr (std::is_same_v<S, F>) {
      store_row<F>(source + i, n, half, bytes, 1);
    } else {
      F values[kChunk];
      for (int64_t j = 0; j < n; ++j)
        values[j] = static_cast<F>(source[i + static_cast<size_t>(j)]);
      store_row<F>(values, n, half, bytes, 1);
    }
    load_row<float>(half, bytes, 1, n, target + i);
  }
}

template <class S>
CastKernel cast_from(DType to) {
  switch (to) {
    case DType::f32:
      return cast_all<S, float>;
    case DType::f64:
      return cast_all<S, double>;
    case DType::f16:
      return round_all<S, DType::f16>;
    case DType::bf16:
      return round_all<S, DType::bf16>;
    case DType::i32:
      return cast_all<S, int32_t>;
    case DType::i64:
      return cast_all<S, int64_t>;
    case DType::boolean:
      return cast_all<S, bool>;
  }
  throw InternalError("unknown dtype");
}

}  // namespace

CastKernel cast_kernel(DType from, DType to) {
  switch (from) {
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return cast_from<float>(to);  // rounding a half again changes nothing
    case DType::f64:
      return cast_from<double>(to);
    case DType::i32:
      return cast_from<int32_t>(to);
    case DType::i64:
      return cast_from<int64_t>(to);
    case DType::boolean:
      return cast_from<bool>(to);
  }
  throw InternalError("unknown dtype");
}

}  // namespace einsummable::cpu
