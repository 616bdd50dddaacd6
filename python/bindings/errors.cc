// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/error.h"

#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

// Binds the class `T` as `name`; a `T` that leaves a bound function is raised as it.
template <typename T>
nb::object bind_error(nb::module_& module, nb::handle base, const char* name, const char* doc) {
  const nb::exception<T> error(module, name, base);
  error.doc() = doc;
  // Before the translator of nanobind: a message may quote bytes that are no UTF-8.
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const T& caught) {
          const std::string_view what = caught.what();
          const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
              what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace"));
          PyErr_SetObject(static_cast<PyObject*>(type), message.ptr());
        }
      },
      error.ptr());
  return error;
}

}  // namespace

void bind_errors(nb::module_& module) {
  const nb::object error = bind_error<Error>(
      module, PyExc_ValueError, "Error", "A mistake in what was given; says what would be legal.");
  bind_error<GraphError>(
      module, error, "GraphError",
      "A graph that cannot be built: shapes, dtypes, names, handles of another graph.");
  bind_error<PlanError>(module, error, "PlanError",
                        "A plan that cannot be made, loaded or pinned as asked.");
  bind_error<ExchangeError>(module, error, "ExchangeError",
                            "An exchange program that is ill-formed or invalid.");
  bind_error<TopologyError>(module, error, "TopologyError",
                            "A machine description that is ill-formed or too small.");
  bind_error<MemoryLimitError>(module, error, "MemoryLimitError",
                               "A plan whose peak exceeds the limit.");
  bind_error<DeviceError>(module, error, "DeviceError",
                          "Devices, or a backend, that are not there.");
  bind_error<InputError>(
      module, error, "InputError",
      "Arguments of a call: missing, unknown, misshapen, mistyped, out of range.");
}

}  // namespace einsummable
