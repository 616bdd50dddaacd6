// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/merge_expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

// The outputs of an expression, in float64, each instruction rounded to its dtype.
std::vector<double> evaluated(const Expression& expression, const std::vector<double>& inputs) {
  using Kind = Expression::Instruction::Kind;
  std::vector<double> values;
  for (const Expression::Instruction& one : expression.instructions()) {
    const auto operand = [&](size_t i) {
      return values[static_cast<size_t>(one.operands[std::min<size_t>(i, one.arity - 1)])];
    };
    double value = 0;
    if (one.kind == Kind::input) value = inputs[static_cast<size_t>(one.input)];
    if (one.kind == Kind::constant) value = is_float(one.dtype) ? one.real : one.integer;
    if (one.kind == Kind::cast) value = operand(0);
    if (one.kind == Kind::apply) {
      value = evaluate_as(one.function, expression.dtype(one.operands[0]), one.parameter,
                          operand(0), operand(1), operand(2));
    }
    values.push_back(rounded(value, one.dtype));
  }
  std::vector<double> out;
  for (Expression::Value output : expression.outputs()) {
    out.push_back(values[static_cast<size_t>(output)]);
  }
  return out;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A partial result of one element: (value, lse) and (index, value) have two components.
PartialType partial_of_one(Merge merge) {
  PartialType partial = partial_of(tensor_type(DType::f64, Shape{1}), merge);
  if (merge == Merge::weighted_mean) partial.components.push_back({"lse", DType::f64, {}});
  if (merge == Merge::first_max) {
    partial.components[0].dtype = DType::i64;
    partial.components.push_back({"value", DType::f64, {0}});
  }
  return partial;
}

std::vector<double> reference(const PartialType& partial,
                              const std::vector<std::vector<double>>& parts, bool finishes) {
  std::vector<std::vector<Array64>> blocks;
  for (const std::vector<double>& part : parts) {
    std::vector<Array64>& block = blocks.emplace_back();
    for (size_t c = 0; c < part.size(); ++c) {
      block.emplace_back(component_box(partial.components[c], {{0, 1}}), part[c]);
    }
  }
  for (size_t i = 1; i < blocks.size(); ++i) merge(partial, blocks[0], blocks[i]);
  if (finishes) return finalise(partial, blocks[0]).values();
  std::vector<double> out;
  for (const Array64& component : blocks[0]) out.push_back(component.values()[0]);
  return out;
}

void expect_same(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double near = 1e-12 * std::max(1.0, std::abs(wanted[i]));
    EXPECT_TRUE(got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i])) ||
                (std::isfinite(wanted[i]) && std::abs(got[i] - wanted[i]) <= near))
        << got[i] << " instead of " << wanted[i];
  }
}

TEST(MergeExpression, IsTheReferenceOfEveryMerge) {
  Random random(5);
  const auto value = [&] {
    constexpr double kSpecial[] = {0, kInfinity, -kInfinity, NAN};
    if (random() % 5 == 0) return kSpecial[random() % 4];
    return static_cast<double>(random_below(random, 9)) - 4;
  };
  for (Merge kind : {Merge::sum, Merge::prod, Merge::max, Merge::min, Merge::log_sum_exp,
                     Merge::weighted_mean, Merge::first_max}) {
    const PartialType partial = partial_of_one(kind);
    for (int round = 0; round < 300; ++round) {
      const auto count = static_cast<int32_t>(1 + random_below(random, 4));
      std::vector<std::vector<double>> parts;
      for (int32_t part = 0; part < count; ++part) {
        std::vector<double>& one = parts.emplace_back();
        for (const Component& component : partial.components) {
          double element = static_cast<double>(random_below(random, 9));
          if (is_float(component.dtype)) element = value();
          one.push_back(element);
        }
        // An lse is a number, or -inf of nothing, whose value is 0.
        if (kind == Merge::weighted_mean && !(std::isfinite(one[1]))) one = {0, -kInfinity};
      }
      const bool finishes = random() % 2;
      const auto finished = finishes ? std::optional(partial.components[0].dtype) : std::nullopt;
      SCOPED_TRACE(std::string(name(kind)) + ", round " + std::to_string(round));
      const std::vector<double> wanted = reference(partial, parts, finishes);
      if (kind != Merge::weighted_mean) {
        std::vector<double> inputs;
        for (const auto& part : parts) inputs.insert(inputs.end(), part.begin(), part.end());
        expect_same(evaluated(merge_expression(partial, count, finished), inputs), wanted);
        continue;
      }
      std::vector<double> lse, inputs;
      for (const auto& part : parts) lse.push_back(part[1]);
      for (const auto& part : parts) inputs.push_back(part[0]);
      std::vector<double> weights = evaluated(weights_expression(partial, count, finished), lse);
      inputs.insert(inputs.end(), weights.begin(), weights.begin() + count);
      std::vector<double> got = evaluated(weighted_expression(partial, count, finished), inputs);
      if (!finishes) got.push_back(weights.back());
      expect_same(got, wanted);
    }
  }
}

}  // namespace
}  // namespace einsummable
