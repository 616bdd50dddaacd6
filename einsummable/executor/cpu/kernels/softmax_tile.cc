// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/softmax_tile.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "einsummable/executor/cpu/kernels/softmax_tile.cc"
#include "einsummable/executor/cpu/kernels/targets.h"
#include "hwy/foreach_target.h"

#include "einsummable/executor/cpu/kernels/exp-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// At most as many lanes as rows are padded to.
template <class T>
using Tag = hn::CappedTag<T, kTileLanes>;

// row *= factor, for a padded row.
template <class D, class V>
HWY_INLINE void scale_row(D d, hn::TFromD<D>* row, int64_t n, V factor) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, row + i), factor), d, row + i);
  }
}

template <class D>
auto largest(D d, const hn::TFromD<D>* row, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto m0 = hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity()), m1 = m0;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, row + i));
    m1 = hn::Max(m1, hn::LoadU(d, row + i + lanes));
  }
  for (; i < n; i += lanes) m0 = hn::Max(m0, hn::LoadU(d, row + i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(m0, m1)));
}

// row = exp(row - shift); gives the sum.
template <class D>
auto exponentiate(D d, hn::TFromD<D>* row, int64_t n, hn::TFromD<D> shift) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto at = hn::Set(d, shift);
  auto s0 = hn::Zero(d), s1 = s0;
  const auto weights = [&](int64_t i) HWY_ATTR {
    const auto w = exp_of_nonpositive(d, hn::Sub(hn::LoadU(d, row + i), at));
    hn::StoreU(w, d, row + i);
    return w;
  };
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    s0 = hn::Add(s0, weights(i));
    s1 = hn::Add(s1, weights(i + lanes));
  }
  for (; i < n; i += lanes) s0 = hn::Add(s0, weights(i));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

template <class T>
void update(const SoftmaxTile<T>& tile) {
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < tile.rows; ++r) {
    T* const row = tile.scores + r * tile.scores_stride;
    const int64_t visible = std::min(tile.columns, tile.first_visible + r / tile.group);
    const int64_t padded = (visible + lanes - 1) / lanes * lanes;
    std::fill(row + visible, row + padded, kNone);
    const T before = tile.maximum[r], here = largest(d, row, padded);
    const T after = here > before ? here : before;
    const T sum = exponentiate(d, row, padded, after == kNone ? T{0} : after);
    std::fill(row + visible, row + tile.columns, T{0});
    tile.maximum[r] = after;
    if (before == kNone || before == after) {
      tile.sum[r] += sum;
      continue;
    }
    const auto scale = exp_of_nonpositive(d, hn::Set(d, before - after));
    tile.sum[r] = tile.sum[r] * hn::GetLane(scale) + sum;
    scale_row(d, tile.values + r * tile.values_stride, tile.values_stride, scale);
  }
}

template <class T>
void normalise(const SoftmaxTile<T>& tile) {
  const Tag<T> d;
  for (int64_t r = 0; r < tile.rows; ++r) {
    T* const row = tile.values + r * tile.values_stride;
    if (tile.sum[r] == 0) {
      std::fill_n(row, tile.values_stride, T{0});
    } else {
      scale_row(d, row, tile.values_stride, hn::Set(d, T{1} / tile.sum[r]));
    }
  }
}

void UpdateF32(const SoftmaxTile<float>& tile) { update(tile); }
void UpdateF64(const SoftmaxTile<double>& tile) { update(tile); }
void NormaliseF32(const SoftmaxTile<float>& tile) { normalise(tile); }
void NormaliseF64(const SoftmaxTile<double>& tile) { normalise(tile); }

}  // namespace
}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace einsummable::cpu {

HWY_EXPORT(UpdateF32);
HWY_EXPORT(UpdateF64);
HWY_EXPORT(NormaliseF32);
HWY_EXPORT(NormaliseF64);

void softmax_tile(const SoftmaxTile<float>& tile) { HWY_DYNAMIC_DISPATCH(UpdateF32)(tile); }
void softmax_tile(const SoftmaxTile<double>& tile) { HWY_DYNAMIC_DISPATCH(UpdateF64)(tile); }
void normalise_tile(const SoftmaxTile<float>& tile) { HWY_DYNAMIC_DISPATCH(NormaliseF32)(tile); }
void normalise_tile(const SoftmaxTile<double>& tile) { HWY_DYNAMIC_DISPATCH(NormaliseF64)(tile); }

}  // namespace einsummable::cpu
#endif  // HWY_ONCE
