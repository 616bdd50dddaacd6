// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "einsummable/ops/functions.h"

namespace einsummable {

// What a run of elementwise operators computes for each element: a straight line of instructions,
// each of which makes one value. An operator that the run fuses is one instruction, rounded to its
// own dtype, so that the bits are those of the operators one by one.
//   Expression e;
//   auto gate = e.input(DType::f16), up = e.input(DType::f16);
//   e.output(e.apply(FunctionId::multiply, {e.apply(FunctionId::silu, {gate}), up}));
class Expression {
 public:
  using Value = int32_t;  // the instruction that makes it

  struct Instruction {
    enum class Kind : uint8_t { input, constant, cast, apply };
    Kind kind = Kind::input;
    DType dtype = DType::f32;  // of the value
    int32_t input = 0;         // which input
    double real = 0;           // the constant, of a float dtype
    int64_t integer = 0;       // the constant, of another
    FunctionId function = {};  // what is applied
    double parameter = 0;      // its parameter
    int32_t arity = 0;         // how many operands there are
    std::array<Value, 3> operands = {};
  };

  // The next input.
  Value input(DType dtype);

  // A constant, rounded to `dtype`; of an integer dtype, exact.
  Value constant(DType dtype, double value);
  Value integer_constant(DType dtype, int64_t value);

  // See cast.h for what casts do. The value itself if it has that dtype.
  Value cast(Value value, DType dtype);

  // The operands have one dtype, that of operand_dtype; the result has result_dtype. `parameter`
  // is the function's default if there is none.
  Value apply(FunctionId function, std::span<const Value> operands,
              std::optional<double> parameter = std::nullopt);
  Value apply(FunctionId function, std::initializer_list<Value> operands,
              std::optional<double> parameter = std::nullopt) {
    return apply(function, std::span(operands.begin(), operands.size()), parameter);
  }

  // The next output.
  void output(Value value);

  DType dtype(Value value) const { return at(value).dtype; }
  const Instruction& at(Value value) const { return instructions_[static_cast<size_t>(value)]; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<DType>& inputs() const { return inputs_; }
  const std::vector<Value>& outputs() const { return outputs_; }

 private:
  Value append(const Instruction& instruction);

  std::vector<Instruction> instructions_;
  std::vector<DType> inputs_;
  std::vector<Value> outputs_;
};

}  // namespace einsummable
