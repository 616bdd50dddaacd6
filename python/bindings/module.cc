// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "python/bindings/bindings.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ core of einsummable.";
  module.attr("version") = EINSUMMABLE_VERSION;
  einsummable::bind_errors(module);
}
