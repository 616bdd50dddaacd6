// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/functions.h"

#include <array>

#include "einsummable/base/error.h"
#include "einsummable/ops/function_bodies.h"

namespace einsummable {
namespace {

constexpr ScalarFunction kFunctions[] = {
#define ES_FUNCTION(name, arity, operands, result, expression, doc) \
  {FunctionId::name, #name,        arity,       Operands::operands, \
   Result::result,   std::nullopt, #expression, doc},
#define ES_FUNCTION_WITH(name, arity, operands, result, parameter, expression, doc) \
  {FunctionId::name, #name, arity, Operands::operands, Result::result, parameter, #expression, doc},
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
};

double number(bool truth) { return truth ? 1 : 0; }
double number(Real<double> real) { return real.value; }
int64_t integer(bool truth) { return truth ? 1 : 0; }
int64_t integer(Integer<int64_t> value) { return value.value; }

using RealFunction = double (*)(double, double, double, double);
using IntegerFunction = int64_t (*)(int64_t, int64_t, int64_t, int64_t);

template <FunctionId id>
double evaluate_real(double x, double y, double z, double a) {
  using T = Real<double>;
  return number(FunctionBody<id>::template evaluate<T>(x, y, z, a));
}

template <FunctionId id>
int64_t evaluate_int64(int64_t x, int64_t y, int64_t z, int64_t a) {
  if constexpr (FunctionBody<id>::result != Result::floating) {
    using T = Integer<int64_t>;
    return integer(FunctionBody<id>::template evaluate<T>(x, y, z, a));
  } else {
    throw InternalError("a float function of integers");
  }
}

constexpr RealFunction kRealFunctions[] = {
#define ES_FUNCTION(name, ...) evaluate_real<FunctionId::name>,
#define ES_FUNCTION_WITH(name, ...) evaluate_real<FunctionId::name>,
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
};

constexpr IntegerFunction kIntegerFunctions[] = {
#define ES_FUNCTION(name, ...) evaluate_int64<FunctionId::name>,
#define ES_FUNCTION_WITH(name, ...) evaluate_int64<FunctionId::name>,
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
};

}  // namespace

std::span<const ScalarFunction> scalar_functions() { return kFunctions; }

const ScalarFunction& scalar_function(FunctionId id) { return kFunctions[static_cast<size_t>(id)]; }

std::optional<FunctionId> find_function(std::string_view name) {
  for (const ScalarFunction& function : kFunctions) {
    if (function.name == name) return function.id;
  }
  return std::nullopt;
}

std::optional<DType> operand_dtype(FunctionId id, std::span<const DType> operands) {
  const ScalarFunction& function = scalar_function(id);
  ensure(operands.size() == static_cast<size_t>(function.arity), "operands of a scalar function");
  const DType dtype = promote(operands.subspan(id == FunctionId::where ? 1 : 0));
  if (function.operands == Operands::numbers && dtype == DType::boolean) return std::nullopt;
  return function.result == Result::floating ? floating(dtype) : dtype;
}

DType result_dtype(FunctionId id, DType operand) {
  const ScalarFunction& function = scalar_function(id);
  ensure(function.result != Result::floating || is_float(operand), "a float function of integers");
  return function.result == Result::boolean ? DType::boolean : operand;
}

double evaluate(FunctionId id, double parameter, double x, double y, double z) {
  return kRealFunctions[static_cast<size_t>(id)](x, y, z, parameter);
}

int64_t evaluate_integer(FunctionId id, int64_t parameter, int64_t x, int64_t y, int64_t z) {
  return kIntegerFunctions[static_cast<size_t>(id)](x, y, z, parameter);
}

double evaluate_as(FunctionId id, DType dtype, double parameter, double x, double y, double z) {
  if (is_float(dtype)) return evaluate(id, parameter, x, y, z);
  return static_cast<double>(evaluate_as(id, dtype, static_cast<int64_t>(parameter),
                                         static_cast<int64_t>(x), static_cast<int64_t>(y),
                                         static_cast<int64_t>(z)));
}

int64_t evaluate_as(FunctionId id, DType dtype, int64_t parameter, int64_t x, int64_t y,
                    int64_t z) {
  const int64_t value = evaluate_integer(id, parameter, x, y, z);
  const DType result = result_dtype(id, dtype);
  if (result == DType::boolean) return value != 0 ? 1 : 0;
  return result == DType::i32 ? static_cast<int32_t>(value) : value;
}

}  // namespace einsummable
