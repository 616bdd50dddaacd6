// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string_view>

#include "einsummable/base/error.h"
#include "einsummable/ops/attributes.h"
#include "einsummable/ops/operator.h"

namespace einsummable {

// The dtype called `name`, as "float32" or "f32". Throws GraphError with the names there are.
DType dtype_named(std::string_view name);

// An attribute as a Python value: a dtype by its long name.
nanobind::object to_python(const Attribute& attribute);

// The value of an attribute of `kind`; None stays None. Throws GraphError, naming the attribute, if
// it is of another kind or an integer beyond 64 bits.
Attribute to_attribute(std::string_view name, AttributeKind kind, nanobind::handle value);

}  // namespace einsummable
