// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/table.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "einsummable/executor/cuda/plugin_loader.h"

namespace einsummable::cuda_twin {

Table::Table(TwinOptions options) {
  const char* plugin = std::getenv("EINSUMMABLE_CUDA_PLUGIN");
  if (plugin && *plugin) {
    const char* folders = std::getenv("EINSUMMABLE_CUDA_FOLDERS");
    api_ = &cuda::open_plugin(plugin, folders ? folders : "");
  } else {
    twin_.emplace(std::move(options));
    api_ = &twin_->api();
  }
}

int32_t Table::devices(int32_t most) const {
  int32_t count = 0;
  if (api_->device_count(&count) != cuda::Status::ok) return 0;
  return std::min(count, most);
}

bool Table::has_library_attention() const {
  if (twin_) return true;
  cuda::LibraryInfo info = {};
  for (int32_t i = 0; api_->library(i, &info) == cuda::Status::ok; ++i) {
    if (std::string_view(info.name) == "cuDNN" && !*info.missing) return true;
  }
  return false;
}

}  // namespace einsummable::cuda_twin
