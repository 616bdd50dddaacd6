// SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN, recorded into a graph. The only file that sees cuDNN's front end, which takes
// long to compile.
#include <cudnn_frontend.h>

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

#include "einsummable/executor/cuda/plugin/functions.h"

// Where the front end looks for cuDNN's functions: it asks for this variable.
namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;
}

namespace einsummable::cuda::plugin {
namespace {

namespace fe = cudnn_frontend;

constexpr SharedLibrary::Name kName = {"cuDNN", "libcudnn.so.9", "nvidia/cudnn/lib",
                                       "nvidia-cudnn-cu13"};
constexpr SharedLibrary::Name kRuntime = {"the CUDA runtime", "libcudart.so.13", "nvidia/cu13/lib",
                                          "nvidia-cuda-runtime"};

class Dnn {
 public:
  static Dnn& get() {
    static Dnn dnn;
    return dnn;
  }

  Status usable() const { return missing_.empty() ? Status::ok : fail(Status::missing, missing_); }
  LibraryInfo info() const {
    LibraryInfo info = library_.info();
    copy_text(info.missing, sizeof info.missing, missing_);
    if (!missing_.empty()) return info;
    const size_t version = fe::detail::get_backend_version();
    copy_text(info.version, sizeof info.version,
              std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
                  std::to_string(version % 100));
    return info;
  }
  // The handle of the current device, whose calls go to its stream; made once for each.
  cudnnHandle_t handle(int32_t device) {
    auto& made = handles_[static_cast<size_t>(device)];
    if (made) return made;
    const auto stream = reinterpret_cast<cudaStream_t>(Driver::get().stream(device));
    if (fe::detail::create_handle(&made) != CUDNN_STATUS_SUCCESS ||
        fe::detail::set_stream(made, stream) != CUDNN_STATUS_SUCCESS) {
      made = nullptr;
    }
    return made;
  }

 private:
  Dnn() : library_(kName), runtime_(kRuntime) {
    missing_ = !library_.is_open() ? library_.missing() : runtime_.missing();
    handles_.resize(static_cast<size_t>(Driver::get().devices()));
    if (!missing_.empty()) return;
    fe::cudnn_dlhandle = library_.handle();
    // The front end would rather have the runtime of CUDA 12, whose structs are others, where the
    // loader finds one.
    setenv("CUDNN_FRONTEND_CUDART_LIB_NAME", runtime_.info().path, 0);
    compiler_info();  // opens NVRTC's builtins, which cuDNN's own kernels are compiled with
  }

  SharedLibrary library_;
  SharedLibrary runtime_;
  std::string missing_;
  std::vector<cudnnHandle_t> handles_;
};

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// What a call is to the front end, and its tensors.
struct Description {
  fe::graph::Graph graph;
  Tensor q, k, v, out, lse;

  explicit Description(const Attention& x) {
    const auto type = x.element == Element::f16 ? fe::DataType_t::HALF : fe::DataType_t::BFLOAT16;
    graph.set_io_data_type(type)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    q = tensor("q", {x.batch, x.heads, x.queries, x.width}, x.q_strides);
    k = tensor("k", {x.batch, x.kv_heads, x.keys, x.width}, x.k_strides);
    v = tensor("v", {x.batch, x.kv_heads, x.keys, x.value_width}, x.v_strides);
    auto attributes = fe::graph::SDPA_attributes()
                          .set_name("attention")
                          .set_generate_stats(x.lse != 0)
                          .set_attn_scale(static_cast<float>(x.scale));
    if (x.causal) {
      // Of as many queries as keys the two diagonals are one, and more engines know this one.
      attributes.set_diagonal_alignment(x.queries == x.keys
                                            ? fe::DiagonalAlignment_t::TOP_LEFT
                                            : fe::DiagonalAlignment_t::BOTTOM_RIGHT);
      attributes.set_diagonal_band_right_bound(0);
    }
    const auto outputs = graph.sdpa(q, k, v, attributes);
    out = outputs[0];
    out->set_output(true)
        .set_dim({x.batch, x.heads, x.queries, x.value_width})
        .set_stride({x.out_strides[0], x.out_strides[1], x.out_strides[2], 1});
    if (!x.lse) return;
    lse = outputs[1];
    lse->set_output(true)
        .set_data_type(fe::DataType_t::FLOAT)
        .set_dim({x.batch, x.heads, x.queries, 1})
        .set_stride({x.heads * x.queries, x.queries, 1, 1});
  }

  Tensor tensor(const char* name, std::vector<int64_t> extents, const int64_t* strides) {
    return graph.tensor(fe::graph::Tensor_attributes().set_name(name).set_dim(extents).set_stride(
        {strides[0], strides[1], strides[2], 1}));
  }
};

// The front end has many codes for what no engine of cuDNN's does, so `otherwise` is what any of
// them stands for.
Status check(fe::error_t error, Status otherwise, const char* what) {
  if (error.is_good()) return Status::ok;
  return fail(otherwise, std::string("cuDNN, ") + what + ": " + error.get_message());
}

Status record(Description& description, const Attention& x, cudnnHandle_t handle) {
  const auto pointer = [](Address address) { return reinterpret_cast<void*>(address); };
  std::unordered_map<Tensor, void*> places = {{description.q, pointer(x.q)},
                                              {description.k, pointer(x.k)},
                                              {description.v, pointer(x.v)},
                                              {description.out, pointer(x.out)}};
  if (description.lse) places[description.lse] = pointer(x.lse);
  return check(description.graph.execute(handle, places, pointer(x.workspace)), Status::failed,
               "attention");
}

Status add(GraphHandle graph, const Node* after, uint64_t count, const Attention& x, Node* node) {
  Dnn& dnn = Dnn::get();
  if (const Status status = dnn.usable(); status != Status::ok) return status;
  const Entered entered(x.device);
  if (entered.status() != Status::ok) return entered.status();
  const std::lock_guard lock(Driver::get().recording());
  cudnnHandle_t handle = dnn.handle(x.device);
  if (!handle) return fail(Status::unsupported, "cuDNN does not start");
  Description description(x);
  const Status built = check(description.graph.build(handle, {fe::HeurMode_t::A}),
                             Status::unsupported, "describing attention");
  if (built != Status::ok) return built;
  int64_t workspace = 0;
  const Status sized = check(description.graph.get_workspace_size(workspace), Status::unsupported,
                             "asking for space");
  if (sized != Status::ok) return sized;
  if (static_cast<uint64_t>(workspace) > x.workspace_bytes) {
    return fail(Status::unsupported, "cuDNN asks for " + std::to_string(workspace) +
                                         " bytes of workspace and gets " +
                                         std::to_string(x.workspace_bytes));
  }
  Capture capture(graph, after, count, x.device);
  if (capture.status() != Status::ok) return capture.status();
  return capture.end(record(description, x, handle), node);
}

}  // namespace

Status add_attention(GraphHandle graph, const Node* after, uint64_t count,
                     const Attention* attention, Node* node) {
  // The front end throws where a library is not what it expects.
  try {
    return add(graph, after, count, *attention, node);
  } catch (const std::exception& error) {
    return fail(Status::unsupported, std::string("cuDNN: ") + error.what());
  }
}

LibraryInfo attention_info() {
  try {
    return Dnn::get().info();
  } catch (const std::exception& error) {
    LibraryInfo info = {};
    copy_text(info.name, sizeof info.name, kName.name);
    copy_text(info.missing, sizeof info.missing, error.what());
    return info;
  }
}

}  // namespace einsummable::cuda::plugin
