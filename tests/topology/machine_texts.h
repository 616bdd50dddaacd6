// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/base/error.h"
#include "einsummable/topology/machine_file.h"

namespace einsummable {

// A machine file with sites, their figures, and these tables; as it prints.
inline std::string machine_text_of(const std::string& count, const std::string& tables) {
  return "version = 1\nname = \"box\"\n\n[sites]\ncount = " + count + "\nhbm = 900\n" + tables;
}

// What is wrong with the text of "m.toml"; empty if nothing is.
inline std::string machine_error(const std::string& text, Sources sources = Sources::optional) {
  try {
    parse_machine(text, "m.toml", sources);
  } catch (const TopologyError& error) {
    return error.what();
  }
  return "";
}

}  // namespace einsummable
