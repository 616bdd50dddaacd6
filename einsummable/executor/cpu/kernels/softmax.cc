// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/softmax.h"

#include <cmath>

#include "einsummable/executor/cpu/kernels/rows.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

template <class T>
void softmax_row(SoftmaxKind kind, const T* x, T* y, int64_t n) {
  const T maximum = max_of(x, n);
  if (kind == SoftmaxKind::softmax) {
    const T factor = 1 / exponentials(x, maximum, y, n);
    for (int64_t i = 0; i < n; ++i) y[i] *= factor;
  } else {
    const T log = std::log(exponentials(x, maximum, nullptr, n));
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - maximum) - log;
  }
}

template <class T>
void run(SoftmaxKind kind, const StridedView& x, int64_t axis, const StridedView& y,
         std::span<std::byte> bytes) {
  const int64_t n = x.shape[static_cast<size_t>(axis)];
  Workspace workspace(bytes);
  T* const buffer = workspace.take<T>(n);
  const Rows<T> from(x, axis, buffer), to(y, axis, workspace.take<T>(n));
  StridedLoop<2> rows;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    if (i != static_cast<size_t>(axis)) rows.add(x.shape[i], {x.strides[i], y.strides[i]});
  }
  rows.sort_and_merge(0);
  rows.run([&](const std::array<int64_t, 2>& at) {
    softmax_row(kind, from.read(at[0]), to.target(at[1]), n);
    to.write(at[1]);
  });
}

bool wide(const StridedView& x, const StridedView& y) {
  return x.dtype == DType::f64 || y.dtype == DType::f64;
}

}  // namespace

int64_t softmax_workspace_bytes(const StridedView& x, int64_t axis, const StridedView& y) {
  return 2 * workspace_array(x.shape[static_cast<size_t>(axis)], wide(x, y) ? 8 : 4);
}

void softmax(SoftmaxKind kind, const StridedView& x, int64_t axis, const StridedView& y,
             std::span<std::byte> workspace) {
  if (x.shape[static_cast<size_t>(axis)] == 0) return;
  wide(x, y) ? run<double>(kind, x, axis, y, workspace) : run<float>(kind, x, axis, y, workspace);
}

}  // namespace einsummable::cpu
