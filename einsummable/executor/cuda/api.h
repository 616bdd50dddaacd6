// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace einsummable::cuda {

// Everything the executor asks of CUDA, as one table of functions over plain data: what the plugin
// exports, and what the host twin of the tests implements. A C interface: a plugin may be built
// with another compiler than the library. Sizes are in bytes. Graphs are not thread-safe.
inline constexpr uint32_t kApiVersion = 2;

// Of a byte in a device's memory, or of pinned host memory as devices see it.
using Address = uint64_t;

// Things that the implementation made; 0 is none.
using Module = uint64_t;
using Function = uint64_t;
using GraphHandle = uint64_t;
using Node = uint64_t;
using Launchable = uint64_t;

// A device by its number, or this: pinned host memory.
inline constexpr int32_t kHost = -1;

enum class Status : int32_t {
  ok,
  not_ready,      // the launch has not ended
  missing,        // a library or a function of it is not there, or too old
  out_of_memory,  // of the device, or of pinned memory
  lost,           // the device: nothing on it can be used any more in this process
  unsupported,    // the library has no kernel for this
  failed,         // anything else
};

// Element types of library calls, with the values of DType.
enum class Element : int32_t { f32, f64, f16, bf16 };

struct LibraryInfo {
  char name[32];      // as "cuBLASLt"
  char version[32];   // empty if it is missing
  char path[512];     // where it was found
  char missing[512];  // why it is missing; empty if it is not
};

struct DeviceInfo {
  char name[128];
  char bus[32];           // as "0000:1b:00.0"
  int32_t architecture;   // 90 for sm_90
  int32_t processors;     // streaming multiprocessors
  int32_t shared_memory;  // bytes a block may have without opting in
  int32_t clock_khz;
  uint64_t memory, free_memory;
};

// Bytes that lie densely at both ends.
struct Copy {
  Address from, to;
  int32_t from_device, to_device;
  uint64_t bytes;
};

// One launch of a kernel, whose arguments are all addresses.
struct KernelLaunch {
  Function function;
  int32_t device;
  uint32_t blocks, threads;
  const Address* arguments;
  uint32_t argument_count;
};

// A matrix of a batch: element (i, j) of matrix b lies at `address` + size * (i * row_stride +
// j * column_stride + b * batch_stride). It lies by rows if the column stride is 1, else by
// columns, and the row stride is 1.
struct Matrix {
  Address address;
  Element element;
  int64_t row_stride, column_stride, batch_stride;
};

enum class Activation : int32_t { none, relu, gelu_tanh };

// c = activation(a b + residual + bias), rounded once, of every matrix of the batch; a is m x k, b
// is k x n, c is m x n. Sums are in float32 for float16, bfloat16 and float32, in float64 for
// float64. The residual lies as c does; the bias is a dense vector along that side of c whose
// stride is 1, and the same for every line of every matrix. Either is of c's type; its address is 0
// if there is none.
struct Product {
  int32_t device;
  int64_t m, n, k, batch;
  Matrix a, b, c;
  Address residual, bias;
  Activation activation;
  int32_t tf32;  // whether float32 operands may be rounded to tf32
  Address workspace;
  uint64_t workspace_bytes;
};

// softmax(scale * q k^T) v for every batch and head, by cuDNN: strides in elements, the last of
// each is 1; addresses, and strides in bytes, are multiples of 16. q is [batch, heads, queries,
// width], k and v [batch, kv_heads, keys, width].
struct Attention {
  int32_t device;
  Element element;  // float16 or bfloat16
  int64_t batch, heads, kv_heads, queries, keys, width, value_width;
  Address q, k, v, out, lse;
  int64_t q_strides[3], k_strides[3], v_strides[3], out_strides[3];  // batch, head, row
  double scale;
  int32_t causal;  // 0, or 1: query i sees keys up to i + keys - queries
  Address workspace;
  uint64_t workspace_bytes;
};

struct Api {
  uint32_t version;  // kApiVersion

  // Of the last call of this thread that did not give `ok`: one sentence, cut to `capacity`.
  void (*last_error)(char* text, uint64_t capacity);

  // The libraries, by number from 0; `missing` past the last.
  Status (*library)(int32_t number, LibraryInfo* info);
  Status (*device_count)(int32_t* count);
  Status (*device)(int32_t device, DeviceInfo* info);
  // Whether the driver says that `to` can reach the memory of `from`; `enable_peer` makes it so.
  Status (*can_reach)(int32_t from, int32_t to, int32_t* can);
  Status (*enable_peer)(int32_t from, int32_t to);

  // `bytes` is not 0, here and of pinned memory.
  Status (*allocate)(int32_t device, uint64_t bytes, Address* address);
  Status (*release)(int32_t device, Address address);
  // Pinned memory that every device can read and write.
  Status (*allocate_pinned)(uint64_t bytes, void** memory, Address* address);
  Status (*release_pinned)(void* memory);
  // Copies now, and waits for it.
  Status (*copy)(const Copy* copy);

  // Compiles a unit that defines the kernel `name` to a cubin for one architecture. The image is
  // the implementation's, until `free_image`. `compiler` names compiler and version, for caches.
  Status (*compiler)(char* text, uint64_t capacity);
  Status (*compile)(const char* source, const char* name, int32_t architecture, const void** image,
                    uint64_t* bytes);
  void (*free_image)(const void* image);
  Status (*load)(const void* image, uint64_t bytes, const char* name, Module* module,
                 Function* function);
  Status (*unload)(Module module);

  // Whether the library has this product: `ok` or `unsupported`. Of an address only what it is a
  // multiple of counts, up to 256.
  Status (*has_product)(const Product* product);

  // Nodes are added to a graph after those they depend on. A library call is captured, and its
  // node stands for all that it does.
  Status (*create_graph)(GraphHandle* graph);
  Status (*add_kernel)(GraphHandle graph, const Node* after, uint64_t count,
                       const KernelLaunch* kernel, Node* node);
  Status (*add_copy)(GraphHandle graph, const Node* after, uint64_t count, const Copy* copy,
                     Node* node);
  Status (*add_product)(GraphHandle graph, const Node* after, uint64_t count,
                        const Product* product, Node* node);
  Status (*add_attention)(GraphHandle graph, const Node* after, uint64_t count,
                          const Attention* attention, Node* node);
  Status (*destroy_graph)(GraphHandle graph);
  Status (*instantiate)(GraphHandle graph, Launchable* launchable);
  Status (*destroy_launchable)(Launchable launchable);
  // Starts the graph; `poll` says whether its last launch has ended, and how.
  Status (*launch)(Launchable launchable);
  Status (*poll)(Launchable launchable);
};

// The one symbol that a plugin exports: null for a version it does not have. Libraries are looked
// for in `folders` first, separated by colons.
inline constexpr const char* kApiSymbol = "einsummable_cuda_api";
using GetApi = const Api* (*)(uint32_t version, const char* folders);

}  // namespace einsummable::cuda
