// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/devices.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "einsummable/executor/cuda/arenas.h"
#include "einsummable/executor/cuda/measure.h"
#include "einsummable/executor/cuda/status.h"

namespace einsummable::cuda {
namespace {

constexpr uint64_t kProbeBytes = uint64_t{1} << 24;

// Memory on a device for as long as a probe lasts.
struct Scratch {
  Address address = 0;
  Owned<ReleaseMemory> owned;

  Scratch(const Api& api, int32_t device) {
    check(api, api.allocate(device, kProbeBytes, &address),
          describe_device(api, device) + " does not give memory for a probe");
    owned = Owned(ReleaseMemory{&api, device, address});
  }
};

// Bytes that no copy that went wrong is likely to make up.
void write_pattern(std::span<std::byte> bytes, uint64_t seed) {
  uint64_t state = seed;
  for (size_t i = 0; i < bytes.size(); i += sizeof state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::memcpy(bytes.data() + i, &state, sizeof state);
  }
}

// Lets `to` copy from `from` without the host; gives what stands against it.
std::string enable(const Api& api, int32_t from, int32_t to) {
  int32_t can = 0;
  check(api, api.can_reach(from, to, &can), "asking for peer access");
  if (!can) return "the driver allows no peer access";
  if (api.enable_peer(from, to) != Status::ok) return "peer access cannot be enabled";
  return "";
}

// Whether what was written at one end is read at the other; in seconds what the copy took.
bool copies_right(const Api& api, int32_t from, int32_t to, double& seconds) {
  const Scratch source(api, from), target(api, to);
  Pinned host(api, static_cast<int64_t>(kProbeBytes), "a probe");
  const auto pair = static_cast<uint64_t>(from) << 32 | static_cast<uint64_t>(to);
  write_pattern(host.bytes(), pair + 1);
  const std::vector<std::byte> wanted(host.bytes().begin(), host.bytes().end());
  const auto copy = [&](Address begin, int32_t begin_device, Address end, int32_t end_device) {
    const Copy bytes{begin, end, begin_device, end_device, kProbeBytes};
    check(api, api.copy(&bytes),
          "a probe of copies from device " + std::to_string(from) + " to " + std::to_string(to));
  };
  copy(host.address(), kHost, source.address, from);
  const auto began = std::chrono::steady_clock::now();
  copy(source.address, from, target.address, to);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::ranges::fill(host.bytes(), std::byte{0});
  copy(target.address, to, host.address(), kHost);
  return std::ranges::equal(host.bytes(), wanted);
}

}  // namespace

Devices::Devices(const Api& api) : api_(&api) {
  int32_t count = 0;
  check(api, api.device_count(&count), "there are no CUDA devices");
  for (int32_t device = 0; device < count; ++device) {
    check(api, api.device(device, &infos_.emplace_back()), "device " + std::to_string(device));
  }
}

std::vector<LibraryInfo> Devices::libraries() const {
  std::vector<LibraryInfo> out;
  LibraryInfo info = {};
  for (int32_t i = 0; api_->library(i, &info) == Status::ok; ++i) out.push_back(info);
  return out;
}

const PeerProbe& Devices::probe(int32_t from, int32_t to) {
  const std::lock_guard lock(mutex_);
  const auto found = probes_.find({from, to});
  if (found != probes_.end()) return found->second;
  PeerProbe probe;
  probe.fault = enable(*api_, from, to);
  double seconds = 0;
  if (!copies_right(*api_, from, to, seconds)) probe.fault = "bytes that were copied differ";
  probe.direct = probe.fault.empty();
  probe.gbps = static_cast<double>(kProbeBytes) / 1e9 / std::max(seconds, 1e-9);
  return probes_.emplace(std::pair(from, to), std::move(probe)).first->second;
}

bool Devices::relu_keeps_nan(int32_t device) {
  const std::lock_guard lock(mutex_);
  const auto found = keep_nan_.find(device);
  if (found != keep_nan_.end()) return found->second;
  return keep_nan_[device] = cuda::relu_keeps_nan(*api_, device);
}

}  // namespace einsummable::cuda
