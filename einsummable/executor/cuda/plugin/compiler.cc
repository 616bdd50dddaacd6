// SPDX-License-Identifier: Apache-2.0
// Generated kernels: NVRTC to a cubin, and the cubin loaded for all devices.
#include <nvrtc.h>

#include <dlfcn.h>

#include <cstring>
#include <vector>

#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {
namespace {

constexpr SharedLibrary::Name kName = {"NVRTC", "libnvrtc.so.13", "nvidia/cu13/lib",
                                       "nvidia-cuda-nvrtc"};

#define ES_COMPILER_FUNCTIONS(use)                                                             \
  use(nvrtcCompileProgram) use(nvrtcCreateProgram) use(nvrtcDestroyProgram) use(nvrtcGetCUBIN) \
      use(nvrtcGetCUBINSize) use(nvrtcGetErrorString) use(nvrtcGetProgramLog)                  \
          use(nvrtcGetProgramLogSize) use(nvrtcVersion)

class Compiler {
 public:
  static Compiler& get() {
    static Compiler compiler;
    return compiler;
  }

#define ES_MEMBER(function) decltype(&::function) function = nullptr;
  ES_COMPILER_FUNCTIONS(ES_MEMBER)
#undef ES_MEMBER

  Status usable() const { return missing_.empty() ? Status::ok : fail(Status::missing, missing_); }
  const std::string& version() const { return version_; }
  LibraryInfo info() const {
    LibraryInfo info = library_.info();
    copy_text(info.version, sizeof info.version, version_);
    return info;
  }

 private:
  Compiler() : library_(kName) { missing_ = load(); }

  std::string load() {
#define ES_FIND(function)                                                    \
  function = reinterpret_cast<decltype(function)>(library_.find(#function)); \
  if (!function) return library_.missing();
    ES_COMPILER_FUNCTIONS(ES_FIND)
#undef ES_FIND
    int major = 0, minor = 0;
    nvrtcVersion(&major, &minor);
    version_ = std::to_string(major) + "." + std::to_string(minor);
    open_builtins();
    return "";
  }

  // NVRTC opens its builtins by name alone, which is found only if it is open already.
  void open_builtins() const {
    const std::string path = library_.info().path;
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    const std::string file = path.substr(0, slash + 1) + "libnvrtc-builtins.so." + version_;
    dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  }

  SharedLibrary library_;
  std::string missing_, version_;
};

std::string log_of(const Compiler& compiler, nvrtcProgram program) {
  size_t bytes = 0;
  if (compiler.nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS) return "";
  std::string log(bytes, ' ');
  if (compiler.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return "";
  return log.substr(0, log.find('\0'));
}

}  // namespace

Status compiler(char* text, uint64_t capacity) {
  const Compiler& compiler = Compiler::get();
  copy_text(text, capacity, "NVRTC " + compiler.version());
  return compiler.usable();
}

Status compile(const char* source, const char* name, int32_t architecture, const void** image,
               uint64_t* bytes) {
  const Compiler& compiler = Compiler::get();
  if (const Status status = compiler.usable(); status != Status::ok) return status;
  nvrtcProgram program = nullptr;
  const std::string file = std::string(name) + ".cu";
  nvrtcResult result =
      compiler.nvrtcCreateProgram(&program, source, file.c_str(), 0, nullptr, nullptr);
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  // Without contraction an element has the bits that its function's expression says. Loops over
  // several blocks declare offsets that not all of them use.
  const char* options[] = {target.c_str(), "--std=c++20", "--fmad=false", "--diag-suppress=177"};
  if (result == NVRTC_SUCCESS) result = compiler.nvrtcCompileProgram(program, 4, options);
  size_t size = 0;
  std::vector<char> cubin;
  if (result == NVRTC_SUCCESS) result = compiler.nvrtcGetCUBINSize(program, &size);
  if (result == NVRTC_SUCCESS) {
    cubin.resize(size);
    result = compiler.nvrtcGetCUBIN(program, cubin.data());
  }
  const std::string log = result == NVRTC_SUCCESS ? "" : log_of(compiler, program);
  if (program) compiler.nvrtcDestroyProgram(&program);
  if (result != NVRTC_SUCCESS) {
    return fail(Status::failed, std::string(compiler.nvrtcGetErrorString(result)) + " " + log);
  }
  char* copied = new char[size];
  std::memcpy(copied, cubin.data(), size);
  *image = copied;
  *bytes = size;
  return Status::ok;
}

void free_image(const void* image) { delete[] static_cast<const char*>(image); }

Status load(const void* image, uint64_t, const char* name, Module* module, Function* function) {
  Driver& driver = Driver::get();
  const Entered entered(0);
  if (entered.status() != Status::ok) return entered.status();
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUresult result =
      driver.cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == CUDA_SUCCESS) result = driver.cuLibraryGetKernel(&kernel, library, name);
  if (result != CUDA_SUCCESS && library) driver.cuLibraryUnload(library);
  *module = reinterpret_cast<Module>(library);
  *function = reinterpret_cast<Function>(kernel);
  return driver.check(result, "loading a kernel");
}

Status unload(Module module) {
  Driver& driver = Driver::get();
  return driver.check(driver.cuLibraryUnload(reinterpret_cast<CUlibrary>(module)),
                      "unloading a kernel");
}

LibraryInfo compiler_info() { return Compiler::get().info(); }

}  // namespace einsummable::cuda::plugin
