// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/load.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/shipped.h"

namespace einsummable {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMeasured = "measured";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw TopologyError(path.string() + " is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw TopologyError(path.string() + " cannot be read");
  std::string text(MachineLimits::text_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad()) throw TopologyError(path.string() + " cannot be read");
  return text;
}

}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> out;
  for (const ShippedMachine& machine : shipped_machines()) out.emplace_back(machine.name);
  return out;
}

std::string_view machine_text(std::string_view name) {
  for (const ShippedMachine& machine : shipped_machines()) {
    if (machine.name == name) return machine.text;
  }
  return {};
}

std::string measured_path() {
  const std::string_view cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  // The standard has relative paths ignored.
  const fs::path base = cache.starts_with('/') ? fs::path(cache)
                        : home.empty()         ? fs::path()
                                               : fs::path(home) / ".cache";
  return base.empty() ? "" : (base / "einsummable" / "measured.toml").string();
}

Machine load_machine(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (const std::string_view text = machine_text(name); !text.empty()) {
    return parse_machine(text, name, Sources::required);
  }
  std::error_code error;
  if (name == kMeasured) {
    const std::string path = measured_path();
    if (path.empty() || !fs::exists(path, error)) {
      throw TopologyError("this machine is not measured yet: run `einsummable doctor --measure`");
    }
    return parse_machine(read_file(path), path);
  }
  if (name.find('\0') != std::string::npos || !fs::exists(name, error)) {
    throw TopologyError("topology " + quote(name.substr(0, 200)) +
                        " is neither a file nor one of " + join(machine_names(), ", ") +
                        ", measured");
  }
  return parse_machine(read_file(name), name);
}

}  // namespace einsummable
