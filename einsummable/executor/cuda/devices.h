// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda {

// What was found out about copies from one device to another.
struct PeerProbe {
  bool direct =
      false;        // the driver allows it, and what was written at one end was read at the other
  double gbps = 0;  // measured, of a copy of 16 MiB, through the host if it is not direct
  std::string fault = {};  // why it is not direct
};

// The devices of this process, and what is known of them. Threads may share it.
class Devices {
 public:
  // Throws DeviceError if the driver does not answer.
  explicit Devices(const Api& api);

  const Api& api() const { return *api_; }
  const std::vector<DeviceInfo>& all() const { return infos_; }
  std::vector<LibraryInfo> libraries() const;

  // Writes at `from`, copies, and reads back at `to`, once.
  const PeerProbe& probe(int32_t from, int32_t to);
  bool reaches(int32_t from, int32_t to) { return from == to || probe(from, to).direct; }
  // See measure.h; found out once a device.
  bool relu_keeps_nan(int32_t device);

 private:
  const Api* api_;
  std::vector<DeviceInfo> infos_;
  std::mutex mutex_;  // of what follows
  std::map<int32_t, bool> keep_nan_;
  std::map<std::pair<int32_t, int32_t>, PeerProbe> probes_;
};

}  // namespace einsummable::cuda
