// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tests/support/cuda_twin/twin.h"

namespace einsummable::cuda_twin {

// The table of functions that a test runs on: a twin's; or, where EINSUMMABLE_CUDA_PLUGIN names a
// plugin, that plugin's, and so real GPUs; or what else is in the folders EINSUMMABLE_CUDA_FOLDERS.
class Table {
 public:
  explicit Table(TwinOptions options = {});

  const cuda::Api& api() const { return *api_; }
  // As many devices as there are, at most so many.
  int32_t devices(int32_t most) const;
  // What a twin still holds; 0 of a plugin.
  int64_t unreleased() const { return twin_ ? twin_->unreleased() : 0; }
  // What of a table's libraries there is to use.
  bool has_library_attention() const;

 private:
  std::optional<Twin> twin_;
  const cuda::Api* api_ = nullptr;
};

}  // namespace einsummable::cuda_twin
