// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "einsummable/executor/cpu/kernels/rows.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/norm.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"

#include "einsummable/executor/cpu/kernels/wide-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE void store(V v, Wide d, double* y) {
  hn::StoreU(v, d, y);
}
template <class V>
HWY_INLINE void store(V v, Wide, float* y) {
  const hn::Rebind<float, Wide> df;
  hn::StoreU(hn::DemoteTo(df, v), df, y);
}

// The sum of (x - mean)^2.
template <class T>
double squares(const T* x, double mean, int64_t n) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean);
  const auto add = [&](auto sum, const T* at) HWY_ATTR {
    const auto v = hn::Sub(load_wide(d, at), m);
    return hn::MulAdd(v, v, sum);
  };
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = add(s0, x + i);
    s1 = add(s1, x + i + lanes);
    s2 = add(s2, x + i + 2 * lanes);
    s3 = add(s3, x + i + 3 * lanes);
  }
  double result = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) {
    const double v = static_cast<double>(x[i]) - mean;
    result += v * v;
  }
  return result;
}

// y = (x - mean) * factor * weight + bias.
template <class T>
void apply(const T* x, double mean, double factor, const T* weight, const T* bias, T* y,
           int64_t n) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto m = hn::Set(d, mean), f = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto unit = hn::Mul(hn::Sub(load_wide(d, x + i), m), f);
    store(hn::MulAdd(unit, load_wide(d, weight + i), load_wide(d, bias + i)), d, y + i);
  }
  for (; i < n; ++i) {
    const double unit = (static_cast<double>(x[i]) - mean) * factor;
    y[i] = static_cast<T>(unit * static_cast<double>(weight[i]) + static_cast<double>(bias[i]));
  }
}

void ApplyF32(const float* x, double mean, double factor, const float* weight, const float* bias,
              float* y, int64_t n) {
  apply(x, mean, factor, weight, bias, y, n);
}
void ApplyF64(const double* x, double mean, double factor, const double* weight, const double* bias,
              double* y, int64_t n) {
  apply(x, mean, factor, weight, bias, y, n);
}
double SquaresF32(const float* x, double mean, int64_t n) { return squares(x, mean, n); }
double SquaresF64(const double* x, double mean, int64_t n) { return squares(x, mean, n); }

}  // namespace
}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace einsummable::cpu {
namespace {

HWY_EXPORT(ApplyF32);
HWY_EXPORT(ApplyF64);
HWY_EXPORT(SquaresF32);
HWY_EXPORT(SquaresF64);

template <class T>
void norm_row(NormKind kind, double eps, const T* x, const T* weight, const T* bias, T* y,
              int64_t n) {
  const double mean = kind == NormKind::layer ? sum_of(x, n) / static_cast<double>(n) : 0;
  if constexpr (sizeof(T) == sizeof(float)) {
    const double squares = HWY_DYNAMIC_DISPATCH(SquaresF32)(x, mean, n);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
    HWY_DYNAMIC_DISPATCH(ApplyF32)(x, mean, factor, weight, bias, y, n);
  } else {
    const double squares = HWY_DYNAMIC_DISPATCH(SquaresF64)(x, mean, n);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
    HWY_DYNAMIC_DISPATCH(ApplyF64)(x, mean, factor, weight, bias, y, n);
  }
}

template <class T>
void run(NormKind kind, double eps, const NormBlocks& b, std::span<std::byte> bytes) {
  const int64_t axis = b.x.rank() - 1, n = b.x.shape.back();
  Workspace workspace(bytes);
  T* const x_row = workspace.take<T>(n);
  T* const y_row = workspace.take<T>(n);
  T* const weight = workspace.take<T>(n);
  T* const bias = workspace.take<T>(n);
  const auto fill = [&](const std::optional<StridedView>& v, T absent, T* to) {
    if (!v) {
      std::fill_n(to, n, absent);
    } else {
      load_row(v->dtype, v->data, v->strides[0], n, to);
    }
  };
  fill(b.weight, 1, weight);
  fill(b.bias, 0, bias);
  const Rows<T> from(b.x, axis, x_row), to(b.y, axis, y_row);
  StridedLoop<2> rows;
  for (size_t i = 0; i < static_cast<size_t>(axis); ++i) {
    rows.add(b.x.shape[i], {b.x.strides[i], b.y.strides[i]});
  }
  rows.sort_and_merge(0);
  rows.run([&](const std::array<int64_t, 2>& at) {
    norm_row(kind, eps, from.read(at[0]), weight, bias, to.target(at[1]), n);
    to.write(at[1]);
  });
}

bool wide(const NormBlocks& b) { return b.x.dtype == DType::f64 || b.y.dtype == DType::f64; }

}  // namespace

int64_t norm_workspace_bytes(const NormBlocks& blocks) {
  return 4 * workspace_array(blocks.x.shape.back(), wide(blocks) ? 8 : 4);
}

void norm(NormKind kind, double eps, const NormBlocks& blocks, std::span<std::byte> workspace) {
  if (blocks.x.shape.back() == 0) return;
  wide(blocks) ? run<double>(kind, eps, blocks, workspace)
               : run<float>(kind, eps, blocks, workspace);
}

}  // namespace einsummable::cpu
#endif  // HWY_ONCE
