// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "einsummable/tensor/dtype.h"

namespace einsummable {

// The scalar functions of functions.def: what elementwise operators apply, `einsum` combines with,
// and fused kernels are made of.
enum class FunctionId : uint8_t {
#define ES_FUNCTION(name, ...) name,
#define ES_FUNCTION_WITH(name, ...) name,
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
};

enum class Operands : uint8_t { numbers, any };           // numbers: any dtype but bool
enum class Result : uint8_t { same, floating, boolean };  // as functions.def says

struct ScalarFunction {
  FunctionId id;
  std::string_view name;
  int32_t arity;  // 1 to 3: x, y, z
  Operands operands;
  Result result;
  std::optional<double> parameter;  // the default of `a`; none if the function has no parameter
  std::string_view expression;      // its text over the vocabulary of functions.def
  std::string_view doc;             // a phrase, as "e^x - 1, exact near zero"
};

// All of them, by arity and then by name; the element at the value of a FunctionId is its function.
std::span<const ScalarFunction> scalar_functions();
const ScalarFunction& scalar_function(FunctionId id);
std::optional<FunctionId> find_function(std::string_view name);

// The dtype that all operands are cast to before `id` is applied: the promotion of `operands`, of
// `where` without its condition (which becomes bool first), and its float if the result is a float.
// None if the function does not take that dtype. divide of int32 and int64 is applied to float32.
std::optional<DType> operand_dtype(FunctionId id, std::span<const DType> operands);

// The dtype of the result for operands of `operand_dtype`.
DType result_dtype(FunctionId id, DType operand);

// The function in float64. A boolean result is 0 or 1; operands beyond the arity are not read.
double evaluate(FunctionId id, double parameter, double x, double y = 0, double z = 0);

// The function of integers, exact in int64, wrapping modulo 2^64. Truncating the result to 32 bits
// gives that of int32. `parameter` must be an integer. Functions with a floating result have none:
// their operands are floats.
int64_t evaluate_integer(FunctionId id, int64_t parameter, int64_t x, int64_t y = 0, int64_t z = 0);

// The function as it is for operands of `dtype`: in float64 for floats (the caller rounds), through
// evaluate_integer for others, wrapped to int32 or made 0 or 1 if that is the result's dtype.
double evaluate_as(FunctionId id, DType dtype, double parameter, double x, double y = 0,
                   double z = 0);

// The same of an int or bool dtype, exact in int64.
int64_t evaluate_as(FunctionId id, DType dtype, int64_t parameter, int64_t x, int64_t y = 0,
                    int64_t z = 0);

}  // namespace einsummable
