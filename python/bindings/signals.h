// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "einsummable/base/error.h"
#include "einsummable/base/interruption.h"
#include "einsummable/compile.h"

namespace einsummable {

// Asks Python for signals, such as that of Ctrl-C, and keeps the exception they raise.
class Signals {
 public:
  bool operator()() {
    const nanobind::gil_scoped_acquire acquire;
    if (!raised_ && PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  std::optional<nanobind::python_error> raised_;
};

// work(interruption), stopped by what a signal raises, as KeyboardInterrupt. May be called with or
// without the GIL held by the work.
template <class Work>
auto interruptible(const Work& work) {
  Signals signals;
  const Interruption interruption([&] { return signals(); });
  try {
    return work(interruption);
  } catch (const Error&) {
    signals.rethrow();
    throw;
  }
}

// work(options), interruptible, without the GIL.
template <class Work>
auto interruptible_with(const CompileOptions& given, const Work& work) {
  return interruptible([&](const Interruption& interruption) {
    CompileOptions options = given;
    options.interruption = interruption;
    const nanobind::gil_scoped_release release;
    return work(options);
  });
}

// make(planned graph, options), interruptible, without the GIL. The caller's graph may change once
// it is copied, so that is done before other threads of Python run.
template <class Make>
auto planned_with(const Graph& graph, const CompileOptions& given, const Make& make) {
  return interruptible([&](const Interruption& interruption) {
    CompileOptions options = given;
    options.interruption = interruption;
    auto planned = planned_graph(graph, interruption);
    const nanobind::gil_scoped_release release;
    return make(std::move(planned), options);
  });
}

}  // namespace einsummable
