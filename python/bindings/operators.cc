// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "einsummable/ops/functions.h"
#include "einsummable/ops/registry.h"
#include "python/bindings/attributes.h"
#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

std::string_view arity_name(const InputInfo& input) {
  switch (input.arity) {
    case InputInfo::Arity::one:
      return "one";
    case InputInfo::Arity::optional:
      return "optional";
    case InputInfo::Arity::variadic:
      return "variadic";
  }
  return "";
}

std::string_view kind_name(const AttributeInfo& attribute) {
  switch (attribute.kind) {
    case AttributeKind::boolean:
      return "boolean";
    case AttributeKind::integer:
      return "integer";
    case AttributeKind::real:
      return "real";
    case AttributeKind::string:
      return "string";
    case AttributeKind::integers:
      return "integers";
    case AttributeKind::reals:
      return "reals";
    case AttributeKind::dtype:
      return "dtype";
  }
  return "";
}

void bind_registry(nb::module_& module) {
  nb::class_<InputInfo>(module, "InputInfo", "An input of an operator.")
      .def_ro("name", &InputInfo::name)
      .def_prop_ro("arity", &arity_name, "one, optional or variadic.")
      .def_prop_ro(
          "promoted", [](const InputInfo& i) { return i.promotion != Promotion::none; },
          "Whether it is cast to the dtype its like meet in.");
  nb::class_<AttributeInfo>(module, "AttributeInfo", "An attribute of an operator.")
      .def_ro("name", &AttributeInfo::name)
      .def_ro("required", &AttributeInfo::required)
      .def_prop_ro("kind", &kind_name, "boolean, integer, real, string, integers, reals or dtype.")
      .def_prop_ro("default", [](const AttributeInfo& a) { return to_python(a.default_value); });
  nb::class_<OperatorInfo>(module, "OperatorInfo", "What the registry knows of an operator.")
      .def_ro("name", &OperatorInfo::name)
      .def_ro("doc", &OperatorInfo::doc)
      .def_ro("inputs", &OperatorInfo::inputs)
      .def_ro("attributes", &OperatorInfo::attributes)
      .def_ro("outputs", &OperatorInfo::outputs);
  module.def(
      "operators",
      [] {
        const auto all = operators();
        return std::vector<OperatorInfo>(all.begin(), all.end());
      },
      "All operators, sorted by name.");
}

}  // namespace

void bind_operators(nb::module_& module) {
  bind_registry(module);
  nb::class_<ScalarFunction>(module, "ScalarFunction", "A function of one to three numbers.")
      .def_ro("name", &ScalarFunction::name)
      .def_ro("arity", &ScalarFunction::arity)
      .def_ro("parameter", &ScalarFunction::parameter, "Its default; None if it has none.")
      .def_ro("doc", &ScalarFunction::doc);
  module.def(
      "scalar_functions",
      [] {
        const auto all = scalar_functions();
        return std::vector<ScalarFunction>(all.begin(), all.end());
      },
      "What elementwise operators apply and `einsum` combines with.");
}

}  // namespace einsummable
