// SPDX-License-Identifier: Apache-2.0
// The conformance test finds what is wrong with operators that are.

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "tests/conformance/conformance.h"
#include "tests/support/every_spec.h"
#include "tests/support/operators.h"

namespace einsummable {
namespace {

enum class Fault : uint8_t {
  none,
  merges_by_sum,     // maxima that are added
  cuts_the_row,      // a cut index that the result needs whole
  reads_too_little,  // an input block that lacks what the reference reads
  leaves_unfilled,   // elements of the output that are never written
};

// Running maxima of rows, or with `merges_by_sum` the maxima of rows.
class Faulty final : public Operator {
 public:
  explicit Faulty(Fault fault)
      : Operator("faulty", {{f32({4, 6})}, {}},
                 {fault == Fault::merges_by_sum ? f32({4}) : f32({4, 6})}),
        fault_(fault) {}

  std::vector<Signature> signatures() const override {
    const Shape x[] = {{4, 6}}, y[] = {outputs()[0].shape()};
    if (fault_ == Fault::merges_by_sum) return {parse_notation("i j -> i", x, y)};
    Signature signature =
        parse_notation(fault_ == Fault::cuts_the_row ? "i j -> i j" : "i j* -> i j*", x, y);
    if (fault_ == Fault::reads_too_little) signature.inputs[0].axes[0].width = 0;
    return {signature};
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    for (int64_t i = cell.outputs[0][0].lo; i < cell.outputs[0][0].hi; ++i) {
      if (fault_ == Fault::leaves_unfilled && i == 2) continue;
      double most = -100;
      for (int64_t j = cell.inputs[0][1].lo; j < cell.inputs[0][1].hi; ++j) {
        most = std::max(most, in[0].at({i, j}));
        if (fault_ != Fault::merges_by_sum) out[0].at({i, j}) = most;
      }
      if (fault_ == Fault::merges_by_sum) out[0].at({i}) = most;
    }
  }

 private:
  Fault fault_;
};

// The first fault found in any spec.
std::string found(Fault fault) {
  Random random(1);
  const Faulty op(fault);
  std::string first;
  try {
    const auto trials = make_trials(op, {}, false, random);
    const auto signature = std::make_shared<const Signature>(op.signatures()[0]);
    for (int64_t cells = 1; cells <= 8; ++cells) {
      for_each_spec(signature, cells, random, [&](const JoinAggSpec& spec) {
        if (first.empty()) first = fault_of(op, spec, trials);
      });
    }
  } catch (const InternalError& error) {
    first = error.what();
  }
  return first;
}

TEST(Faults, ASoundOperatorHasNone) { EXPECT_EQ(found(Fault::none), ""); }

TEST(Faults, EachIsFound) {
  EXPECT_NE(found(Fault::merges_by_sum).find("of output 0 is"), std::string::npos);
  EXPECT_NE(found(Fault::cuts_the_row).find("of output 0 is"), std::string::npos);
  EXPECT_NE(found(Fault::reads_too_little).find("it throws: "), std::string::npos);
  EXPECT_NE(found(Fault::leaves_unfilled).find("unfilled"), std::string::npos);
}

}  // namespace
}  // namespace einsummable
