// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "einsummable/executor/cpu/kernels/rows.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

// So many elements of one output are read at a time.
constexpr int64_t kPart = 4096;
// So many outputs are accumulated at a time where they lie side by side.
constexpr int64_t kColumns = 256;
// Fewer outputs side by side are each reduced on their own.
constexpr int64_t kFewColumns = 8;

// In which C++ type elements are read, and in which they are accumulated.
template <class E>
using Accumulator = std::conditional_t<std::is_integral_v<E>, int64_t, double>;

template <class Visit>
void with_element_type(DType dtype, Visit&& visit) {
  if (!is_float(dtype)) return visit(int64_t{});
  dtype == DType::f64 ? visit(double{}) : visit(float{});
}

int64_t element_size(DType dtype) {
  return dtype == DType::f64 || !is_float(dtype) ? sizeof(double) : sizeof(float);
}

// The largest value of a dtype, or the least: infinite if it can be.
template <class A>
A bound_of(DType dtype, bool largest) {
  if constexpr (std::is_integral_v<A>) {
    using Narrow = std::numeric_limits<int32_t>;
    using Long = std::numeric_limits<int64_t>;
    if (dtype == DType::boolean) return largest;
    if (dtype == DType::i32) return largest ? Narrow::max() : Narrow::min();
    return largest ? Long::max() : Long::min();
  } else {
    const A infinity = std::numeric_limits<A>::infinity();
    return largest ? infinity : -infinity;
  }
}

template <class A>
A identity(Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::any:
      return 0;
    case Reduction::prod:
    case Reduction::all:
      return 1;
    case Reduction::min:
      return bound_of<A>(dtype, true);
    case Reduction::max:
    case Reduction::log_sum_exp:
      return bound_of<A>(dtype, false);
  }
  throw InternalError("unknown reduction");
}

// a + b and a * b; integers wrap.
template <class A>
A plus(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <class A>
A times(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// Calls visit(function of two accumulators) with the one that merges; log_sum_exp has none.
template <class A, class Visit>
void with_merge(Reduction reduction, Visit&& visit) {
  switch (reduction) {
    case Reduction::sum:
      return visit([](A a, A b) { return plus(a, b); });
    case Reduction::prod:
      return visit([](A a, A b) { return times(a, b); });
    case Reduction::max:
      return visit([](A a, A b) { return a != a || a >= b ? a : b; });
    case Reduction::min:
      return visit([](A a, A b) { return a != a || a <= b ? a : b; });
    case Reduction::any:
      return visit([](A a, A b) -> A { return a != 0 || b != 0; });
    case Reduction::all:
      return visit([](A a, A b) -> A { return a != 0 && b != 0; });
    case Reduction::log_sum_exp:
      break;
  }
  throw InternalError("a reduction without a merge");
}

// log(sum(exp)) so far, as the maximum and the sum of exp(x - maximum).
struct LogSum {
  double maximum = -std::numeric_limits<double>::infinity(), sum = 0;

  void add(const LogSum& other) {
    if (std::isnan(maximum) || other.maximum == -std::numeric_limits<double>::infinity()) return;
    if (std::isnan(other.maximum) || other.maximum > maximum) {
      sum = other.sum + (sum == 0 ? 0 : sum * std::exp(maximum - other.maximum));
      maximum = other.maximum;
    } else {
      sum += other.sum * (other.maximum == maximum ? 1 : std::exp(other.maximum - maximum));
    }
  }
  double log() const { return std::isfinite(maximum) ? maximum + std::log(sum) : maximum; }
};

template <class E>
LogSum log_sum_of(const E* row, int64_t n) {
  if constexpr (std::is_integral_v<E>) {
    throw InternalError("log_sum_exp of integers");
  } else {
    const E maximum = max_of(row, n);
    if (!std::isfinite(maximum)) return {static_cast<double>(maximum), 1};
    return {static_cast<double>(maximum),
            static_cast<double>(exponentials(row, maximum, nullptr, n))};
  }
}

template <class E>
Accumulator<E> reduce_row(Reduction reduction, DType dtype, const E* row, int64_t n) {
  using A = Accumulator<E>;
  if constexpr (!std::is_integral_v<E>) {
    if (reduction == Reduction::sum) return sum_of(row, n);
    if (reduction == Reduction::max) return static_cast<A>(max_of(row, n));
    if (reduction == Reduction::min) return static_cast<A>(min_of(row, n));
  }
  A result = identity<A>(reduction, dtype);
  with_merge<A>(reduction, [&](auto merge) {
    for (int64_t i = 0; i < n; ++i) result = merge(result, static_cast<A>(row[i]));
  });
  return result;
}

// The axes of a reduction: `kept` moves x and y, `reduced` only x; one of them has lost the axis
// along which x is read.
struct Axes {
  StridedLoop<2> kept, reduced;
  LoopAxis<2> read;
  enum class Along : uint8_t { reduced, kept } along = Along::reduced;

  Axes(Reduction reduction, const StridedView& x, std::span<const int64_t> axes,
       const StridedView& y) {
    size_t out = 0;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      if (std::ranges::binary_search(axes, static_cast<int64_t>(i))) {
        reduced.add(x.shape[i], {x.strides[i], 0});
      } else {
        ensure(out < y.shape.size() && y.shape[out] == x.shape[i], "shape of a reduction's output");
        kept.add(x.shape[i], {x.strides[i], y.strides[out++]});
      }
    }
    ensure(out == y.shape.size(), "rank of a reduction's output");
    kept.sort_and_merge(0);
    reduced.sort_and_merge(0);
    const auto step = [](const StridedLoop<2>& loop) {
      return loop.axes().empty() ? std::numeric_limits<int64_t>::max()
                                 : std::abs(loop.axes().back().strides[0]);
    };
    const bool by_rows = reduction == Reduction::log_sum_exp;
    if (!by_rows && step(kept) < step(reduced) && kept.axes().back().extent >= kFewColumns) {
      along = Along::kept;
      read = kept.pop_inner();
    } else {
      read = reduced.pop_inner();
    }
  }

  int64_t buffer() const { return std::min(read.extent, along == Along::kept ? kColumns : kPart); }
};

template <class A>
void finish(A total, double scale, const StridedView& y, int64_t offset) {
  std::byte* const at = y.data + offset * size_of(y.dtype);
  if constexpr (std::is_integral_v<A>) {
    if (scale == 1 && !is_float(y.dtype)) return store_row(&total, 1, y.dtype, at, 1);
  }
  const double scaled = static_cast<double>(total) * scale;
  store_row(&scaled, 1, y.dtype, at, 1);
}

// x has `n` elements to read `stride` apart at `offset`: in place if they are dense and of type E.
template <class E>
const E* read(const StridedView& x, int64_t offset, int64_t stride, int64_t n, E* buffer) {
  const std::byte* const at = x.data + offset * size_of(x.dtype);
  if (x.dtype == kDTypeOf<E> && stride == 1) return reinterpret_cast<const E*>(at);
  load_row(x.dtype, at, stride, n, buffer);
  return buffer;
}

// Each output on its own, row by row.
template <class E>
void reduce_rows(Reduction reduction, const StridedView& x, const Axes& axes, double scale,
                 const StridedView& y, E* buffer) {
  using A = Accumulator<E>;
  const int64_t stride = axes.read.strides[0];
  axes.kept.run([&](const std::array<int64_t, 2>& out) {
    A total = identity<A>(reduction, x.dtype);
    LogSum log_sum;
    axes.reduced.run([&](const std::array<int64_t, 2>& in) {
      for (int64_t begin = 0; begin < axes.read.extent; begin += kPart) {
        const int64_t n = std::min(kPart, axes.read.extent - begin);
        const E* row = read(x, out[0] + in[0] + begin * stride, stride, n, buffer);
        if (reduction == Reduction::log_sum_exp) {
          log_sum.add(log_sum_of(row, n));
        } else {
          const A part = reduce_row(reduction, x.dtype, row, n);
          with_merge<A>(reduction, [&](auto merge) { total = merge(total, part); });
        }
      }
    });
    if constexpr (!std::is_integral_v<E>) {
      if (reduction == Reduction::log_sum_exp) total = log_sum.log();
    }
    finish(total, scale, y, out[1]);
  });
}

// Many outputs side by side at once.
template <class E>
void reduce_columns(Reduction reduction, const StridedView& x, const Axes& axes, double scale,
                    const StridedView& y, E* buffer, Accumulator<E>* totals) {
  using A = Accumulator<E>;
  const auto [stride, y_stride] = axes.read.strides;
  axes.kept.run([&](const std::array<int64_t, 2>& out) {
    for (int64_t begin = 0; begin < axes.read.extent; begin += kColumns) {
      const int64_t n = std::min(kColumns, axes.read.extent - begin);
      std::fill_n(totals, n, identity<A>(reduction, x.dtype));
      with_merge<A>(reduction, [&](auto merge) {
        axes.reduced.run([&](const std::array<int64_t, 2>& in) {
          const E* row = read(x, out[0] + in[0] + begin * stride, stride, n, buffer);
          for (int64_t j = 0; j < n; ++j) totals[j] = merge(totals[j], static_cast<A>(row[j]));
        });
      });
      for (int64_t j = 0; j < n; ++j) {
        finish(totals[j], scale, y, out[1] + (begin + j) * y_stride);
      }
    }
  });
}

}  // namespace

int64_t reduce_workspace_bytes(Reduction reduction, const StridedView& x,
                               std::span<const int64_t> axes, const StridedView& y) {
  const Axes split(reduction, x, axes, y);
  return workspace_array(split.buffer(), element_size(x.dtype)) +
         workspace_array(split.along == Axes::Along::kept ? split.buffer() : 0, sizeof(double));
}

void reduce(Reduction reduction, const StridedView& x, std::span<const int64_t> axes, double scale,
            const StridedView& y, std::span<std::byte> workspace) {
  const Axes split(reduction, x, axes, y);
  Workspace memory(workspace);
  with_element_type(x.dtype, [&](auto element) {
    using E = decltype(element);
    E* const buffer = memory.take<E>(split.buffer());
    if (split.along == Axes::Along::reduced) {
      reduce_rows(reduction, x, split, scale, y, buffer);
    } else {
      auto* const totals = memory.take<Accumulator<E>>(split.buffer());
      reduce_columns(reduction, x, split, scale, y, buffer, totals);
    }
  });
}

}  // namespace einsummable::cpu
