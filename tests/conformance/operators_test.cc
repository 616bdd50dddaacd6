// SPDX-License-Identifier: Apache-2.0
// Definition 3.7 for every operator of the registry: for random calls and every spec for every
// p <= 8, join, aggregate, recompose gives the operator's result.

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/ops/registry.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/structure.h"
#include "tests/support/every_spec.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr int64_t kMostCells = 8;

// The call with its inputs in `dtype` as far as they are promoted; none if the operator does not
// take that dtype.
std::shared_ptr<const Operator> in_dtype(const OperatorInfo& info, OperatorCall call, DType dtype) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const InputInfo& input = info.inputs[std::min(i, info.inputs.size() - 1)];
    if (input.promotion != Promotion::none) call.inputs[i].dtype = dtype;
  }
  const std::vector<DType> dtypes = promoted_dtypes(info, call.inputs);
  for (size_t i = 0; i < dtypes.size(); ++i) call.inputs[i].dtype = dtypes[i];
  try {
    return make_operator(info, std::move(call));
  } catch (const GraphError&) {
    return nullptr;
  }
}

// Whether the call is small enough to be run some hundred times.
bool is_small(const Operator& op) {
  FunctionSpec whole;
  int64_t size = 0;
  for (const TensorType& type : op.inputs()) {
    whole.inputs.push_back(type.bounds);
    size += type.elements();
  }
  for (const TensorType& type : op.outputs()) {
    whole.outputs.push_back(type.bounds);
    size += type.elements();
  }
  return size < 2000 && op.flops(whole) < 10000;
}

// A random call in `dtype`; none if the operator does not take it.
struct RandomCall {
  std::shared_ptr<const Operator> op;
  std::vector<Domain> domains;
};
std::optional<RandomCall> random_call(const OperatorInfo& info, DType dtype, Random& random) {
  while (true) {
    Sample sample = info.sample(random);
    auto op = in_dtype(info, std::move(sample.call), dtype);
    if (!op) return std::nullopt;
    if (is_small(*op)) return RandomCall{std::move(op), std::move(sample.domains)};
  }
}

std::vector<DType> dtypes_of(const std::vector<TensorType>& types) {
  std::vector<DType> dtypes;
  for (const TensorType& type : types) dtypes.push_back(type.dtype);
  return dtypes;
}

struct Counts {
  int64_t operators = 0, dtypes = 0, calls = 0, specs = 0, cells = 0;
};

class Conformance : public testing::TestWithParam<const OperatorInfo*> {
 protected:
  static void TearDownTestSuite() {
    std::printf("conformance: %lld operators x %.1f dtypes, %lld calls, %lld specs, %lld cells\n",
                static_cast<long long>(total_.operators),
                static_cast<double>(total_.dtypes) / static_cast<double>(total_.operators),
                static_cast<long long>(total_.calls), static_cast<long long>(total_.specs),
                static_cast<long long>(total_.cells));
  }

  void check_call(const Operator& op, std::span<const Domain> domains) {
    SCOPED_TRACE(op.name() + "(" + describe_inputs(op) + "; " + text(op.attributes()) + ")");
    const auto trials = make_trials(op, domains, counts_.calls % 2 == 1, random_);
    for (Signature& signature : op.signatures()) {
      ASSERT_EQ(fault_of_signature(op, signature), "") << text(signature);
      const auto shared = std::make_shared<const Signature>(std::move(signature));
      for (int64_t cells = 1; cells <= kMostCells; ++cells) {
        for_each_spec(shared, cells, random_, [&](const JoinAggSpec& spec) {
          if (HasFatalFailure()) return;
          ASSERT_EQ(fault_of(op, spec, trials), "") << text(*shared) << "\n" << text(spec);
          ++counts_.specs;
          counts_.cells += cells;
          several_cells_ += cells > 1;
        });
      }
    }
    ++counts_.calls;
  }

  static std::string describe_inputs(const Operator& op) {
    std::string out;
    for (const TensorType& type : op.inputs()) out += (out.empty() ? "" : ", ") + text(type);
    return out;
  }

  static Counts total_;
  Counts counts_;
  int64_t several_cells_ = 0;  // specs of two or more
  Random random_{20240607};
};

Counts Conformance::total_;

TEST_P(Conformance, EverySpecGivesTheResultOfTheOperator) {
  const OperatorInfo& info = *GetParam();
  std::set<std::vector<DType>> dtypes;
  for (int round = 0; round < rounds(6, 40); ++round) {
    for (DType dtype : kAllDTypes) {
      const auto call = random_call(info, dtype, random_);
      if (!call) continue;
      const Operator& op = *call->op;
      ASSERT_LE(op.outputs().size(), info.outputs.size());
      dtypes.insert(dtypes_of(op.inputs().empty() ? op.outputs() : op.inputs()));
      check_call(op, call->domains);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(several_cells_, 0) << "no spec of two or more cells was run";
  total_.operators += 1;
  total_.dtypes += std::ssize(dtypes);
  total_.calls += counts_.calls;
  total_.specs += counts_.specs;
  total_.cells += counts_.cells;
}

std::vector<const OperatorInfo*> all_operators() {
  std::vector<const OperatorInfo*> all;
  for (const OperatorInfo& info : operators()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, Conformance, testing::ValuesIn(all_operators()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace einsummable
