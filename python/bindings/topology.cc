// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "einsummable/base/error.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/resolve.h"
#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

// How a site reaches another.
struct Way {
  std::vector<std::string> through;
  double gbps = std::numeric_limits<double>::infinity();  // of the slowest thing on it
  double latency_us = 0;
};

std::optional<Way> way(const Topology& topology, int64_t from, int64_t to) {
  if (std::min(from, to) < 0 || std::max(from, to) >= topology.sites()) {
    throw TopologyError("there are the sites 0 to " + std::to_string(topology.sites() - 1));
  }
  const Route* route = topology.route(from, to);
  if (!route) return std::nullopt;
  Way out{.through = {}, .latency_us = route->latency_us};
  for (ResourceId id : route->resources) {
    const Resource& resource = topology.resource(id);
    out.through.push_back(resource.name);
    out.gbps = std::min(out.gbps, resource.gbps);
  }
  return out;
}

}  // namespace

void bind_topology(nb::module_& module) {
  nb::class_<Way>(module, "Way", "How a site reaches another.")
      .def_ro("through", &Way::through, "Links, ports and buses, by name.")
      .def_ro("gbps", &Way::gbps, "GB/s of the slowest of them; inf where nothing moves.")
      .def_ro("latency_us", &Way::latency_us);
  nb::class_<Topology>(module, "Topology")
      .def_prop_ro("sites", &Topology::sites)
      .def("way", &way, nb::arg("from_site"), nb::arg("to_site"))
      .def_prop_ro("resources", [](const Topology& topology) {
        std::map<std::string, double> out;
        for (const Resource& resource : topology.resources) out[resource.name] = resource.gbps;
        return out;
      });
  nb::class_<Machine>(module, "Machine")
      .def_ro("name", &Machine::name)
      .def_ro("source", &Machine::source)
      .def_prop_ro("count", [](const Machine& machine) { return machine.sites.count; })
      .def("text", [](const Machine& machine) { return print(machine); })
      .def(
          "resolve",
          [](const Machine& machine, const std::vector<int64_t>& devices) {
            return resolve(machine, devices);
          },
          nb::arg("devices"));
  module.def("load_machine", &load_machine, nb::arg("name_or_path"));
  module.def(
      "parse_machine",
      [](std::string_view text, std::string_view file) { return parse_machine(text, file); },
      nb::arg("text"), nb::arg("file"));
  module.def("machine_names", &machine_names);
  module.def("machine_text", &machine_text, nb::arg("name"));
  module.def("measured_path", &measured_path);
}

}  // namespace einsummable
