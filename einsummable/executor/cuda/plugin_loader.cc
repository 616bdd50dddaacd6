// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/plugin_loader.h"

#include <dlfcn.h>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable::cuda {
namespace {

std::string reason() {
  const char* text = dlerror();
  return text ? text : "no reason is given";
}

}  // namespace

const Api& open_plugin(const std::string& path, const std::string& folders) {
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) throw DeviceError("the CUDA plugin cannot be opened: " + reason());
  const auto get_api = reinterpret_cast<GetApi>(dlsym(plugin, kApiSymbol));
  if (!get_api) throw DeviceError(quote(path) + " is no CUDA plugin: " + reason());
  const Api* api = get_api(kApiVersion, folders.c_str());
  if (!api || api->version != kApiVersion) {
    throw DeviceError("the CUDA plugin " + quote(path) +
                      " is of another version than the library; "
                      "install both from the same release");
  }
  return *api;
}

}  // namespace einsummable::cuda
