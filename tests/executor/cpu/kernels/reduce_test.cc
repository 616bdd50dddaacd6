// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/reduce.h"

#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Reduction kReductions[] = {Reduction::sum,        Reduction::prod, Reduction::max,
                                     Reduction::min,        Reduction::any,  Reduction::all,
                                     Reduction::log_sum_exp};

DType result_dtype(Reduction reduction, DType dtype) {
  if (reduction == Reduction::any || reduction == Reduction::all) return DType::boolean;
  const bool summed = reduction == Reduction::sum || reduction == Reduction::prod;
  return summed && !is_float(dtype) ? DType::i64 : dtype;
}

void run(Reduction reduction, Block& x, const std::vector<int64_t>& axes, Block& y,
         double scale = 1) {
  Scratch scratch(reduce_workspace_bytes(reduction, x.view(), axes, y.view()));
  reduce(reduction, x.view(), axes, scale, y.view(), scratch.bytes());
}

// All elements that make up each output, in row-major order of outputs and elements.
std::vector<std::vector<double>> groups(const Block& x, const std::vector<int64_t>& axes,
                                        const Shape& out) {
  std::vector<std::vector<double>> result(static_cast<size_t>(elements(out)));
  const auto strides = row_major_strides(out);
  x.each([&](const std::vector<int64_t>& position) {
    size_t at = 0, axis = 0;
    for (size_t i = 0; i < position.size(); ++i) {
      if (std::ranges::count(axes, static_cast<int64_t>(i)) == 0) {
        at += static_cast<size_t>(position[i] * strides[axis++]);
      }
    }
    result[at].push_back(x.at(position));
  });
  return result;
}

double reference(Reduction reduction, const std::vector<double>& values) {
  double sum = 0, product = 1, most = -kInfinity, least_of = kInfinity, exponents = 0;
  bool any = false, all = true, nan = false;
  for (double v : values) {
    sum += v;
    product *= v;
    most = std::max(most, v);
    least_of = std::min(least_of, v);
    any = any || v != 0;
    all = all && v != 0;
    nan = nan || std::isnan(v);
  }
  for (double v : values) exponents += std::isfinite(most) ? std::exp(v - most) : 0;
  switch (reduction) {
    case Reduction::sum:
      return sum;
    case Reduction::prod:
      return product;
    case Reduction::max:
      return nan ? std::nan("") : most;
    case Reduction::min:
      return nan ? std::nan("") : least_of;
    case Reduction::any:
      return any;
    case Reduction::all:
      return all;
    case Reduction::log_sum_exp:
      return nan ? std::nan("") : std::isfinite(most) ? most + std::log(exponents) : most;
  }
  return 0;
}

// Sums and products are rounded once, from double; log_sum_exp is computed in x's own type.
double bound(Reduction reduction, const std::vector<double>& values, double want, DType x,
             DType y) {
  double magnitude = reduction == Reduction::prod ? std::abs(want) : 0;
  if (reduction == Reduction::sum) {
    for (double v : values) magnitude += std::abs(v);
  }
  const auto n = static_cast<double>(values.size());
  double error = roundoff(y) * std::abs(want) + n * 0x1p-52 * magnitude + least(y);
  if (reduction == Reduction::log_sum_exp) {
    error += (n + 8) * roundoff(x == DType::f64 ? DType::f64 : DType::f32) * (1 + std::abs(want));
  }
  return error;
}

struct Split {
  Shape shape, out;
  std::vector<int64_t> axes;
};

Split random_split(Random& random) {
  Split s;
  for (int64_t i = pick(random, 0, 4); i > 0; --i) {
    const bool rare = random() % 12 == 0;
    const int64_t extent = rare ? pick(random, 0, 60) : pick(random, 1, 9);
    if (random() % 2 == 0) {
      s.axes.push_back(std::ssize(s.shape));
    } else {
      s.out.push_back(extent);
    }
    s.shape.push_back(extent);
  }
  return s;
}

TEST(Reduce, AgreesWithFloat64OnAnyAxesStridesAndDType) {
  for (int seed = 0; seed < rounds(2000, 40000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const Split s = random_split(random);
    const DType dtype = kAllDTypes[seed % 7];
    const Reduction reduction = kReductions[random() % (is_float(dtype) ? 7 : 6)];
    Block x = Block::any(dtype, s.shape, random);
    Block y = Block::scattered(result_dtype(reduction, dtype), s.out, random);
    const int64_t kind = pick(random, 0, 2);
    if (is_float(dtype) && kind == 0) {
      x.fill_normal(random);
    } else {
      x.fill_integers(random, dtype == DType::boolean ? 0 : -1, 1);
    }
    if (is_float(dtype) && kind == 2) {
      x.each([&](const auto& at) {
        const double special[] = {std::nan(""), kInfinity, -kInfinity};
        if (random() % 20 == 0) x.set(at, special[random() % 3]);
      });
    }
    run(reduction, x, s.axes, y);
    const auto parts = groups(x, s.axes, s.out);
    size_t i = 0, wrong = 0;
    Block rounded(y.dtype(), {});
    y.each([&](const auto& at) {
      const auto& values = parts[i++];
      double want = reference(reduction, values);
      if (!is_float(y.dtype())) {
        rounded.set({}, want);  // of nothing: the least or greatest integer
        want = rounded.at({});
      }
      wrong += !agree(y.at(at), want,
                      is_float(dtype) ? bound(reduction, values, want, dtype, y.dtype()) : 0);
    });
    EXPECT_EQ(wrong, 0u) << "seed " << seed;
    EXPECT_TRUE(y.gaps_untouched()) << "seed " << seed;
  }
}

TEST(Reduce, LongRowsAndColumnsMeetTheBound) {
  Random random(3);
  for (const DType dtype : {DType::f32, DType::f16, DType::f64}) {
    Block x(dtype, {9001, 3}), y(accumulation(dtype), {3}), all(accumulation(dtype), {});
    x.fill_normal(random);
    for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::log_sum_exp}) {
      run(reduction, x, {0}, y);
      run(reduction, x, {0, 1}, all);
      const auto columns = groups(x, {0}, {3});
      for (int64_t j = 0; j < 3; ++j) {
        const auto& values = columns[static_cast<size_t>(j)];
        const double want = reference(reduction, values);
        EXPECT_TRUE(agree(y.at({j}), want, bound(reduction, values, want, dtype, y.dtype())));
      }
      const auto values = groups(x, {0, 1}, {})[0];
      const double want = reference(reduction, values);
      EXPECT_TRUE(agree(all.at({}), want, bound(reduction, values, want, dtype, all.dtype())));
    }
  }
}

TEST(Reduce, IntegersAreExactBeyondTheRangeOfDoubles) {
  Block x(DType::i64, {3, 2});
  Block y(DType::i64, {2});
  int64_t* data = reinterpret_cast<int64_t*>(x.view().data);
  const int64_t large = (int64_t{1} << 53) + 1;
  const int64_t values[] = {large, 1, large, 2, large, 3};
  std::copy_n(values, 6, data);
  run(Reduction::sum, x, {0}, y);
  EXPECT_EQ(reinterpret_cast<int64_t*>(y.view().data)[0], 3 * large);
  run(Reduction::max, x, {0}, y);
  EXPECT_EQ(reinterpret_cast<int64_t*>(y.view().data)[0], large);
}

TEST(Reduce, AMeanIsASumThatIsScaledAndRoundedOnce) {
  Block x(DType::f16, {4096}), y(DType::f16, {}), partial(DType::f32, {});
  x.fill([] { return 60; });
  run(Reduction::sum, x, {0}, y, 1.0 / 4096);
  EXPECT_EQ(y.at({}), 60);
  run(Reduction::sum, x, {0}, partial);
  EXPECT_EQ(partial.at({}), 245760);
}

}  // namespace
}  // namespace einsummable::cpu
