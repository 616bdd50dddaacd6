// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "einsummable/base/text.h"
#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

Attributes notation(const std::string& spec, const std::string& combine = "multiply",
                    const std::string& aggregate = "sum") {
  return {{"spec", spec}, {"combine", combine}, {"aggregate", aggregate}};
}

Array64 einsum(const std::vector<Array64>& inputs, const Attributes& attributes) {
  std::vector<TensorType> types;
  for (const Array64& input : inputs) types.push_back(f32(shape_of(input.bounds())));
  return whole_reference(*operator_of("einsum", types, attributes), inputs)[0];
}

double combine(const std::string& name, double a, double b) {
  if (name == "multiply") return a * b;
  if (name == "add") return a + b;
  if (name == "subtract") return a - b;
  return name == "maximum" ? std::max(a, b) : std::min(a, b);
}

double aggregate(const std::string& name, double a, double b) {
  if (name == "sum") return a + b;
  if (name == "prod") return a * b;
  return name == "max" ? std::max(a, b) : std::min(a, b);
}

// Evaluates explicit notation without "...", one letter at a time, from its text alone.
class Evaluator {
 public:
  Evaluator(const std::vector<std::string>& operands, const std::string& output,
            const std::vector<Array64>& inputs, const Attributes& attributes)
      : operands_(operands), output_(output), inputs_(inputs), attributes_(attributes) {
    for (size_t i = 0; i < operands.size(); ++i) {
      for (size_t axis = 0; axis < operands[i].size(); ++axis) {
        extent_[operands[i][axis]] = inputs[i].extent(static_cast<int64_t>(axis));
      }
    }
    for (const auto& [letter, extent] : extent_) {
      if (output.find(letter) == std::string::npos) summed_ += letter;
    }
  }

  Array64 result() {
    Array64 out(box(output_), attributes_.string("aggregate") == "prod" ? 1 : 0);
    for_each_position(out.bounds(), [&](std::span<const int64_t> at) {
      for (size_t i = 0; i < at.size(); ++i) value_[output_[i]] = at[i];
      bool first = true;
      for_each_position(box(summed_), [&](std::span<const int64_t> point) {
        for (size_t i = 0; i < point.size(); ++i) value_[summed_[i]] = point[i];
        double& total = out.at(at);
        total = first ? value() : aggregate(attributes_.string("aggregate"), total, value());
        first = false;
      });
    });
    return out;
  }

 private:
  Box box(const std::string& letters) {
    Shape shape;
    for (char letter : letters) shape.push_back(extent_[letter]);
    return box_of(shape);
  }

  double value() {
    double value = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      std::vector<int64_t> at;
      for (char letter : operands_[i]) at.push_back(value_[letter]);
      const double x = inputs_[i].at(at);
      value = i == 0 ? x : combine(attributes_.string("combine"), value, x);
    }
    return value;
  }

  std::vector<std::string> operands_;
  std::string output_, summed_;
  std::vector<Array64> inputs_;
  Attributes attributes_;
  std::map<char, int64_t> extent_, value_;
};

TEST(Einsum, ReadsNumPysNotation) {
  const Array64 m = array({2, 2}, {1, 2, 3, 4}), v = array({2}, {10, 100});
  EXPECT_EQ(einsum({m}, notation("ii->i")).values(), (std::vector<double>{1, 4}));
  EXPECT_EQ(einsum({m}, notation("ii->")).values(), (std::vector<double>{5}));
  EXPECT_EQ(einsum({m}, notation("ii")).values(), (std::vector<double>{5}));
  EXPECT_EQ(einsum({m}, notation("ba")).values(), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(einsum({m, v}, notation(" ij , j -> i ")).values(), (std::vector<double>{210, 430}));
  EXPECT_EQ(einsum({m, v}, notation("ij,j")).values(), (std::vector<double>{210, 430}));
  EXPECT_EQ(einsum({m, v}, notation("...i,i->...")).values(), (std::vector<double>{210, 430}));
  EXPECT_EQ(einsum({m}, notation("...->...")).values(), m.values());
  EXPECT_EQ(einsum({v, v}, notation("i,j->ji")).values(),
            (std::vector<double>{100, 1000, 1000, 10000}));
}

TEST(Einsum, CombinesAndAggregatesByName) {
  const Array64 m = array({2, 2}, {0, 3, 1, 0});
  EXPECT_EQ(einsum({m, m}, notation("ij,jk->ik", "add", "min")).values(),
            (std::vector<double>{0, 3, 1, 0}));
  EXPECT_EQ(einsum({m, m}, notation("ij,jk->ik", "multiply", "max")).values(),
            (std::vector<double>{3, 0, 0, 3}));
}

TEST(Einsum, BroadcastsOnlyUnderTheEllipsis) {
  const Array64 a = array({2, 1}, {1, 2}), b = array({3}, {10, 20, 30});
  EXPECT_EQ(einsum({a, b}, notation("...,...->...")).values(),
            (std::vector<double>{10, 20, 30, 20, 40, 60}));
  const auto op = operator_of("einsum", {f32({2, 1}), f32({3})}, notation("...,..."));
  EXPECT_EQ(text(op->signatures()[0]), "batch0 1, batch1 -> batch0 batch1");
}

TEST(Einsum, AggregatesOverNothing) {
  EXPECT_EQ(einsum({array({0}, {})}, notation("i->")).values(), (std::vector<double>{0}));
  EXPECT_EQ(einsum({array({0}, {})}, notation("i->", "multiply", "prod")).values(),
            (std::vector<double>{1}));
}

TEST(Einsum, SumsOfBoolsAreOr) {
  const TensorType flags = tensor_type(DType::boolean, Shape{2, 2});
  const auto op = operator_of("einsum", {flags, flags}, notation("ij,jk->ik"));
  EXPECT_EQ(op->outputs()[0].dtype, DType::boolean);
  EXPECT_EQ(op->partial(0).merge, Merge::max);
  const Array64 m = array({2, 2}, {1, 1, 0, 1});
  EXPECT_EQ(whole_reference(*op, {m, m})[0].values(), (std::vector<double>{1, 1, 0, 1}));
}

TEST(Einsum, KeepsIntegersAndAccumulatesThemInInt64) {
  const auto op = operator_of("einsum", {i32({2, 2}), i32({2, 2})}, notation("ij,jk->ik"));
  EXPECT_EQ(op->outputs()[0].dtype, DType::i32);
  EXPECT_EQ(op->partial(0).components[0].dtype, DType::i64);
}

TEST(Einsum, MatchesAnEvaluatorOfTheText) {
  Random random(5);
  const std::vector<std::string> combines = {"multiply", "add", "maximum", "minimum", "subtract"};
  const std::vector<std::string> aggregates = {"sum", "prod", "max", "min"};
  for (int round = 0; round < rounds(300, 3000); ++round) {
    const Shape extents = {1 + random_below(random, 3), 2, 1 + random_below(random, 4), 3};
    std::vector<std::string> operands(static_cast<size_t>(1 + random_below(random, 3)));
    std::vector<Array64> inputs;
    std::string all, output;
    for (std::string& operand : operands) {
      Shape shape;
      for (int64_t axis = random_below(random, 4); axis-- > 0;) {
        const int64_t letter = random_below(random, 4);
        operand += static_cast<char>('w' + letter);
        shape.push_back(extents[static_cast<size_t>(letter)]);
      }
      all += operand;
      inputs.push_back(random_integers(random, shape, 3));
    }
    const bool implicit = random() % 2;
    std::ranges::shuffle(all, random);
    if (implicit) std::ranges::sort(all);
    for (char letter : all) {
      const bool taken = implicit ? std::ranges::count(all, letter) == 1
                                  : random() % 2 && output.find(letter) == std::string::npos;
      if (taken) output += letter;
    }
    const std::string inputs_text = join(operands, ",");
    const Attributes attributes = notation(implicit ? inputs_text : inputs_text + "->" + output,
                                           combines[random() % 5], aggregates[random() % 4]);
    EXPECT_EQ(einsum(inputs, attributes).values(),
              Evaluator(operands, output, inputs, attributes).result().values())
        << attributes.string("spec");
  }
}

TEST(Einsum, SaysWhatWouldBeLegal) {
  const auto two = [](const std::string& spec) {
    return refusal("einsum", {f32({3, 4}), f32({5, 6})}, notation(spec));
  };
  EXPECT_EQ(two("ij,jk->ik"),
            "the letter j is 4 in x0 and 5 in x1; extents of one letter must agree");
  EXPECT_EQ(two("ij->i"), "the notation \"ij->i\" names 1 operands, but 2 are given");
  EXPECT_EQ(two("ij,k->ik"), "the notation \"ij,k->ik\" names 1 axes of x1, which has 2");
  EXPECT_EQ(two("ij,klm...->ik"), "the notation \"ij,klm...->ik\" names 3 axes of x1, which has 2");
  EXPECT_EQ(two("ij,kl->im"),
            "the notation \"ij,kl->im\" has the letter m in the output that no input has");
  EXPECT_EQ(two("ij,kl->ii"), "the notation \"ij,kl->ii\" has the letter i twice in the output");
  EXPECT_EQ(two("ij,kl->i->j"), "the notation \"ij,kl->i->j\" has more than one '->'");
  EXPECT_EQ(two("ij,kl->i,j"), "the notation \"ij,kl->i,j\" has more than one output");
  EXPECT_EQ(two("...i......,kl"), "the notation \"...i......,kl\" has '...' twice in one operand");
  EXPECT_EQ(two("i1,kl"),
            "the notation \"i1,kl\" may hold letters, spaces, ',', '->' and '...', not \"1\"");
  EXPECT_EQ(two("...i,kl->ikl"), "the notation \"...i,kl->ikl\" needs '...' in the output too");
  EXPECT_EQ(two("...,..."),
            "the notation \"...,...\" has axes of 3 and 5 (in x1) under '...', which do not "
            "broadcast");
  EXPECT_EQ(refusal("einsum", {f32({3})}, notation("i->", "multiply", "mean")),
            "aggregate must be sum, prod, max or min, not \"mean\"");
  EXPECT_EQ(refusal("einsum", {f32({0})}, notation("i->", "multiply", "max")),
            "max over nothing has no value; an aggregated letter has extent 0");
  for (const char* name : {"sin", "less", "nonsense"}) {
    EXPECT_EQ(refusal("einsum", {f32({3})}, notation("i->", name)),
              "combine must name a function of two operands that gives their dtype (float32), as "
              "multiply, add, maximum or minimum; \"" +
                  std::string(name) + "\" does not");
  }
  EXPECT_EQ(refusal("einsum", {f32({3})}), "needs the attribute 'spec'");
  EXPECT_EQ(refusal("einsum", {}, notation("")), "takes 1 or more inputs, not 0");
}

TEST(Einsum, NamesAWholeCharacterThatIsNoLetter) {
  for (const std::string character : {"\xC3\xA9", "\xE2\x86\x92", "\xF0\x9D\x94\xB8", "%"}) {
    const std::string message = refusal("einsum", {f32({2})}, {{"spec", "i" + character}});
    EXPECT_NE(message.find("not \"" + character + "\""), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace einsummable
