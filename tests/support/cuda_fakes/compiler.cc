// SPDX-License-Identifier: Apache-2.0
// NVRTC whose images are the sources: the real one asks the real driver for more.
#include <nvrtc.h>

#include <cstring>
#include <string>

namespace {

// Whether a string is among those of an array.
bool is_there(const char* wanted, int count, const char* const* all) {
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(all[i], wanted) == 0) return true;
  }
  return false;
}

std::string& of(nvrtcProgram program) { return *reinterpret_cast<std::string*>(program); }

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) nvrtcResult

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(nvrtcResult) {
  return "the fake compiler refuses it";
}
FAKE nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}
FAKE nvrtcCreateProgram(nvrtcProgram* made, const char* source, const char*, int headers,
                        const char* const*, const char* const*) {
  if (!source || headers != 0) return NVRTC_ERROR_INVALID_INPUT;
  *made = reinterpret_cast<nvrtcProgram>(new std::string(source));
  return NVRTC_SUCCESS;
}
FAKE nvrtcDestroyProgram(nvrtcProgram* program) {
  delete &of(*program);
  *program = nullptr;
  return NVRTC_SUCCESS;
}
FAKE nvrtcCompileProgram(nvrtcProgram, int count, const char* const* options) {
  const bool right = is_there("--gpu-architecture=sm_90", count, options) &&
                     is_there("--fmad=false", count, options);
  return right ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_OPTION;
}
FAKE nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  *bytes = of(program).size() + 1;
  return NVRTC_SUCCESS;
}
FAKE nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  std::memcpy(image, of(program).c_str(), of(program).size() + 1);
  return NVRTC_SUCCESS;
}
FAKE nvrtcGetProgramLogSize(nvrtcProgram, size_t* bytes) {
  *bytes = 1;
  return NVRTC_SUCCESS;
}
FAKE nvrtcGetProgramLog(nvrtcProgram, char* log) {
  *log = 0;
  return NVRTC_SUCCESS;
}
