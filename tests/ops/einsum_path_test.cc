// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/einsum_path.h"

#include "einsummable/base/text.h"
#include "einsummable/ops/einsum_notation.h"
#include "tests/support/operators.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

struct Case {
  std::string notation;
  std::vector<Shape> shapes;
  std::vector<std::string> names;
};

// Takes the operands of a step out of `left`.
template <class T>
std::pair<T, T> take(std::vector<T>& left, const Contraction& step) {
  std::pair<T, T> pair = {left[step.left], left[step.right]};
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(std::max(step.left, step.right)));
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(std::min(step.left, step.right)));
  return pair;
}

// Multiplications of one step, from its notation alone.
double cost_of(const std::string& spec, const std::vector<Shape>& shapes) {
  const std::vector<std::string> names = {"a", "b"};
  double points = 1;
  for (const auto& label : parse_einsum(spec, shapes, names).labels) {
    points *= static_cast<double>(label.extent);
  }
  return points;
}

double cost_of(const Case& given, const std::vector<Contraction>& path) {
  std::vector<Shape> left = given.shapes;
  double cost = 0;
  for (const Contraction& step : path) {
    const auto [a, b] = take(left, step);
    cost += cost_of(step.spec, {a, b});
    left.push_back(
        operator_of("einsum", {f32(a), f32(b)}, {{"spec", step.spec}})->outputs()[0].shape());
  }
  return cost;
}

// The least cost over all orders, by trying all. An operand is its letters; "..." is a letter `.`.
double least_cost(const std::vector<std::string>& operands, const std::string& output,
                  const std::map<char, double>& extents) {
  if (operands.size() == 1) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t b = 1; b < operands.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      std::vector<std::string> rest;
      std::string needed = output, result;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (i == a || i == b) continue;
        rest.push_back(operands[i]);
        needed += operands[i];
      }
      double cost = 1;
      for (const auto& [letter, extent] : extents) {
        if ((operands[a] + operands[b]).find(letter) == std::string::npos) continue;
        cost *= extent;
        if (needed.find(letter) != std::string::npos) result += letter;
      }
      rest.push_back(result);
      least = std::min(least, cost + least_cost(rest, output, extents));
    }
  }
  return least;
}

Case random_case(Random& random, int64_t operands) {
  std::map<char, int64_t> extents;
  for (char letter = 'a'; letter < 'g'; ++letter) extents[letter] = 1 + random_below(random, 5);
  Case out;
  std::string all, output;
  for (int64_t i = 0; i < operands; ++i) {
    Shape& shape = out.shapes.emplace_back();
    out.names.push_back("x" + std::to_string(i));
    if (i > 0) out.notation += ",";
    for (int64_t axis = random_below(random, 4); axis-- > 0;) {
      out.notation += static_cast<char>('a' + random_below(random, 6));
      all += out.notation.back();
      shape.push_back(extents[out.notation.back()]);
    }
  }
  for (char letter : all) {
    if (random() % 3 == 0 && output.find(letter) == std::string::npos) output += letter;
  }
  out.notation += "->" + output;
  return out;
}

TEST(EinsumPath, ContractsTheCheapPairFirst) {
  const std::vector<Shape> shapes = {{9, 9}, {9, 9}, {9}};
  const std::vector<std::string> names = {"x", "y", "z"};
  EXPECT_EQ(contraction_path("ij,jk,k->i", shapes, names),
            (std::vector<Contraction>{{1, 2, "jk,k->j"}, {0, 1, "ij,j->i"}}));
}

TEST(EinsumPath, OneOperandNeedsNoneAndTwoNeedOne) {
  const std::vector<Shape> shapes = {{2, 2}, {2}};
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_TRUE(contraction_path("ii->i", std::span(shapes).first(1), names).empty());
  EXPECT_EQ(contraction_path("ii,i", shapes, names), (std::vector<Contraction>{{0, 1, "ii,i->"}}));
}

TEST(EinsumPath, KeepsTheEllipsisInEveryProduct) {
  const std::vector<Shape> shapes = {{7, 1, 2, 3}, {3, 4}, {5, 4, 2}};
  const std::vector<std::string> names = {"x", "y", "z"};
  const auto path = contraction_path("...ij,jk,...kl->...il", shapes, names);
  EXPECT_EQ(path,
            (std::vector<Contraction>{{1, 2, "jk,...kl->...jl"}, {0, 1, "...ij,...jl->...il"}}));
  EXPECT_EQ(cost_of({"", shapes, names}, path), 5 * 3 * 4 * 2 + 7 * 5 * 2 * 3 * 2);
}

TEST(EinsumPath, IsAsCheapAsTheBestOfAllOrders) {
  Random random(2);
  for (int round = 0; round < rounds(300, 3000); ++round) {
    const Case given = random_case(random, 2 + random_below(random, 4));
    const EinsumNotation parsed = parse_einsum(given.notation, given.shapes, given.names);
    std::map<char, double> extents;
    std::vector<std::string> operands;
    for (const auto& label : parsed.labels) {
      extents[label.name[0]] = static_cast<double>(label.extent);
    }
    const auto letters = [&](const std::vector<int32_t>& labels) {
      std::string out;
      for (int32_t label : labels) out += parsed.labels[static_cast<size_t>(label)].name;
      return out;
    };
    for (const auto& input : parsed.inputs) operands.push_back(letters(input));
    const auto path = contraction_path(given.notation, given.shapes, given.names);
    EXPECT_EQ(path.size(), operands.size() - 1);
    EXPECT_EQ(cost_of(given, path), least_cost(operands, letters(parsed.output), extents))
        << given.notation;
  }
}

TEST(EinsumPath, GivesTheSameSum) {
  Random random(3);
  for (int round = 0; round < rounds(100, 1000); ++round) {
    const int64_t operands = round % 10 == 0 ? 12 : 2 + random_below(random, 3);
    Case given = random_case(random, operands);
    if (operands == 12) {  // a chain, beyond the exact program
      given.notation = "ab,bc,cd,de,ef,fa,ab,bc,cd,de,ef,fg->ag";
      given.shapes.assign(12, {2, 2});
    }
    std::vector<Array64> left;
    std::vector<TensorType> types;
    for (const Shape& shape : given.shapes) {
      left.push_back(random_integers(random, shape, 2));
      types.push_back(f32(shape));
    }
    const auto whole = operator_of("einsum", types, {{"spec", given.notation}});
    const Array64 expected = whole_reference(*whole, left)[0];
    const auto path = contraction_path(given.notation, given.shapes, given.names);
    for (const Contraction& step : path) {
      const auto [a, b] = take(left, step);
      const auto op = operator_of("einsum", {f32(shape_of(a.bounds())), f32(shape_of(b.bounds()))},
                                  {{"spec", step.spec}});
      left.push_back(whole_reference(*op, {a, b})[0]);
    }
    EXPECT_EQ(left[0].bounds(), expected.bounds());
    EXPECT_EQ(left[0].values(), expected.values()) << given.notation;
  }
}

TEST(EinsumPath, TenOperandsAreStillExactAndFast) {
  std::string notation;
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  const std::vector<int64_t> extents = {3, 50, 2, 40, 4, 30, 5, 20, 6, 10, 7};
  for (size_t i = 0; i < kExactOperands; ++i) {
    notation +=
        (i > 0 ? "," : "") + std::string{static_cast<char>('a' + i), static_cast<char>('b' + i)};
    shapes.push_back({extents[i], extents[i + 1]});
    names.push_back("m" + std::to_string(i));
  }
  const auto path = contraction_path(notation, shapes, names);
  EXPECT_EQ(path.size(), 9);
  EXPECT_EQ(path.back().spec.substr(path.back().spec.find('>')), ">ak");
}

}  // namespace
}  // namespace einsummable
