// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/host_compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/device_code.h"
#include "einsummable/executor/cuda/source.h"

namespace einsummable::cuda_twin {
namespace {

namespace fs = std::filesystem;

using Definitions = std::map<std::string, std::string>;

// As many kernels as are compiled behind one prelude.
constexpr size_t kUnit = 48;

std::string unit_of(const Definitions& definitions) {
  std::string text = "#include \"tests/support/cuda_twin/words.h\"\n" + cuda::prelude();
  for (const auto& [name, definition] : definitions) text += definition;
  return text;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Words and services are part of what a unit is compiled from.
std::string key_of(const std::string& text) {
  static const std::string words =
      read_file(fs::path(EINSUMMABLE_SOURCE_DIR) / "tests/support/cuda_twin/words.h") +
      read_file(fs::path(EINSUMMABLE_SOURCE_DIR) / "tests/support/cuda_twin/services.h");
  std::ostringstream out;
  out << std::hex << std::hash<std::string>{}(words + text) << '-' << text.size();
  return out.str();
}

// Compiles a unit into a library beside others, unless it is there, and gives its path.
std::string library_of(const std::string& text) {
  const fs::path folder = EINSUMMABLE_TWIN_FOLDER;
  fs::create_directories(folder);
  const fs::path base = folder / key_of(text), library = base.string() + ".so";
  if (fs::exists(library) && read_file(base.string() + ".cc") == text) return library;
  const std::string own = base.string() + "." + std::to_string(getpid());
  std::ofstream(own + ".cc") << text;
  const std::string command = std::string(EINSUMMABLE_TWIN_COMPILER) +
                              " -std=c++20 -O1 -w -fPIC -shared -ffp-contract=off"
                              " -fno-exceptions -I" EINSUMMABLE_SOURCE_DIR " " +
                              own + ".cc -o " + own + ".so 2> " + own + ".log";
  if (std::system(command.c_str()) != 0) {
    throw DeviceError("a kernel does not compile: " + read_file(own + ".log").substr(0, 4000));
  }
  fs::remove(own + ".log");
  fs::rename(own + ".cc", base.string() + ".cc");
  fs::rename(own + ".so", library);
  return library;
}

// Keeps what NVRTC would get for the same kernels, where a test of NVRTC looks for it.
void keep_device_unit(const Definitions& definitions) {
  const char* folder = std::getenv("EINSUMMABLE_CUDA_SOURCES");
  if (!folder || !*folder) return;
  fs::create_directories(folder);
  std::string text = std::string(cuda::words_text()) + cuda::prelude();
  for (const auto& [name, definition] : definitions) text += definition;
  std::ofstream(fs::path(folder) / (key_of(text) + ".cu")) << text;
}

}  // namespace

void HostCompiler::add(const Definitions& definitions) {
  std::vector<Definitions> units;
  for (const auto& [name, definition] : definitions) {
    if (kernels_.contains(name)) continue;
    if (units.empty() || units.back().size() == kUnit) units.emplace_back();
    units.back().emplace(name, definition);
  }
  std::vector<std::string> libraries(units.size());
  std::vector<std::exception_ptr> errors(2);
  const auto compile = [&](size_t thread) {
    try {
      for (size_t i = thread; i < units.size(); i += errors.size()) {
        keep_device_unit(units[i]);
        libraries[i] = library_of(unit_of(units[i]));
      }
    } catch (...) {
      errors[thread] = std::current_exception();
    }
  };
  {
    const std::jthread other(compile, 1);
    compile(0);
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  for (size_t i = 0; i < units.size(); ++i) load(libraries[i], units[i]);
}

void HostCompiler::load(const std::string& library, const Definitions& definitions) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ensure(handle, "a unit of kernels is opened");
  const auto attach = reinterpret_cast<void (*)(const Services*)>(dlsym(handle, "attach_services"));
  attach(services_);
  for (const auto& [name, definition] : definitions) {
    kernels_[name] = {reinterpret_cast<Kernel>(dlsym(handle, name.c_str())),
                      definition.find("_block<") != std::string::npos ||
                          definition.find("ES_SHARED") != std::string::npos};
  }
}

}  // namespace einsummable::cuda_twin
