// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/expression.h"

#include <algorithm>

#include "einsummable/base/error.h"

namespace einsummable {

Expression::Value Expression::append(const Instruction& instruction) {
  instructions_.push_back(instruction);
  return static_cast<Value>(instructions_.size() - 1);
}

Expression::Value Expression::input(DType dtype) {
  inputs_.push_back(dtype);
  return append({.kind = Instruction::Kind::input,
                 .dtype = dtype,
                 .input = static_cast<int32_t>(inputs_.size() - 1)});
}

Expression::Value Expression::constant(DType dtype, double value) {
  // Stored and loaded once, so that it has the dtype's rounding.
  alignas(8) std::byte element[8];
  store_element(dtype, element, value);
  const double rounded = load_element(dtype, element);
  if (!is_float(dtype)) return integer_constant(dtype, static_cast<int64_t>(rounded));
  return append({.kind = Instruction::Kind::constant, .dtype = dtype, .real = rounded});
}

Expression::Value Expression::integer_constant(DType dtype, int64_t value) {
  if (is_float(dtype)) return constant(dtype, static_cast<double>(value));
  return append({.kind = Instruction::Kind::constant, .dtype = dtype, .integer = value});
}

Expression::Value Expression::cast(Value value, DType to) {
  if (dtype(value) == to) return value;
  return append(
      {.kind = Instruction::Kind::cast, .dtype = to, .arity = 1, .operands = {value, 0, 0}});
}

Expression::Value Expression::apply(FunctionId function, std::span<const Value> operands,
                                    std::optional<double> parameter) {
  const ScalarFunction& f = scalar_function(function);
  ensure(operands.size() == static_cast<size_t>(f.arity), "operands of a scalar function");
  const DType operand = dtype(operands.front());
  Instruction instruction = {.kind = Instruction::Kind::apply,
                             .dtype = result_dtype(function, operand),
                             .function = function,
                             .parameter = parameter.value_or(f.parameter.value_or(0)),
                             .arity = f.arity};
  for (Value value : operands) {
    ensure(dtype(value) == operand, "operands of one scalar function have different dtypes");
  }
  std::ranges::copy(operands, instruction.operands.begin());
  return append(instruction);
}

void Expression::output(Value value) {
  ensure(value >= 0 && static_cast<size_t>(value) < instructions_.size(), "an output of no value");
  outputs_.push_back(value);
}

}  // namespace einsummable
