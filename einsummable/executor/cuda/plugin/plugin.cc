// SPDX-License-Identifier: Apache-2.0
// The one symbol of the plugin.
#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {
namespace {

Status library(int32_t number, LibraryInfo* info) {
  switch (number) {
    case 0:
      *info = Driver::get().info();
      return Status::ok;
    case 1:
      *info = compiler_info();
      return Status::ok;
    case 2:
      *info = product_info();
      return Status::ok;
    case 3:
      *info = attention_info();
      return Status::ok;
    default:
      return fail(Status::missing, "there are four libraries");
  }
}

constexpr Api kApi = {.version = kApiVersion,
                      .last_error = copy_last_error,
                      .library = library,
                      .device_count = device_count,
                      .device = device,
                      .can_reach = can_reach,
                      .enable_peer = enable_peer,
                      .allocate = allocate,
                      .release = release,
                      .allocate_pinned = allocate_pinned,
                      .release_pinned = release_pinned,
                      .copy = copy,
                      .compiler = compiler,
                      .compile = compile,
                      .free_image = free_image,
                      .load = load,
                      .unload = unload,
                      .has_product = has_product,
                      .create_graph = create_graph,
                      .add_kernel = add_kernel,
                      .add_copy = add_copy,
                      .add_product = add_product,
                      .add_attention = add_attention,
                      .destroy_graph = destroy_graph,
                      .instantiate = instantiate,
                      .destroy_launchable = destroy_launchable,
                      .launch = launch,
                      .poll = poll};

}  // namespace
}  // namespace einsummable::cuda::plugin

extern "C" __attribute__((visibility("default"))) const einsummable::cuda::Api*
einsummable_cuda_api(uint32_t version, const char* folders) {
  if (version != einsummable::cuda::kApiVersion) return nullptr;
  einsummable::cuda::plugin::set_folders(folders);
  return &einsummable::cuda::plugin::kApi;
}
