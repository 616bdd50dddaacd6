// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/elementwise.h"

#include "einsummable/base/error.h"
#include "tests/executor/cpu/kernels/blocks.h"
#include "tests/support/rounds.h"

namespace einsummable::cpu {
namespace {

using Value = Expression::Value;

// Runs with the least workspace.
void run(const Expression& expression, std::vector<Block>& inputs, std::vector<Block>& outputs) {
  const Elementwise kernel(expression);
  std::vector<StridedView> in, out;
  for (Block& block : inputs) in.push_back(block.view());
  for (Block& block : outputs) out.push_back(block.view());
  std::vector<std::byte> workspace(static_cast<size_t>(kernel.workspace_bytes()));
  kernel.run(in, out, workspace);
}

Shape any_shape(Random& random) {
  static const std::vector<Shape> shapes = {{},        {0},          {1},          {7},
                                            {1023},    {1024},       {1025},       {5000},
                                            {3, 5},    {1, 1, 1},    {33, 1, 31},  {2, 0, 3},
                                            {700, 3},  {3, 1500},    {4, 3, 2, 5}, {2, 2, 2, 2, 2},
                                            {130, 17}, {2, 40, 3, 4}};
  return shapes[random() % shapes.size()];
}

DType any_dtype(Random& random) { return kAllDTypes[random() % std::size(kAllDTypes)]; }

double any_number(Random& random) {
  if (random() % 20 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (random() % 20 == 0) return std::numeric_limits<double>::infinity();
  return std::normal_distribution<double>(0, 3)(random);
}

// An expression of `steps` casts and applications over a few inputs, any of them outputs.
Expression random_expression(Random& random, int steps) {
  Expression e;
  std::vector<Value> values;
  for (int64_t i = pick(random, 1, 4); i-- > 0;) values.push_back(e.input(any_dtype(random)));
  if (random() % 2 == 0) values.push_back(e.constant(any_dtype(random), 2.25));
  for (int i = 0; i < steps; ++i) {
    const ScalarFunction& f = scalar_functions()[random() % scalar_functions().size()];
    DType dtype = e.dtype(values[random() % values.size()]);
    if (f.result == Result::floating) dtype = floating(dtype);
    if (f.operands == Operands::numbers && dtype == DType::boolean) dtype = DType::i32;
    std::array<Value, 3> operands;
    for (Value& operand : operands) operand = e.cast(values[random() % values.size()], dtype);
    const auto [x, y, z] = operands;
    if (f.arity == 1) values.push_back(e.apply(f.id, {x}));
    if (f.arity == 2) values.push_back(e.apply(f.id, {x, y}));
    if (f.arity == 3) values.push_back(e.apply(f.id, {x, y, z}));
  }
  e.output(values.back());
  for (int64_t i = pick(random, 0, 3); i-- > 0;) e.output(values[random() % values.size()]);
  return e;
}

std::vector<Block> blocks_of(const std::vector<DType>& dtypes, const Shape& shape, Random& random) {
  std::vector<Block> blocks;
  for (DType dtype : dtypes) {
    blocks.push_back(Block::any(dtype, shape, random));
    blocks.back().fill([&] { return any_number(random); });
  }
  return blocks;
}

// Every instruction as an expression of its own, over dense blocks.
std::vector<Block> one_by_one(const Expression& e, std::vector<Block>& inputs, const Shape& shape) {
  std::vector<Block> values;
  for (const Expression::Instruction& made : e.instructions()) {
    Expression single;
    std::vector<Block> operands, result;
    result.emplace_back(made.dtype, shape);
    std::vector<Value> in;
    for (int32_t k = 0; k < made.arity; ++k) {
      const auto operand = static_cast<size_t>(made.operands[static_cast<size_t>(k)]);
      operands.push_back(values[operand]);
      in.push_back(single.input(operands.back().dtype()));
    }
    using Kind = Expression::Instruction::Kind;
    if (made.kind == Kind::input) {
      operands.push_back(inputs[static_cast<size_t>(made.input)]);
      single.output(single.input(made.dtype));
    } else if (made.kind == Kind::constant) {
      single.output(is_float(made.dtype) ? single.constant(made.dtype, made.real)
                                         : single.integer_constant(made.dtype, made.integer));
    } else if (made.kind == Kind::cast) {
      single.output(single.cast(in[0], made.dtype));
    } else if (made.arity == 1) {
      single.output(single.apply(made.function, {in[0]}, made.parameter));
    } else if (made.arity == 2) {
      single.output(single.apply(made.function, {in[0], in[1]}, made.parameter));
    } else {
      single.output(single.apply(made.function, {in[0], in[1], in[2]}, made.parameter));
    }
    run(single, operands, result);
    values.push_back(std::move(result[0]));
  }
  std::vector<Block> outputs;
  for (Value value : e.outputs()) outputs.push_back(values[static_cast<size_t>(value)]);
  return outputs;
}

TEST(Elementwise, AFusedRunHasTheBitsOfItsInstructionsOneByOne) {
  for (int seed = 0; seed < rounds(150, 5000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    SCOPED_TRACE(seed);
    const Shape shape = any_shape(random);
    const Expression e = random_expression(random, static_cast<int>(pick(random, 0, 12)));
    std::vector<Block> inputs = blocks_of(e.inputs(), shape, random);
    std::vector<Block> outputs;
    for (Value value : e.outputs()) {
      outputs.push_back(random() % 2 == 0 ? Block(e.dtype(value), shape)
                                          : Block::scattered(e.dtype(value), shape, random));
    }
    run(e, inputs, outputs);
    const std::vector<Block> expected = one_by_one(e, inputs, shape);
    for (size_t k = 0; k < outputs.size(); ++k) {
      ASSERT_EQ(outputs[k].bits(), expected[k].bits()) << "output " << k;
      ASSERT_TRUE(outputs[k].gaps_untouched());
    }
  }
}

// Over small integers every dtype is exact, so the float64 evaluation is the answer.
TEST(Elementwise, IsItsFunctionsOnSmallIntegers) {
  for (int seed = 0; seed < rounds(40, 1000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    for (const ScalarFunction& f : scalar_functions()) {
      if (f.result == Result::floating) continue;
      const Shape shape = any_shape(random);
      const DType dtype = any_dtype(random);
      if (f.operands == Operands::numbers && dtype == DType::boolean) continue;
      Expression e;
      std::vector<Block> inputs;
      std::array<Value, 3> in = {};
      for (size_t k = 0; k < static_cast<size_t>(f.arity); ++k) {
        in[k] = e.input(dtype);
        inputs.push_back(Block::any(dtype, shape, random));
        inputs.back().fill_integers(random, -3, 3);
      }
      e.output(f.arity == 1   ? e.apply(f.id, {in[0]})
               : f.arity == 2 ? e.apply(f.id, {in[0], in[1]})
                              : e.apply(f.id, {in[0], in[1], in[2]}));
      std::vector<Block> out = {Block::scattered(result_dtype(f.id, dtype), shape, random)};
      run(e, inputs, out);
      out[0].each([&](const std::vector<int64_t>& at) {
        const auto x = [&](size_t k) { return k < inputs.size() ? inputs[k].at(at) : 0; };
        alignas(8) std::byte element[8];
        store_element(out[0].dtype(), element,
                      evaluate_as(f.id, dtype, f.parameter.value_or(0), x(0), x(1), x(2)));
        const double expected = load_element(out[0].dtype(), element), got = out[0].at(at);
        ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
            << f.name << " " << short_name(dtype) << " " << x(0) << " " << x(1) << " " << got;
      });
    }
  }
}

TEST(Elementwise, CastsAsTheDtypesSay) {
  Random random(1);
  const std::vector<double> values = {0,
                                      -0.0,
                                      1,
                                      -1,
                                      0.5,
                                      -0.5,
                                      1.5,
                                      2.5,
                                      -2.75,
                                      65504,
                                      65519,
                                      65520,
                                      1e5,
                                      -1e30,
                                      1e300,
                                      0x1p31,
                                      0x1p63,
                                      -0x1p63,
                                      0x1p-24,
                                      0x1p-25,
                                      3e-8,
                                      1e-40,
                                      1.0000001,
                                      256.5,
                                      257.5,
                                      0x1.00801p0,
                                      1e9 + 0.5,
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
  const Shape shape = {std::ssize(values)};
  for (DType from : kAllDTypes) {
    for (DType to : kAllDTypes) {
      Expression e;
      e.output(e.cast(e.input(from), to));
      std::vector<Block> in = {Block(from, shape)}, out = {Block(to, shape)};
      size_t next = 0;
      in[0].fill([&] { return values[next++]; });
      run(e, in, out);
      const bool wraps = from == DType::i64 && to == DType::i32;
      in[0].each([&](const std::vector<int64_t>& at) {
        alignas(8) std::byte element[8];
        const double x = in[0].at(at);
        const double low = static_cast<int32_t>(static_cast<uint32_t>(std::abs(x) < 0x1p63
                                                                          ? static_cast<int64_t>(x)
                                                                      : x < 0 ? INT64_MIN
                                                                              : INT64_MAX));
        store_element(to, element, wraps ? low : x);
        const double expected = load_element(to, element), got = out[0].at(at);
        EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
            << short_name(from) << " to " << short_name(to) << " of " << x << " is " << got;
      });
    }
  }
}

TEST(Elementwise, IntegersBeyondFloat64AreExact) {
  const int64_t big = (int64_t{1} << 62) + 1;
  Expression e;
  const Value x = e.input(DType::i64);
  e.output(e.apply(FunctionId::subtract, {x, e.integer_constant(DType::i64, big - 1)}));
  e.output(e.apply(FunctionId::less, {e.integer_constant(DType::i64, big - 1), x}));
  int64_t in[3] = {big - 1, big, big + 1}, difference[3];
  uint8_t less[3];
  const int64_t shape[] = {3}, strides[] = {1};
  const StridedView inputs[] = {{reinterpret_cast<std::byte*>(in), DType::i64, shape, strides}};
  const StridedView outputs[] = {
      {reinterpret_cast<std::byte*>(difference), DType::i64, shape, strides},
      {reinterpret_cast<std::byte*>(less), DType::boolean, shape, strides}};
  const Elementwise kernel(e);
  std::vector<std::byte> workspace(static_cast<size_t>(kernel.workspace_bytes()));
  kernel.run(inputs, outputs, workspace);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(difference[i], i);
    EXPECT_EQ(less[i], i > 0);
  }
}

// A view that begins in the middle of an element's alignment.
TEST(Elementwise, TakesUnalignedMemory) {
  Expression e;
  e.output(e.apply(FunctionId::neg, {e.input(DType::f64)}));
  std::vector<std::byte> in(8 * 100 + 1), out(8 * 100 + 3);
  const int64_t shape[] = {100}, strides[] = {1};
  for (size_t i = 0; i < 100; ++i) {
    store_element(DType::f64, in.data() + 1 + 8 * i, static_cast<double>(i));
  }
  const StridedView inputs[] = {{in.data() + 1, DType::f64, shape, strides}};
  const StridedView outputs[] = {{out.data() + 3, DType::f64, shape, strides}};
  const Elementwise kernel(e);
  std::vector<std::byte> workspace(static_cast<size_t>(kernel.workspace_bytes()));
  kernel.run(inputs, outputs, workspace);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(load_element(DType::f64, out.data() + 3 + 8 * i), -static_cast<double>(i));
  }
}

TEST(Elementwise, GeluSaturatesCleanly) {
  Expression e;
  e.output(e.apply(FunctionId::gelu, {e.input(DType::f32)}));
  std::vector<Block> in = {Block(DType::f32, {42001})}, out = in;
  double next = -17;
  in[0].fill([&] { return next += 0.001; });
  run(e, in, out);
  in[0].each([&](const std::vector<int64_t>& at) {
    const double x = in[0].at(at);
    EXPECT_NEAR(out[0].at(at), evaluate(FunctionId::gelu, 0, x), 2e-7 * std::abs(x));
    if (x > 6) {
      EXPECT_EQ(out[0].at(at), x);
    } else if (x < -6) {
      EXPECT_EQ(out[0].at(at), 0);
    }
  });
}

TEST(Elementwise, RefusesWhatItIsNotMadeFor) {
  Random random(0);
  Expression e;
  e.output(e.apply(FunctionId::exp, {e.input(DType::f32)}));
  std::vector<Block> f32 = {Block(DType::f32, {3})}, f64 = {Block(DType::f64, {3})},
                     longer = {Block(DType::f32, {4})}, none;
  EXPECT_THROW(run(e, f64, f32), InternalError);
  EXPECT_THROW(run(e, f32, f64), InternalError);
  EXPECT_THROW(run(e, f32, longer), InternalError);
  EXPECT_THROW(run(e, none, f32), InternalError);
  EXPECT_THROW(e.apply(FunctionId::add, {0}), InternalError);
  EXPECT_THROW(e.apply(FunctionId::add, {0, e.input(DType::i32)}), InternalError);
  EXPECT_THROW(e.output(99), InternalError);
}

}  // namespace
}  // namespace einsummable::cpu
