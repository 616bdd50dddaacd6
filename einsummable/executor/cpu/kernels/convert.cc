// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/convert.h"

#include <cstring>
#include <type_traits>

#include "einsummable/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/convert.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Integer arithmetic only, so that every target gives the bits of tensor/dtype.h.
template <class V>
auto widen_float16(V half) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)));
  const auto magnitude = hn::And(half, hn::Set(du, 0x7fffu));
  const auto moved = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(moved, hn::Set(du, 112u << 23));
  const auto tiny = hn::BitCast(
      du, hn::Mul(hn::ConvertTo(df, hn::BitCast(hn::RebindToSigned<decltype(df)>(), magnitude)),
                  hn::Set(df, 0x1p-24f)));
  const auto special = hn::Or(moved, hn::Set(du, 0x7f800000u));
  auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x400u)), tiny, normal);
  bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7bffu)), special, bits);
  return hn::BitCast(df, hn::Or(bits, sign));
}

template <class V>
auto narrow_float16(V value) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const auto bits = hn::BitCast(du, value);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto rounded = hn::Add(hn::Add(magnitude, hn::Set(du, 0xfffu)), odd);
  const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(du, 0x38000000u)));
  // Adding 0.5 aligns the mantissa of a subnormal so that the float addition does the rounding.
  const auto shifted = hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f));
  const auto tiny = hn::Sub(hn::BitCast(du, shifted), hn::Set(du, 0x3f000000u));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000u)), tiny, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x477fffffu)), hn::Set(du, 0x7c00u), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f800000u)), hn::Set(du, 0x7e00u), half);
  return hn::Or(half, sign);
}

template <class V>
auto widen_bfloat16(V half) {
  return hn::BitCast(hn::ScalableTag<float>(), hn::ShiftLeft<16>(half));
}

template <class V>
auto narrow_bfloat16(V value) {
  const hn::RebindToUnsigned<hn::ScalableTag<float>> du;
  const auto bits = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7fffu)), odd));
  const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40u));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f800000u)), quiet, rounded);
}

// Calls step(i) for every whole vector of n elements, and last(i, count) for what remains.
template <class Step, class Last>
void over_vectors(int64_t n, int64_t lanes, Step&& step, Last&& last) {
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) step(i);
  if (i < n) last(i, n - i);
}

template <class Widen>
void widen_all(const uint16_t* source, int64_t n, float* to, Widen&& widen) {
  const hn::ScalableTag<float> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::Rebind<uint16_t, decltype(df)> dh;
  const auto one = [&](const uint16_t* from, float* target) {
    hn::StoreU(widen(hn::PromoteTo(du, hn::LoadU(dh, from))), df, target);
  };
  over_vectors(
      n, static_cast<int64_t>(hn::Lanes(df)), [&](int64_t i) { one(source + i, to + i); },
      [&](int64_t i, int64_t count) {
        uint16_t in[HWY_MAX_BYTES] = {};
        float out[HWY_MAX_BYTES / sizeof(float)];
        std::memcpy(in, source + i, static_cast<size_t>(count) * sizeof *in);
        one(in, out);
        std::memcpy(to + i, out, static_cast<size_t>(count) * sizeof *out);
      });
}

template <class Narrow>
void narrow_all(const float* from, int64_t n, uint16_t* target, Narrow&& narrow) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<uint16_t, decltype(df)> dh;
  const auto one = [&](const float* source, uint16_t* to) {
    hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, narrow(hn::LoadU(df, source)))), dh, to);
  };
  over_vectors(
      n, static_cast<int64_t>(hn::Lanes(df)), [&](int64_t i) { one(from + i, target + i); },
      [&](int64_t i, int64_t count) {
        float in[HWY_MAX_BYTES / sizeof(float)] = {};
        uint16_t out[HWY_MAX_BYTES];
        std::memcpy(in, from + i, static_cast<size_t>(count) * sizeof *in);
        one(in, out);
        std::memcpy(target + i, out, static_cast<size_t>(count) * sizeof *out);
      });
}

void WidenRow(DType dtype, const uint16_t* source, int64_t n, float* to) {
  if (dtype == DType::f16) {
    widen_all(source, n, to, [](auto v) { return widen_float16(v); });
  } else {
    widen_all(source, n, to, [](auto v) { return widen_bfloat16(v); });
  }
}

void NarrowRow(DType dtype, const float* from, int64_t n, uint16_t* target) {
  if (dtype == DType::f16) {
    narrow_all(from, n, target, [](auto v) { return narrow_float16(v); });
  } else {
    narrow_all(from, n, target, [](auto v) { return narrow_bfloat16(v); });
  }
}

}  // namespace
}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace einsummable::cpu {
namespace {

HWY_EXPORT(WidenRow);
HWY_EXPORT(NarrowRow);

// Element i of a row of S. Rows may be unaligned.
template <class S>
S element(const std::byte* source, int64_t i) {
  S value;
  std::memcpy(&value, source + i * static_cast<int64_t>(sizeof(S)), sizeof value);
  return value;
}

template <class S, class T, class Convert>
void load_each(const std::byte* source, int64_t stride, int64_t n, T* to, Convert&& convert) {
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(convert(element<S>(source, i * stride)));
}

template <class S, class T, class Convert>
void store_each(const T* from, int64_t n, std::byte* target, int64_t stride, Convert&& convert) {
  for (int64_t i = 0; i < n; ++i) {
    const S value = convert(from[i]);
    std::memcpy(target + i * stride * static_cast<int64_t>(sizeof(S)), &value, sizeof value);
  }
}

template <class S, class T>
S to_integer(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<S>(value);
  } else {
    S result;
    store_element(sizeof(S) == 4 ? DType::i32 : DType::i64, &result, static_cast<double>(value));
    return result;
  }
}

template <class T>
uint16_t to_half(DType dtype, T value) {
  uint16_t result;
  store_element(dtype, &result, static_cast<double>(value));
  return result;
}

}  // namespace

template <class T>
void load_row(DType dtype, const std::byte* source, int64_t stride, int64_t n, T* to) {
  const auto same = [](auto x) { return x; };
  if (dtype == kDTypeOf<T> && stride == 1) {
    if (n > 0) std::memcpy(to, source, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  switch (dtype) {
    case DType::f32:
      return load_each<float>(source, stride, n, to, same);
    case DType::f64:
      return load_each<double>(source, stride, n, to, same);
    case DType::i32:
      return load_each<int32_t>(source, stride, n, to, same);
    case DType::i64:
      return load_each<int64_t>(source, stride, n, to, same);
    case DType::boolean:
      return load_each<uint8_t>(source, stride, n, to, [](uint8_t x) { return x != 0; });
    case DType::f16:
    case DType::bf16:
      if constexpr (std::is_same_v<T, float>) {
        if (stride == 1) {
          return HWY_DYNAMIC_DISPATCH(WidenRow)(dtype, reinterpret_cast<const uint16_t*>(source), n,
                                                to);
        }
      }
      return load_each<uint16_t>(source, stride, n, to, [dtype](uint16_t x) {
        return dtype == DType::f16 ? from_float16(x) : from_bfloat16(x);
      });
  }
}

template <class T>
void store_row(const T* from, int64_t n, DType dtype, std::byte* target, int64_t stride) {
  if (dtype == kDTypeOf<T> && stride == 1) {
    if (n > 0) std::memcpy(target, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  switch (dtype) {
    case DType::f32:
      return store_each<float>(from, n, target, stride, [](T x) { return static_cast<float>(x); });
    case DType::f64:
      return store_each<double>(from, n, target, stride,
                                [](T x) { return static_cast<double>(x); });
    case DType::i32:
      return store_each<int32_t>(from, n, target, stride, to_integer<int32_t, T>);
    case DType::i64:
      return store_each<int64_t>(from, n, target, stride, to_integer<int64_t, T>);
    case DType::boolean:
      return store_each<uint8_t>(from, n, target, stride,
                                 [](T x) { return static_cast<uint8_t>(x != 0); });
    case DType::f16:
    case DType::bf16:
      if constexpr (std::is_same_v<T, float>) {
        if (stride == 1) {
          return HWY_DYNAMIC_DISPATCH(NarrowRow)(dtype, from, n,
                                                 reinterpret_cast<uint16_t*>(target));
        }
      }
      return store_each<uint16_t>(from, n, target, stride,
                                  [dtype](T x) { return to_half(dtype, x); });
  }
}

template void load_row(DType, const std::byte*, int64_t, int64_t, float*);
template void load_row(DType, const std::byte*, int64_t, int64_t, double*);
template void load_row(DType, const std::byte*, int64_t, int64_t, int64_t*);
template void store_row(const float*, int64_t, DType, std::byte*, int64_t);
template void store_row(const double*, int64_t, DType, std::byte*, int64_t);
template void store_row(const int64_t*, int64_t, DType, std::byte*, int64_t);

}  // namespace einsummable::cpu
#endif  // HWY_ONCE
