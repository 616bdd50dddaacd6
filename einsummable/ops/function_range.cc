// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/function_range.h"

#include "einsummable/base/error.h"
#include "einsummable/ops/range.h"

namespace einsummable {
namespace {

template <class F>
ValueRange range_as(FunctionId id, double a, double x, double y, double z) {
  const auto of = [&]<FunctionId function>() -> ValueRange {
    if constexpr (FunctionBody<function>::result == Result::boolean) {
      throw InternalError("the range of a bool");
    } else {
      const Range<F> range =
          FunctionBody<function>::template evaluate<Range<F>>(x, y, z, Range<F>(a));
      return {static_cast<double>(range.low), static_cast<double>(range.high), range.nan};
    }
  };
  switch (id) {
#define ES_FUNCTION(name, ...) \
  case FunctionId::name:       \
    return of.template operator()<FunctionId::name>();
#define ES_FUNCTION_WITH(name, ...) ES_FUNCTION(name)
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
  }
  throw InternalError("unknown function");
}

}  // namespace

ValueRange function_range(FunctionId id, DType dtype, double parameter, double x, double y,
                          double z) {
  return dtype == DType::f64 ? range_as<double>(id, parameter, x, y, z)
                             : range_as<float>(id, parameter, x, y, z);
}

}  // namespace einsummable
