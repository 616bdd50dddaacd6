// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/plugin/driver.h"

namespace einsummable::cuda::plugin {
namespace {

constexpr SharedLibrary::Name kName = {"CUDA driver", "libcuda.so.1", "", "the NVIDIA driver"};
// The first driver of CUDA 13.
constexpr int kLeastVersion = 13000;
// The first that its compiler knows.
constexpr int kLeastArchitecture = 75;

Status status_of(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return Status::ok;
    case CUDA_ERROR_NOT_READY:
      return Status::not_ready;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Status::out_of_memory;
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return Status::lost;
    default:
      return Status::failed;
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

// The name of a function as its macro in cuda.h makes it: cuMemAlloc is cuMemAlloc_v2.
#define ES_TEXT(x) #x
#define ES_NAME(x) ES_TEXT(x)

Driver& Driver::get() {
  static Driver driver;
  return driver;
}

Driver::Driver() : library_(kName) { missing_ = load(); }

std::string Driver::load() {
#define ES_FIND(function)                                                            \
  function = reinterpret_cast<decltype(function)>(library_.find(ES_NAME(function))); \
  if (!function) return library_.missing();
  ES_DRIVER_FUNCTIONS(ES_FIND)
#undef ES_FIND
  if (check(cuInit(0), "the CUDA driver does not start") != Status::ok) return last_error();
  cuDriverGetVersion(&version_);
  if (version_ < kLeastVersion) {
    return "the NVIDIA driver is for CUDA " + version_text(version_) + "; one for CUDA " +
           version_text(kLeastVersion) + " or later is needed";
  }
  return start_devices();
}

std::string Driver::start_devices() {
  CUcontext before = nullptr;
  cuCtxGetCurrent(&before);
  int count = 0;
  if (check(cuDeviceGetCount(&count), "counting devices") != Status::ok) return last_error();
  std::string fault = count == 0 ? "the CUDA driver finds no device" : "";
  for (int number = 0; number < count && fault.empty(); ++number) {
    fault = start_device(number);
    if (!fault.empty()) fault += "; CUDA_VISIBLE_DEVICES may leave it out";
  }
  cuCtxSetCurrent(before);
  return fault;
}

std::string Driver::start_device(int number) {
  CUdevice device = 0;
  int major = 0, minor = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUresult result = cuDeviceGet(&device, number);
  if (result == CUDA_SUCCESS) {
    result = cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  }
  if (result == CUDA_SUCCESS) {
    result = cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  }
  const std::string name = "device " + std::to_string(number);
  if (result == CUDA_SUCCESS && 10 * major + minor < kLeastArchitecture) {
    return name + " is of sm_" + std::to_string(10 * major + minor) +
           ", but CUDA 13 compiles for sm_" + std::to_string(kLeastArchitecture) + " and later";
  }
  if (result == CUDA_SUCCESS) result = cuDevicePrimaryCtxRetain(&context, device);
  if (result == CUDA_SUCCESS) result = cuCtxSetCurrent(context);
  if (result == CUDA_SUCCESS) result = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (check(result, (name + " does not start").c_str()) != Status::ok) return last_error();
  contexts_.push_back(context);
  streams_.push_back(stream);
  return "";
}

Status Driver::usable() const {
  return missing_.empty() ? Status::ok : fail(Status::missing, missing_);
}

LibraryInfo Driver::info() const {
  LibraryInfo info = library_.info();
  copy_text(info.missing, sizeof info.missing, missing_);
  if (version_ > 0) copy_text(info.version, sizeof info.version, version_text(version_));
  return info;
}

Entered::Entered(int32_t device) : status_(Driver::get().usable()) {
  if (status_ != Status::ok) return;
  Driver& driver = Driver::get();
  if (device < 0 || device >= driver.devices()) {
    status_ = fail(Status::failed, "there is no device " + std::to_string(device));
    return;
  }
  CUresult result = driver.cuCtxGetCurrent(&before_);
  if (result == CUDA_SUCCESS) result = driver.cuCtxSetCurrent(driver.context(device));
  status_ = driver.check(result, "entering a device");
}

Entered::~Entered() {
  if (status_ == Status::ok) Driver::get().cuCtxSetCurrent(before_);
}

Status Driver::check(CUresult result, const char* what) const {
  const Status status = status_of(result);
  if (status == Status::ok || status == Status::not_ready) return status;
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return fail(status, std::string(what) + ": " + (name ? name : "an unknown error") + ", " +
                          (text ? text : "of number " + std::to_string(result)));
}

}  // namespace einsummable::cuda::plugin
