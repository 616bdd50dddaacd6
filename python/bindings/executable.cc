// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "einsummable/compile.h"
#include "python/bindings/attributes.h"
#include "python/bindings/bindings.h"
#include "python/bindings/signals.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using ReadArray = nb::ndarray<nb::ro, nb::device::cpu>;
using WrittenArray = nb::ndarray<nb::numpy, nb::device::cpu>;

// An array that Python lends for a call: its name, dtype and memory. The memory of bfloat16 comes
// as uint16, so the dtype is named.
template <class Array>
struct Lent {
  std::string name;
  DType dtype;
  Array array;
  std::vector<int64_t> shape, strides;

  Lent(std::string n, const std::string& d, Array a)
      : name(std::move(n)), dtype(dtype_named(d)), array(std::move(a)) {
    ensure(static_cast<int64_t>(array.itemsize()) == size_of(dtype), "the dtype fits the memory");
    for (size_t axis = 0; axis < array.ndim(); ++axis) {
      shape.push_back(static_cast<int64_t>(array.shape(axis)));
      strides.push_back(array.stride(axis));
    }
  }

  StridedView view() const {
    auto* data = static_cast<std::byte*>(const_cast<void*>(static_cast<const void*>(array.data())));
    return {.data = data, .dtype = dtype, .shape = shape, .strides = strides};
  }
};

template <class Array>
using Triples = std::vector<std::tuple<std::string, std::string, Array>>;

template <class Array>
std::vector<Lent<Array>> lent(const Triples<Array>& given) {
  std::vector<Lent<Array>> out;
  out.reserve(given.size());
  for (const auto& [name, dtype, array] : given) out.emplace_back(name, dtype, array);
  return out;
}

template <class Array>
std::vector<Executable::Argument> arguments(const std::vector<Lent<Array>>& arrays) {
  std::vector<Executable::Argument> out;
  for (const auto& array : arrays) out.push_back({array.name, array.view()});
  return out;
}

void load(Executable& executable, const std::string& name, const std::string& dtype,
          const ReadArray& array) {
  const Lent<ReadArray> given(name, dtype, array);
  const nb::gil_scoped_release release;
  executable.load(given.name, given.view());
}

void call(Executable& executable, const Triples<ReadArray>& inputs,
          const Triples<WrittenArray>& outputs) {
  const auto read = lent(inputs);
  const auto written = lent(outputs);
  Signals signals;
  try {
    const nb::gil_scoped_release release;
    executable.call(arguments(read), arguments(written), [&] { return signals(); });
  } catch (const Error&) {
    signals.rethrow();
    throw;
  }
}

VerifyReport report_of(const Executable& executable) {
  VerifyReport report = executable.report();
  if (auto numeric = executable.numeric()) report.checks.push_back(*std::move(numeric));
  return report;
}

void bind_compile(nb::module_& module) {
  module.def(
      "make_lowered",
      [](const Graph& graph, const CompileOptions& options) {
        return planned_with(graph, options, [](auto planned, const CompileOptions& mine) {
          return make_lowered(std::move(planned), mine);
        });
      },
      nb::arg("graph"), nb::arg("options"));
  module.def(
      "compile",
      [](const Graph& graph, const CompileOptions& options) {
        return planned_with(graph, options, [](auto planned, const CompileOptions& mine) {
          return compile(std::move(planned), mine);
        });
      },
      nb::arg("graph"), nb::arg("options"));
  module.def(
      "compile",
      [](const Plan& plan, const CompileOptions& options) {
        return interruptible([&](const Interruption& interruption) {
          CompileOptions mine = options;
          mine.interruption = interruption;
          const nb::gil_scoped_release release;
          return compile(Plan(plan), mine);
        });
      },
      nb::arg("plan"), nb::arg("options"));
}

}  // namespace

void bind_executable(nb::module_& module) {
  nb::class_<Check>(module, "Check", "One kind of check, and whether all it looked at hold.")
      .def_ro("name", &Check::name)
      .def_ro("count", &Check::count, "How many things it looked at.")
      .def_ro("seconds", &Check::seconds)
      .def_ro("detail", &Check::detail, "The first that failed; empty if all hold.")
      .def_ro("note", &Check::note, "What else it found.");
  nb::class_<VerifyReport>(module, "VerifyReport", "What was checked; true where all hold.")
      .def_prop_ro("ok", &VerifyReport::ok)
      .def_ro("checks", &VerifyReport::checks)
      .def("__bool__", &VerifyReport::ok);
  nb::class_<StageTimes>(module, "StageTimes", "Seconds that the stages of a compilation took.")
      .def_ro("choice", &StageTimes::choice, "Of `logical`, without simulations of what is chosen.")
      .def_ro("logical", &StageTimes::logical)
      .def_ro("physical", &StageTimes::physical)
      .def_ro("lowering", &StageTimes::lowering)
      .def_ro("verification", &StageTimes::verification)
      .def_ro("preparation", &StageTimes::preparation);
  nb::class_<DeviceMemory>(module, "DeviceMemory", "What a call needs on one device, in bytes.")
      .def_ro("peak", &DeviceMemory::peak, "What is set aside.")
      .def_ro("least", &DeviceMemory::least, "The largest sum of what is in use at one time.");
  nb::class_<ProfileLine>(module, "ProfileLine", "What all tasks of one kind took in a call.")
      .def_ro("work", &ProfileLine::work, "As \"matmul\", or \"silu multiply\" of a fused run.")
      .def_ro("reference", &ProfileLine::reference, "Whether for want of a fast kernel.")
      .def_ro("tasks", &ProfileLine::tasks)
      .def_ro("seconds", &ProfileLine::seconds, "Summed over tasks, so over threads.");
  nb::class_<Span>(module, "Span", "One task of a call.")
      .def_ro("work", &Span::work, "As that of a ProfileLine.")
      .def_ro("name", &Span::name, "Of its operators, or of the tensor it moves or merges.")
      .def_ro("site", &Span::site)
      .def_ro("start", &Span::start, "Seconds after the call began.")
      .def_ro("seconds", &Span::seconds);
  nb::class_<LoweredPlan>(module, "LoweredPlan",
                          "A plan lowered to tasks and proven, bound to no memory.")
      .def_ro("plan", &LoweredPlan::plan)
      .def_ro("report", &LoweredPlan::report)
      .def_ro("times", &LoweredPlan::times)
      .def_prop_ro("peak_bytes", &LoweredPlan::peak_bytes)
      .def_prop_ro("memory", &LoweredPlan::memory)
      .def_prop_ro("task_count",
                   [](const LoweredPlan& lowered) { return lowered.tasks->tasks.size(); });
  nb::class_<Executable>(module, "Executable")
      .def_prop_ro("plan", [](const Executable& executable) { return Plan(executable.plan()); })
      .def_prop_ro("report", &report_of)
      .def_prop_ro("times", [](const Executable& e) { return StageTimes(e.times()); })
      .def_prop_ro("peak_bytes", &Executable::peak_bytes)
      .def_prop_ro("memory", &Executable::memory)
      .def_prop_ro("task_count", [](const Executable& e) { return e.tasks().tasks.size(); })
      .def("last_spans", &Executable::last_spans, nb::call_guard<nb::gil_scoped_release>())
      .def("last_profile", &Executable::last_profile, nb::call_guard<nb::gil_scoped_release>())
      .def("load", &load, nb::arg("name"), nb::arg("dtype"), nb::arg("array"),
           nb::sig("def load(self, name: str, dtype: str, array: object) -> None"))
      .def("call", &call, nb::arg("inputs"), nb::arg("outputs"),
           nb::sig("def call(self, inputs: Sequence[tuple[str, str, object]], "
                   "outputs: Sequence[tuple[str, str, object]]) -> None"));
  bind_compile(module);
}

}  // namespace einsummable
