// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_arrays.h"

#include <array>
#include <cmath>
#include <limits>

namespace einsummable {
namespace {

double special_value(Random& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // The last ones are subnormal in float16, float32 and float64.
  constexpr std::array<double, 8> values = {std::numeric_limits<double>::quiet_NaN(),
                                            infinity,
                                            -infinity,
                                            0.0,
                                            65504,
                                            1e-6,
                                            -1e-40,
                                            5e-320};
  return values[static_cast<size_t>(random_below(random, values.size()))];
}

double random_value(DType dtype, const Domain& domain, Values values, Random& random) {
  if (domain.kind == Domain::Kind::ids) {
    return static_cast<double>(random_below(random, domain.below));
  }
  if (dtype == DType::boolean) return static_cast<double>(random() % 2);
  const bool positive = domain.kind == Domain::Kind::positive;
  if (!is_float(dtype) || values == Values::integers) {
    return static_cast<double>(positive ? 1 + random_below(random, 4)
                                        : random_below(random, 9) - 4);
  }
  if (values == Values::special && random() % 8 == 0) {
    const double value = special_value(random);
    return positive ? std::abs(value) : value;
  }
  const double value = std::normal_distribution<double>()(random);
  return positive ? std::abs(value) + 0.01 : value;
}

}  // namespace

std::vector<Array64> random_arrays(const Operator& op, std::span<const Domain> domains,
                                   Values values, Random& random) {
  std::vector<Array64> arrays;
  for (size_t i = 0; i < op.inputs().size(); ++i) {
    const TensorType& type = op.inputs()[i];
    Array64& array = arrays.emplace_back(type.bounds);
    for (double& value : array.values()) {
      value = random_value(type.dtype, i < domains.size() ? domains[i] : Domain{}, values, random);
    }
  }
  return arrays;
}

}  // namespace einsummable
