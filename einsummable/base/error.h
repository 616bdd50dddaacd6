// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace einsummable {

// A mistake in what the user gave. Every message names the operator, the user's own names, the
// shapes, and what would be legal. Python raises the class of the same name.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A graph that cannot be built: shapes, dtypes, names, handles of another graph.
class GraphError : public Error {
 public:
  using Error::Error;
};

// A plan that cannot be made, loaded or pinned as asked.
class PlanError : public Error {
 public:
  using Error::Error;
};

// An exchange program that is ill-formed or invalid.
class ExchangeError : public Error {
 public:
  using Error::Error;
};

// A machine description that is ill-formed or too small.
class TopologyError : public Error {
 public:
  using Error::Error;
};

// A plan whose peak exceeds the limit.
class MemoryLimitError : public Error {
 public:
  using Error::Error;
};

// Devices, or a backend, that are not there, or that compute something else than the graph.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// Arguments of a call: missing, unknown, misshapen, mistyped, out of range.
class InputError : public Error {
 public:
  using Error::Error;
};

// A bug of ours, found by an assertion. Assertions are on in release builds.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws InternalError with the place.
[[noreturn]] void throw_internal_error(std::string_view what, std::source_location where);

// Throws InternalError, with the place of the call, unless `condition` holds.
inline void ensure(bool condition, std::string_view what,
                   std::source_location where = std::source_location::current()) {
  if (!condition) throw_internal_error(what, where);
}

}  // namespace einsummable
