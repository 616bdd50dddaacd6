// SPDX-License-Identifier: Apache-2.0
// Any text is a machine, which prints and parses back and resolves, or a TopologyError.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "einsummable/base/error.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/resolve.h"
#include "einsummable/topology/symmetry.h"

namespace einsummable {
namespace {

// The first devices, the first of them twice.
std::vector<int64_t> some_devices(const Machine& machine) {
  std::vector<int64_t> devices(static_cast<size_t>(std::min<int64_t>(8, machine.most_sites())));
  std::iota(devices.begin(), devices.end(), 0);
  devices.push_back(0);
  return devices;
}

void fuzz(std::string_view text) {
  try {
    const Machine machine = parse_machine(text, "m.toml");
    const std::string printed = print(machine);
    ensure(print(parse_machine(printed, "m.toml")) == printed, "the text of a machine changes");
    const Topology topology = resolve(machine, some_devices(machine));
    for (const Permutation& generator : symmetries(topology, 100).generators) {
      ensure(is_automorphism(topology, generator), "a symmetry is none");
    }
  } catch (const TopologyError&) {
  }
}

}  // namespace
}  // namespace einsummable

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  einsummable::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
