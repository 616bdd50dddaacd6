// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/argmax.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "einsummable/executor/cpu/kernels/rows.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

enum Operand : size_t { kX, kIndex, kValue };

// So many elements are read at a time.
constexpr int64_t kPart = 4096;

template <class E>
E largest(const E* row, int64_t n) {
  if constexpr (std::is_integral_v<E>) {
    return n == 0 ? std::numeric_limits<E>::min() : *std::max_element(row, row + n);
  } else {
    return max_of(row, n);
  }
}

template <class E>
bool is_nan(E x) {
  return x != x;
}

// The first place in a row of its largest value.
template <class E>
int64_t place_of(const E* row, int64_t n, E value) {
  for (int64_t i = 0; i < n; ++i) {
    if (row[i] == value || (is_nan(value) && is_nan(row[i]))) return i;
  }
  throw InternalError("the largest value of a row is not in it");
}

template <class E>
struct Best {
  E value{};
  int64_t code = kNoPosition;

  // A row that begins at code `begin` and steps by `step`; rows come in order.
  void add(const E* row, int64_t n, int64_t begin, int64_t step) {
    const E here = largest(row, n);
    const bool first = code == kNoPosition;
    const bool better = is_nan(here) ? !is_nan(value) : here > value;
    if (n == 0 || !(first || better)) return;
    value = here;
    code = begin + step * place_of(row, n, here);
  }
};

template <class E>
E least(DType dtype) {
  if constexpr (std::is_integral_v<E>) {
    if (dtype == DType::boolean) return 0;
    return dtype == DType::i32 ? std::numeric_limits<int32_t>::min()
                               : std::numeric_limits<int64_t>::min();
  } else {
    return -std::numeric_limits<E>::infinity();
  }
}

struct Loops {
  StridedLoop<3> kept;         // x, index, value
  StridedLoop<2> reduced;      // x, code; in row-major order
  LoopAxis<2> row{1, {1, 0}};  // the innermost of them

  Loops(const StridedView& x, std::span<const int64_t> axes, const PositionCode& code,
        const StridedView& index, const std::optional<StridedView>& value) {
    size_t out = 0, in = 0;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      if (in < axes.size() && axes[in] == static_cast<int64_t>(i)) {
        reduced.add(x.shape[i], {x.strides[i], code.steps[in++]});
      } else {
        const int64_t value_stride = value ? value->strides[out] : 0;
        kept.add(x.shape[i], {x.strides[i], index.strides[out], value_stride});
        ++out;
      }
    }
    reduced.merge();
    if (!reduced.axes().empty()) row = reduced.pop_inner();
    kept.sort_and_merge(kX);
  }
};

template <class E>
void run(const StridedView& x, const Loops& loops, const PositionCode& code,
         const StridedView& index, const std::optional<StridedView>& value, E* buffer) {
  const auto [extent, strides] = loops.row;
  loops.kept.run([&](const std::array<int64_t, 3>& out) {
    Best<E> best{.value = least<E>(x.dtype)};
    loops.reduced.run([&](const std::array<int64_t, 2>& in) {
      for (int64_t begin = 0; begin < extent; begin += kPart) {
        const int64_t n = std::min(kPart, extent - begin);
        const std::byte* const at =
            x.data + (out[kX] + in[0] + begin * strides[0]) * size_of(x.dtype);
        const E* row = reinterpret_cast<const E*>(at);
        if (x.dtype != kDTypeOf<E> || strides[0] != 1) {
          load_row(x.dtype, at, strides[0], n, buffer);
          row = buffer;
        }
        best.add(row, n, code.origin + in[1] + begin * strides[1], strides[1]);
      }
    });
    store_row(&best.code, 1, index.dtype, index.data + out[kIndex] * size_of(index.dtype), 1);
    if (!value) return;
    store_row(&best.value, 1, value->dtype, value->data + out[kValue] * size_of(value->dtype), 1);
  });
}

}  // namespace

int64_t argmax_workspace_bytes() { return workspace_array(kPart, sizeof(double)); }

void argmax(const StridedView& x, std::span<const int64_t> axes, const PositionCode& code,
            const StridedView& index, const std::optional<StridedView>& value,
            std::span<std::byte> workspace) {
  const Loops loops(x, axes, code, index, value);
  Workspace memory(workspace);
  if (!is_float(x.dtype)) {
    run(x, loops, code, index, value, memory.take<int64_t>(kPart));
  } else if (x.dtype == DType::f64) {
    run(x, loops, code, index, value, memory.take<double>(kPart));
  } else {
    run(x, loops, code, index, value, memory.take<float>(kPart));
  }
}

}  // namespace einsummable::cpu
