// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernel_library.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/source.h"
#include "einsummable/executor/cuda/status.h"

namespace einsummable::cuda {
namespace {

std::string compiler_of(const Api& api) {
  std::array<char, 128> text{};
  check(api, api.compiler(text.data(), text.size()), "kernels cannot be compiled");
  text.back() = 0;
  return text.data();
}

std::string compiled(const Api& api, const std::string& text, const std::string& name,
                     int32_t architecture) {
  const void* image = nullptr;
  uint64_t bytes = 0;
  check(api, api.compile(text.c_str(), name.c_str(), architecture, &image, &bytes),
        "compiling the kernel " + name + " for sm_" + std::to_string(architecture));
  std::string out(static_cast<const char*>(image), bytes);
  api.free_image(image);
  return out;
}

// Calls work(i) for every i below `count` on up to `threads` threads, this one among them, which
// alone asks `interruption`. Throws what the first call that threw did.
template <class Work>
void for_each_index(size_t count, int64_t threads, const Interruption& interruption,
                    const Work& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> errors(
      std::clamp<size_t>(static_cast<size_t>(threads), 1, std::max<size_t>(count, 1)));
  const auto take = [&](size_t thread) {
    try {
      for (size_t i = next++; i < count; i = next++) {
        if (thread == 0) interruption.check();
        work(i);
      }
    } catch (...) {
      errors[thread] = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t thread = 1; thread < errors.size(); ++thread) others.emplace_back(take, thread);
    take(0);
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace

KernelLibrary::KernelLibrary(const Api& api, std::string folder, int64_t threads)
    : api_(&api), files_(std::move(folder)), threads_(threads) {}

std::string KernelLibrary::image_of(const KernelSource& source, int32_t architecture) const {
  const std::string name = kernel_name(source), text = unit(source);
  const std::string file = name + "." + std::to_string(architecture);
  const std::string key = compiler_of(*api_) + "\nsm_" + std::to_string(architecture) + "\n" + text;
  if (auto kept = files_.find(file, key)) return *std::move(kept);
  std::string image = compiled(*api_, text, name, architecture);
  files_.keep(file, key, image);
  return image;
}

void KernelLibrary::add(std::span<const KernelSource> sources, int32_t architecture,
                        const Interruption& interruption) {
  std::map<Key, const KernelSource*> wanted;
  for (const KernelSource& source : sources) {
    Key key{architecture, definition(source)};
    if (!loaded_.contains(key)) wanted.emplace(std::move(key), &source);
  }
  const std::vector<std::pair<Key, const KernelSource*>> missing(wanted.begin(), wanted.end());
  std::vector<std::string> images(missing.size());
  for_each_index(missing.size(), threads_, interruption,
                 [&](size_t i) { images[i] = image_of(*missing[i].second, architecture); });
  for (size_t i = 0; i < missing.size(); ++i) {
    const std::string name = kernel_name(*missing[i].second);
    Module module = 0;
    Loaded loaded;
    check(*api_,
          api_->load(images[i].data(), images[i].size(), name.c_str(), &module, &loaded.function),
          "loading the kernel " + name);
    loaded.module = Owned(UnloadModule{api_, module});
    loaded_.emplace(missing[i].first, std::move(loaded));
  }
}

Function KernelLibrary::function(const KernelSource& source, int32_t architecture) const {
  const auto found = loaded_.find({architecture, definition(source)});
  ensure(found != loaded_.end(), "the kernel was added");
  return found->second.function;
}

void KernelLibrary::abandon() {
  for (auto& [key, loaded] : loaded_) loaded.module.abandon();
}

}  // namespace einsummable::cuda
