// SPDX-License-Identifier: Apache-2.0
// Reductions: y = the aggregate over the axes `axis` of x, one merge of partial results for each:
// sum, prod, max, min, mean (a sum times 1/n), any, all, logsumexp.

#include "einsummable/ops/operator.h"
#include "einsummable/ops/reduced_axes.h"

namespace einsummable {
namespace {

enum class Result : uint8_t {
  same,     // the dtype of x
  summed,   // the same, but int64 for int32 and bool
  boolean,  // bool; x counts as whether it is nonzero
};

struct Reduction {
  std::string_view name;
  Merge merge;
  Result result = Result::same;
  bool mean = false;
};

constexpr Reduction kSum = {"sum", Merge::sum, Result::summed};
constexpr Reduction kProd = {"prod", Merge::prod, Result::summed};
constexpr Reduction kMax = {"max", Merge::max};
constexpr Reduction kMin = {"min", Merge::min};
constexpr Reduction kMean = {.name = "mean", .merge = Merge::sum, .mean = true};
constexpr Reduction kAny = {"any", Merge::max, Result::boolean};
constexpr Reduction kAll = {"all", Merge::min, Result::boolean};
constexpr Reduction kLogsumexp = {"logsumexp", Merge::log_sum_exp};

bool has_value_over_nothing(const Reduction& reduction) {
  const bool extreme = reduction.merge == Merge::max || reduction.merge == Merge::min;
  return !extreme || reduction.result == Result::boolean;
}

class ReductionOperator final : public Operator {
 public:
  ReductionOperator(const Reduction& reduction, const OperatorCall& call)
      : Operator(std::string(reduction.name), call, {infer(reduction, call)}),
        reduction_(reduction),
        axes_(call) {}

  // Every axis may be cut anywhere; a cut of a reduced one leaves partial results.
  std::vector<Signature> signatures() const override { return {axes_.signature()}; }

  PartialType partial(size_t output) const override {
    const double scale = reduction_.mean ? 1 / static_cast<double>(axes_.count()) : 1;
    return partial_of(outputs()[output], reduction_.merge, scale);
  }

  double flops(const FunctionSpec& cell) const override {
    return static_cast<double>(elements(cell.inputs[0]));
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    out[0] = identity(partial(0), cell.outputs[0])[0];
    std::vector<int64_t> y;
    for_each_position(cell.inputs[0], [&](std::span<const int64_t> x) {
      axes_.place(x, y);
      const double value = in[0].at(x);
      double& total = out[0].at(y);
      total = merge_values(reduction_.merge, total,
                           reduction_.result == Result::boolean ? value != 0 : value);
    });
  }

 private:
  static TensorType infer(const Reduction& reduction, const OperatorCall& call) {
    const ReducedAxes axes(call);
    require(
        has_value_over_nothing(reduction) || axes.count() > 0,
        std::string(reduction.name) + " over nothing has no value; a reduced axis has extent 0");
    DType dtype = call.inputs[0].dtype;
    if (reduction.result == Result::boolean) dtype = DType::boolean;
    if (reduction.result == Result::summed && !is_float(dtype)) dtype = DType::i64;
    return tensor_type(dtype, axes.output_shape());
  }

  Reduction reduction_;
  ReducedAxes axes_;
};

// The registry's entry. The reduction is a template argument because entries hold plain functions.
template <const Reduction& reduction>
OperatorInfo entry(std::string_view doc, Promotion promotion = Promotion::common) {
  return {
      .name = reduction.name,
      .doc = doc,
      .inputs = {{"x", promotion}},
      .attributes = reduction_attributes(),
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<ReductionOperator>(reduction, call);
      },
      .sample =
          [](Random& random) {
            return ReductionSample{.nothing_is_legal = has_value_over_nothing(reduction)}(random);
          },
  };
}

}  // namespace

OperatorInfo sum_operator() {
  return entry<kSum>("Sum over the axes; 0 over nothing. Sums of int32 and bool are int64.");
}

OperatorInfo prod_operator() {
  return entry<kProd>(
      "Product over the axes; 1 over nothing. Products of int32 and bool are int64.");
}

OperatorInfo max_operator() {
  return entry<kMax>("Largest value over the axes; NaN if any is NaN.");
}

OperatorInfo min_operator() {
  return entry<kMin>("Smallest value over the axes; NaN if any is NaN.");
}

OperatorInfo mean_operator() {
  return entry<kMean>("Mean over the axes, sum(x) / n; NaN over nothing.", Promotion::floating);
}

OperatorInfo any_operator() {
  return entry<kAny>("Whether any value over the axes is nonzero; false over nothing.");
}

OperatorInfo all_operator() {
  return entry<kAll>("Whether all values over the axes are nonzero; true over nothing.");
}

OperatorInfo logsumexp_operator() {
  return entry<kLogsumexp>("log(sum(exp(x))) over the axes, without overflow; -inf over nothing.",
                           Promotion::floating);
}

}  // namespace einsummable
