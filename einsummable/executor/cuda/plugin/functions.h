// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/plugin/driver.h"

namespace einsummable::cuda::plugin {

// The functions of Api, as api.h says.

Status device_count(int32_t* count);
Status device(int32_t device, DeviceInfo* info);
Status can_reach(int32_t from, int32_t to, int32_t* can);
Status enable_peer(int32_t from, int32_t to);
Status allocate(int32_t device, uint64_t bytes, Address* address);
Status release(int32_t device, Address address);
Status allocate_pinned(uint64_t bytes, void** memory, Address* address);
Status release_pinned(void* memory);
Status copy(const Copy* copy);

Status compiler(char* text, uint64_t capacity);
Status compile(const char* source, const char* name, int32_t architecture, const void** image,
               uint64_t* bytes);
void free_image(const void* image);
Status load(const void* image, uint64_t bytes, const char* name, Module* module,
            Function* function);
Status unload(Module module);

Status create_graph(GraphHandle* graph);
Status add_kernel(GraphHandle graph, const Node* after, uint64_t count, const KernelLaunch* kernel,
                  Node* node);
Status add_copy(GraphHandle graph, const Node* after, uint64_t count, const Copy* copy, Node* node);
Status has_product(const Product* product);
Status add_product(GraphHandle graph, const Node* after, uint64_t count, const Product* product,
                   Node* node);
Status add_attention(GraphHandle graph, const Node* after, uint64_t count,
                     const Attention* attention, Node* node);
Status destroy_graph(GraphHandle graph);
Status instantiate(GraphHandle graph, Launchable* launchable);
Status destroy_launchable(Launchable launchable);
Status launch(Launchable launchable);
Status poll(Launchable launchable);

// What Api::library says of the others than the driver.
LibraryInfo compiler_info();
LibraryInfo product_info();
LibraryInfo attention_info();

// A library call as a node of a graph: from here to `end` the calls of a device's stream are
// recorded after the given nodes, and the device is entered. Under Driver::recording.
class Capture {
 public:
  Capture(GraphHandle graph, const Node* after, uint64_t count, int32_t device);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  // Whether recording began; if not, this is why.
  Status status() const { return status_; }
  CUstream stream() const { return Driver::get().stream(device_); }
  // Ends it; `node` stands for all that was recorded. `called` is what the calls gave.
  Status end(Status called, Node* node);

 private:
  CUresult stop();

  GraphHandle graph_;
  int32_t device_;
  Entered entered_;
  Status status_;
  bool recording_ = false;
};

}  // namespace einsummable::cuda::plugin
