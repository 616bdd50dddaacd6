// SPDX-License-Identifier: Apache-2.0
// The fast kernel of segment_mean: sums in float64, a row of the last other axis at a time.

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"

namespace einsummable::cpu {
namespace {

struct SegmentMeanRun {
  StridedView x, y;
  size_t axis = 0;
  std::vector<Interval> segments;  // of the block, from its first position on
  LoopAxis<2> inner;               // the axis that is summed row by row: strides of x and y
  StridedLoop<2> outer;            // all others

  int64_t width() const { return inner.extent; }

  void run(std::span<std::byte> workspace) const {
    auto* row = reinterpret_cast<double*>(workspace.data());
    double* sum = row + width();
    const int64_t x_size = size_of(x.dtype), y_size = size_of(y.dtype);
    outer.run([&](const std::array<int64_t, 2>& at) {
      for (size_t s = 0; s < segments.size(); ++s) {
        std::fill_n(sum, width(), 0.0);
        for (int64_t i = segments[s].lo; i < segments[s].hi; ++i) {
          load_row(x.dtype, x.data + (at[0] + i * x.strides[axis]) * x_size, inner.strides[0],
                   width(), row);
          for (int64_t c = 0; c < width(); ++c) sum[c] += row[c];
        }
        const auto n = static_cast<double>(segments[s].length());
        for (int64_t c = 0; c < width(); ++c) sum[c] /= n;
        const auto to = at[1] + static_cast<int64_t>(s) * y.strides[axis];
        store_row(sum, width(), y.dtype, y.data + to * y_size, inner.strides[1]);
      }
    });
  }
};

std::optional<PreparedKernel> prepare(const KernelCall& call) {
  SegmentMeanRun run{
      .x = call.inputs[0], .y = call.outputs[0], .segments = {}, .inner = {}, .outer = {}};
  const int64_t rank = run.x.rank(), axis = call.op.attributes().integer("axis");
  run.axis = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const Interval here = call.cell.inputs[0][run.axis];
  int64_t start = 0;
  for (int64_t end : call.op.attributes().integers("ends")) {
    if (here.lo <= start && end <= here.hi)
      run.segments.push_back({start - here.lo, end - here.lo});
    start = end;
  }
  for (size_t i = 0; i < static_cast<size_t>(rank); ++i) {
    if (i != run.axis) run.outer.add(run.x.shape[i], {run.x.strides[i], run.y.strides[i]});
  }
  run.inner = run.outer.pop_inner();
  const int64_t workspace = 2 * run.width() * static_cast<int64_t>(sizeof(double));
  return PreparedKernel{
      .kind = PreparedKernel::Kind::fast,
      .workspace = workspace,
      .run = [run = std::move(run)](std::span<std::byte> scratch) { run.run(scratch); }};
}

}  // namespace

KernelEntry segment_mean_kernel() { return {"segment_mean", prepare}; }

}  // namespace einsummable::cpu
