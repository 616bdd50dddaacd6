// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/attributes.h"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace einsummable {
namespace {

template <class T>
nb::object cast(const T& value) {
  return nb::cast(value);
}
nb::object cast(None) { return nb::none(); }
nb::object cast(DType dtype) { return nb::cast(std::string(long_name(dtype))); }

template <class T>
Attribute convert(std::string_view name, AttributeKind kind, nb::handle value) {
  T out{};
  if (nb::try_cast(value, out)) return out;
  throw GraphError("the attribute '" + std::string(name) + "' must be " +
                   std::string(describe(kind)) + ", not " + nb::repr(value).c_str());
}

}  // namespace

DType dtype_named(std::string_view name) {
  if (const auto dtype = dtype_from_name(name)) return *dtype;
  std::vector<std::string> names;
  for (DType dtype : kAllDTypes) names.emplace_back(long_name(dtype));
  throw GraphError("there is no dtype " + quote(name) + "; there are " + join(names, ", "));
}

nb::object to_python(const Attribute& attribute) {
  return std::visit([](const auto& value) { return cast(value); }, attribute);
}

Attribute to_attribute(std::string_view name, AttributeKind kind, nb::handle value) {
  if (value.is_none()) return None{};
  switch (kind) {
    case AttributeKind::boolean:
      return convert<bool>(name, kind, value);
    case AttributeKind::integer:
      return convert<int64_t>(name, kind, value);
    case AttributeKind::real:
      return convert<double>(name, kind, value);
    case AttributeKind::string:
      return convert<std::string>(name, kind, value);
    case AttributeKind::integers:
      return convert<std::vector<int64_t>>(name, kind, value);
    case AttributeKind::reals:
      return convert<std::vector<double>>(name, kind, value);
    case AttributeKind::dtype:
      return dtype_named(std::get<std::string>(convert<std::string>(name, kind, value)));
  }
  ensure(false, "an attribute has one of the kinds");
  return None{};
}

}  // namespace einsummable
