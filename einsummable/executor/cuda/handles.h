// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda {

// Something that was made through the table of functions, released when its owner goes.
template <class Release>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Release release) : release_(std::make_unique<Release>(std::move(release))) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned&& other) noexcept {
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (release_) (*release_)();
  }
  // Never releases it: something may still use it.
  void abandon() { release_.reset(); }

 private:
  std::unique_ptr<Release> release_;
};

struct ReleaseMemory {
  const Api* api;
  int32_t device;
  Address address;
  void operator()() const { api->release(device, address); }
};
struct ReleasePinned {
  const Api* api;
  void* memory;
  void operator()() const { api->release_pinned(memory); }
};
struct UnloadModule {
  const Api* api;
  Module module;
  void operator()() const { api->unload(module); }
};
struct DestroyGraph {
  const Api* api;
  GraphHandle graph;
  void operator()() const { api->destroy_graph(graph); }
};
struct DestroyLaunchable {
  const Api* api;
  Launchable launchable;
  void operator()() const { api->destroy_launchable(launchable); }
};

}  // namespace einsummable::cuda
