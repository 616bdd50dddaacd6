// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/expression_text.h"

#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {
namespace {

using Instruction = Expression::Instruction;

// Of how many operands a function is called: x, y, z.
constexpr int32_t kOperands = 3;

std::string application(const Expression& expression, const Instruction& instruction,
                        std::string_view prefix) {
  const DType operand = expression.dtype(instruction.operands[0]);
  const std::string value = "Value<" + element_type(operand) + ">";
  std::string text =
      "function_" + std::string(scalar_function(instruction.function).name) + "<" + value + ">(";
  for (int32_t i = 0; i < kOperands; ++i) {
    const int32_t of = i < instruction.arity ? i : 0;
    text += std::string(prefix) + std::to_string(instruction.operands[static_cast<size_t>(of)]);
    text += ", ";
  }
  return text + constant(operand, instruction.parameter) + ")";
}

std::string value_text(const Expression& expression, const Instruction& instruction,
                       std::string_view prefix, const std::function<std::string(int32_t)>& input) {
  const std::string type = element_type(instruction.dtype);
  switch (instruction.kind) {
    case Instruction::Kind::input:
      return input(instruction.input);
    case Instruction::Kind::constant:
      return is_float(instruction.dtype) ? constant(instruction.dtype, instruction.real)
                                         : integer_constant(instruction.integer);
    case Instruction::Kind::cast:
      return "Cast<" + type + ">::from(" + std::string(prefix) +
             std::to_string(instruction.operands[0]) + ")";
    case Instruction::Kind::apply:
      return "rounded<" + type + ">(" + application(expression, instruction, prefix) + ")";
  }
  throw InternalError("unknown instruction");
}

}  // namespace

std::string expression_text(const Expression& expression, std::string_view prefix,
                            const std::function<std::string(int32_t)>& input) {
  std::string text;
  for (size_t i = 0; i < expression.instructions().size(); ++i) {
    const Instruction& instruction = expression.instructions()[i];
    text += "const Value<" + element_type(instruction.dtype) + "> " + std::string(prefix) +
            std::to_string(i) + " = " + value_text(expression, instruction, prefix, input) + ";\n";
  }
  return text;
}

}  // namespace einsummable::cuda
