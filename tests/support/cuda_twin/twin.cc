// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/twin.h"

#include <algorithm>
#include <cstring>

#include "einsummable/base/error.h"
#include "tests/support/cuda_twin/library.h"
#include "tests/support/cuda_twin/state.h"

namespace einsummable::cuda_twin {
namespace {

using namespace cuda;

// Gives the injected status, if there is one, before a function does anything.
#define ES_TWIN(function)                 \
  Twin::State& twin = *running();         \
  const std::lock_guard lock(twin.mutex); \
  if (const Status injected = twin.injected_for(#function); injected != Status::ok) return injected

void write_text(char* to, size_t capacity, const std::string& text) {
  const size_t length = std::min(text.size(), capacity - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

void last_error(char* text, uint64_t capacity) { write_text(text, capacity, running()->error); }

Status library(int32_t number, LibraryInfo* info) {
  ES_TWIN(library);
  if (number != 0) return twin.failed(Status::missing, "there is one library");
  *info = {};
  write_text(info->name, sizeof info->name, "host twin");
  write_text(info->version, sizeof info->version, "1");
  return Status::ok;
}

Status device_count(int32_t* count) {
  ES_TWIN(device_count);
  *count = twin.options.devices;
  return Status::ok;
}

Status device(int32_t number, DeviceInfo* info) {
  ES_TWIN(device);
  if (!twin.is_device(number)) return twin.failed(Status::failed, "there is no such device");
  *info = {};
  write_text(info->name, sizeof info->name, "twin");
  write_text(info->bus, sizeof info->bus, "0000:0" + std::to_string(number % 10) + ":00.0");
  info->architecture = twin.architecture(number);
  info->processors = 1;
  info->shared_memory = 48 << 10;
  info->clock_khz = 1000000;
  info->memory = twin.options.memory;
  info->free_memory = twin.memories.free_bytes(number);
  return Status::ok;
}

Status can_reach(int32_t from, int32_t to, int32_t* can) {
  ES_TWIN(can_reach);
  *can = from == to || twin.options.peers(from, to);
  return Status::ok;
}

Status enable_peer(int32_t from, int32_t to) {
  ES_TWIN(enable_peer);
  if (!twin.options.peers(from, to)) return twin.failed(Status::failed, "no peer access there");
  twin.reached.insert({from, to});
  return Status::ok;
}

Status allocate(int32_t number, uint64_t bytes, Address* address) {
  ES_TWIN(allocate);
  if (!twin.is_device(number)) return twin.failed(Status::failed, "there is no such device");
  if (bytes == 0) return twin.failed(Status::failed, "nothing is allocated");
  *address = twin.memories.allocate(number, bytes);
  if (*address != 0) return Status::ok;
  return twin.failed(Status::out_of_memory,
                     std::to_string(twin.memories.free_bytes(number)) + " bytes are free");
}

Status release(int32_t, Address address) {
  ES_TWIN(release);
  if (twin.memories.release(address)) return Status::ok;
  return twin.failed(Status::failed, "nothing is allocated there");
}

Status allocate_pinned(uint64_t bytes, void** memory, Address* address) {
  ES_TWIN(allocate_pinned);
  if (bytes == 0) return twin.failed(Status::failed, "nothing is allocated");
  *address = twin.memories.allocate(kHost, bytes);
  if (*address == 0) return twin.failed(Status::out_of_memory, "pinned memory is full");
  *memory = twin.memories.data(*address);
  return Status::ok;
}

Status release_pinned(void* memory) {
  ES_TWIN(release_pinned);
  if (twin.memories.release(twin.memories.pinned(memory))) return Status::ok;
  return twin.failed(Status::failed, "that is no pinned memory");
}

Status copy(const Copy* copy) {
  ES_TWIN(copy);
  const std::string what = twin.copy(*copy, true);
  return what.empty() ? Status::ok : twin.failed(Status::failed, what);
}

Status compiler(char* text, uint64_t capacity) {
  ES_TWIN(compiler);
  write_text(text, capacity, "host");
  return Status::ok;
}

// The image is the unit itself: it is compiled with others once a graph is made ready.
Status compile(const char* source, const char*, int32_t, const void** image, uint64_t* bytes) {
  ES_TWIN(compile);
  const std::string text = source;
  char* copied = new char[text.size()];
  std::memcpy(copied, text.data(), text.size());
  *image = copied;
  *bytes = text.size();
  return Status::ok;
}

void free_image(const void* image) { delete[] static_cast<const char*>(image); }

Status load(const void* image, uint64_t bytes, const char* name, Module* module,
            Function* function) {
  ES_TWIN(load);
  const std::string text(static_cast<const char*>(image), bytes);
  const size_t begin = text.rfind("ES_KERNEL(" + std::string(name));
  if (begin == std::string::npos)
    return twin.failed(Status::failed, "the image has no such kernel");
  twin.definitions[name] = text.substr(begin);
  *module = *function = twin.next++;
  twin.modules[*module] = twin.functions[*function] = name;
  return Status::ok;
}

Status unload(Module module) {
  ES_TWIN(unload);
  twin.modules.erase(module);
  return Status::ok;
}

Status create_graph(GraphHandle* graph) {
  ES_TWIN(create_graph);
  *graph = twin.next++;
  twin.graphs[*graph];
  return Status::ok;
}

Status add(Twin::State& twin, GraphHandle graph, const Node* after, uint64_t count, Recorded node,
           Node* made) {
  std::vector<Recorded>& nodes = twin.graphs.at(graph);
  node.after.assign(after, after + count);
  for (Node before : node.after) {
    if (before < 1 || before > nodes.size()) return twin.failed(Status::failed, "no such node");
    if (std::ranges::count(node.after, before) > 1) {
      return twin.failed(Status::failed, "a node comes twice after another");
    }
  }
  nodes.push_back(std::move(node));
  *made = nodes.size();
  return Status::ok;
}

Status add_kernel(GraphHandle graph, const Node* after, uint64_t count, const KernelLaunch* launch,
                  Node* node) {
  ES_TWIN(add_kernel);
  if (launch->blocks < 1 || launch->threads < 1 || launch->threads > 1024) {
    return twin.failed(Status::failed, "a kernel of no threads, or of too many");
  }
  if (!twin.functions.contains(launch->function)) {
    return twin.failed(Status::failed, "there is no such kernel");
  }
  const Address* arguments = launch->arguments;
  return add(twin, graph, after, count,
             {.after = {},
              .work = Recorded::Kernel{*launch, {arguments, arguments + launch->argument_count}}},
             node);
}

Status add_copy(GraphHandle graph, const Node* after, uint64_t count, const Copy* copy,
                Node* node) {
  ES_TWIN(add_copy);
  if (copy->bytes == 0) return twin.failed(Status::failed, "a copy of nothing");
  return add(twin, graph, after, count, {.after = {}, .work = *copy}, node);
}

Status has_product(const Product* product) {
  ES_TWIN(has_product);
  if (serves(*product)) return Status::ok;
  return twin.failed(Status::unsupported, "cuBLASLt has no such epilogue");
}

Status add_product(GraphHandle graph, const Node* after, uint64_t count, const Product* product,
                   Node* node) {
  ES_TWIN(add_product);
  return add(twin, graph, after, count, {.after = {}, .work = *product}, node);
}

Status add_attention(GraphHandle graph, const Node* after, uint64_t count,
                     const Attention* attention, Node* node) {
  ES_TWIN(add_attention);
  return add(twin, graph, after, count, {.after = {}, .work = *attention}, node);
}

Status destroy_graph(GraphHandle graph) {
  ES_TWIN(destroy_graph);
  twin.graphs.erase(graph);
  return Status::ok;
}

Status instantiate(GraphHandle graph, Launchable* launchable) {
  ES_TWIN(instantiate);
  std::vector<Recorded> nodes = twin.graphs.at(graph);
  if (twin.options.tamper) twin.options.tamper(nodes);
  try {
    twin.compiler.add(twin.definitions);
  } catch (const Error& fault) {
    return twin.failed(Status::failed, fault.what());
  }
  *launchable = twin.next++;
  twin.launchables[*launchable].nodes = std::move(nodes);
  return Status::ok;
}

Status destroy_launchable(Launchable launchable) {
  ES_TWIN(destroy_launchable);
  twin.launchables.erase(launchable);
  return Status::ok;
}

Status launch(Launchable launchable) {
  ES_TWIN(launch);
  Twin::State::Ready& ready = twin.launchables.at(launchable);
  if (ready.polls > 0) return twin.failed(Status::failed, "a launch while another runs");
  ++twin.launches;
  ready.polls = 1 + static_cast<int64_t>(twin.random() % 3);
  ready.error = twin.run(ready.nodes);
  ready.status = ready.error.empty() ? Status::ok : Status::failed;
  return Status::ok;
}

Status poll(Launchable launchable) {
  ES_TWIN(poll);
  Twin::State::Ready& ready = twin.launchables.at(launchable);
  if (twin.hangs || (ready.polls > 0 && --ready.polls > 0)) return Status::not_ready;
  return ready.status == Status::ok ? Status::ok : twin.failed(ready.status, ready.error);
}

constexpr Api kApi{.version = kApiVersion,
                   .last_error = last_error,
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

Twin::Twin(TwinOptions options) : state_(std::make_unique<State>(std::move(options))) {
  ensure(running() == nullptr, "one twin is there at a time");
  set_running(state_.get());
}

Twin::~Twin() { set_running(nullptr); }

const cuda::Api& Twin::api() const { return kApi; }

void Twin::fail(const std::string& function, int64_t nth, cuda::Status status) {
  state_->injected[function].emplace_back(nth, status);
}

void Twin::hang() { state_->hangs = true; }
void Twin::release_hang() { state_->hangs = false; }

int64_t Twin::unreleased() const {
  return static_cast<int64_t>(state_->memories.allocations() + state_->modules.size() +
                              state_->graphs.size() + state_->launchables.size());
}

int64_t Twin::launches() const { return state_->launches; }

}  // namespace einsummable::cuda_twin
