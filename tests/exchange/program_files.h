// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace einsummable::exchange {

// The programs in tests/programs, by file name.
inline std::map<std::string, std::string> program_files() {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(EINSUMMABLE_PROGRAMS)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files.emplace(entry.path().filename().string(), text.str());
  }
  return files;
}

}  // namespace einsummable::exchange
