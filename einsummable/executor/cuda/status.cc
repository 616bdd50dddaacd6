// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/status.h"

#include <array>

namespace einsummable::cuda {
namespace {

std::string last_error(const Api& api) {
  std::array<char, 1024> text{};
  api.last_error(text.data(), text.size());
  text.back() = 0;
  return text.data();
}

}  // namespace

void check(const Api& api, Status status, const std::string& what) {
  if (status == Status::ok) return;
  const std::string message = what + ": " + last_error(api);
  switch (status) {
    case Status::out_of_memory:
      throw MemoryLimitError(message);
    case Status::unsupported:
      throw UnsupportedError(message);
    case Status::lost:
      throw DeviceError(message + "; the device is lost to this process, start another");
    default:
      throw DeviceError(message);
  }
}

std::string describe_device(const Api& api, int32_t device) {
  const std::string number = "device " + std::to_string(device);
  DeviceInfo info = {};
  if (api.device(device, &info) != Status::ok) return number;
  info.name[sizeof info.name - 1] = 0;
  return number + " (" + info.name + ")";
}

}  // namespace einsummable::cuda
