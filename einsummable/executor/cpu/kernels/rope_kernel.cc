// SPDX-License-Identifier: Apache-2.0
// The fast kernel of rope: the turns of every position once, then each row by its position's.

#include <cmath>

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"

namespace einsummable::cpu {
namespace {

// T is what rows are computed in: double for float64, else float.
template <class T>
struct RopeRun {
  StridedView x, positions, y;
  bool interleaved = false;
  std::vector<double> frequencies;  // of each pair
  StridedLoop<2> outer;             // the axes before the last two

  int64_t rows() const { return x.shape[x.shape.size() - 2]; }
  int64_t pairs() const { return static_cast<int64_t>(frequencies.size()); }
  int64_t workspace_bytes() const {
    return (2 * rows() * pairs() + 2 * pairs()) * static_cast<int64_t>(sizeof(T));
  }

  int64_t position(int64_t row) const {
    const int64_t offset = row * positions.strides[0] * size_of(positions.dtype);
    int64_t value = 0;
    load_row(positions.dtype, positions.data + offset, 1, 1, &value);
    return value;
  }

  void turn(T* row, const T* cosines, const T* sines) const {
    const int64_t n = pairs();
    const int64_t step = interleaved ? 2 : 1, second = interleaved ? 1 : n;
    for (int64_t i = 0; i < n; ++i) {
      T& a = row[i * step];
      T& b = row[i * step + second];
      const T turned = a * cosines[i] - b * sines[i];
      b = b * cosines[i] + a * sines[i];
      a = turned;
    }
  }

  void run(std::span<std::byte> workspace) const {
    const int64_t n = pairs();
    T* cosines = reinterpret_cast<T*>(workspace.data());
    T* sines = cosines + rows() * n;
    T* row = sines + rows() * n;
    for (int64_t s = 0; s < rows(); ++s) {
      const auto at = static_cast<double>(position(s));
      for (int64_t i = 0; i < n; ++i) {
        const double angle = at * frequencies[static_cast<size_t>(i)];
        cosines[s * n + i] = static_cast<T>(std::cos(angle));
        sines[s * n + i] = static_cast<T>(std::sin(angle));
      }
    }
    const size_t axis = x.shape.size() - 2;
    outer.run([&](const std::array<int64_t, 2>& at) {
      for (int64_t s = 0; s < rows(); ++s) {
        load_row(x.dtype, x.data + (at[0] + s * x.strides[axis]) * size_of(x.dtype),
                 x.strides[axis + 1], 2 * n, row);
        turn(row, cosines + s * n, sines + s * n);
        store_row(row, 2 * n, y.dtype, y.data + (at[1] + s * y.strides[axis]) * size_of(y.dtype),
                  y.strides[axis + 1]);
      }
    });
  }
};

template <class T>
PreparedKernel prepare_as(const KernelCall& call) {
  RopeRun<T> run{.x = call.inputs[0],
                 .positions = call.inputs[1],
                 .y = call.outputs[0],
                 .interleaved = call.op.attributes().boolean("interleaved"),
                 .frequencies = {},
                 .outer = {}};
  const int64_t d = run.x.shape.back();
  const double theta = call.op.attributes().real("theta");
  for (int64_t i = 0; i < d / 2; ++i) {
    const double exponent = -2 * static_cast<double>(i) / static_cast<double>(d);
    run.frequencies.push_back(std::pow(theta, exponent));
  }
  for (size_t i = 0; i + 2 < run.x.shape.size(); ++i) {
    run.outer.add(run.x.shape[i], {run.x.strides[i], run.y.strides[i]});
  }
  const int64_t workspace = run.workspace_bytes();
  return {.kind = PreparedKernel::Kind::fast,
          .workspace = workspace,
          .run = [run = std::move(run)](std::span<std::byte> scratch) { run.run(scratch); }};
}

std::optional<PreparedKernel> prepare(const KernelCall& call) {
  if (call.inputs[0].dtype == DType::f64) return prepare_as<double>(call);
  return prepare_as<float>(call);
}

}  // namespace

KernelEntry rope_kernel() { return {"rope", prepare}; }

}  // namespace einsummable::cpu
