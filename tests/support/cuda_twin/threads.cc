// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/threads.h"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace einsummable::cuda_twin {
namespace {

constexpr size_t kStackBytes = size_t{1} << 17;

// A context, and what sanitizers want to be told of one.
struct Context {
  ucontext_t context = {};
  std::unique_ptr<char[]> stack;
  void* fake_stack = nullptr;
  void* tsan = nullptr;
  bool ended = false;

  const void* bottom() const { return stack.get(); }
};

}  // namespace

struct Threads::Fibres {
  Context home;
  const void* home_bottom = nullptr;
  size_t home_bytes = 0;
  std::vector<Context> fibres;
  size_t running = 0;
  Threads* owner = nullptr;

  static void enter(unsigned high, unsigned low);
  void prepare(size_t count);
  void start(size_t i);
  void to_fibre(size_t i);
  void to_home(bool ends);
};

void Threads::Fibres::prepare(size_t count) {
  while (fibres.size() < count) {
    Context& fibre = fibres.emplace_back();
    fibre.stack = std::make_unique<char[]>(kStackBytes);
  }
#if defined(__SANITIZE_THREAD__)
  home.tsan = __tsan_get_current_fiber();
#endif
}

void Threads::Fibres::start(size_t i) {
  Context& fibre = fibres[i];
  fibre.ended = false;
  fibre.fake_stack = nullptr;
  getcontext(&fibre.context);
  fibre.context.uc_stack.ss_sp = fibre.stack.get();
  fibre.context.uc_stack.ss_size = kStackBytes;
  fibre.context.uc_link = nullptr;
  const auto address = reinterpret_cast<uintptr_t>(this);
  makecontext(&fibre.context, reinterpret_cast<void (*)()>(&enter), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
#if defined(__SANITIZE_THREAD__)
  if (!fibre.tsan) fibre.tsan = __tsan_create_fiber(0);
#endif
}

void Threads::Fibres::enter(unsigned high, unsigned low) {
  auto* fibres = reinterpret_cast<Fibres*>((static_cast<uintptr_t>(high) << 32) | uintptr_t{low});
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &fibres->home_bottom, &fibres->home_bytes);
#endif
  fibres->owner->kernel_(fibres->owner->arguments_);
  fibres->fibres[fibres->running].ended = true;
  fibres->to_home(true);
}

void Threads::Fibres::to_fibre(size_t i) {
  running = i;
  Context& fibre = fibres[i];
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&home.fake_stack, fibre.bottom(), kStackBytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(fibre.tsan, 0);
#endif
  swapcontext(&home.context, &fibre.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(home.fake_stack, nullptr, nullptr);
#endif
}

void Threads::Fibres::to_home(bool ends) {
  Context& fibre = fibres[running];
  (void)ends;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(ends ? nullptr : &fibre.fake_stack, home_bottom, home_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(home.tsan, 0);
#endif
  swapcontext(&fibre.context, &home.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fibre.fake_stack, nullptr, nullptr);
#endif
}

Threads::Threads(uint64_t seed, Thread& current)
    : random_(seed), current_(current), fibres_(std::make_unique<Fibres>()) {
  fibres_->owner = this;
}

Threads::~Threads() {
#if defined(__SANITIZE_THREAD__)
  for (Context& fibre : fibres_->fibres) {
    if (fibre.tsan) __tsan_destroy_fiber(fibre.tsan);
  }
#endif
}

const char* Threads::run(Kernel kernel, const unsigned long long* arguments, int64_t blocks,
                         int32_t threads, bool barriers) {
  kernel_ = kernel;
  arguments_ = arguments;
  current_.count = threads;
  current_.blocks = blocks;
  in_fibre_ = barriers;
  order_.resize(static_cast<size_t>(threads));
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<int64_t> order(static_cast<size_t>(blocks));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::shuffle(order, random_);
  for (int64_t block : order) {
    current_.block = block;
    shared_.clear();
    std::ranges::shuffle(order_, random_);
    if (!barriers) {
      run_block();
    } else if (const char* fault = run_block_with_barriers()) {
      return fault;
    }
  }
  return nullptr;
}

void Threads::run_block() {
  for (int32_t thread : order_) {
    current_.index = thread;
    kernel_(arguments_);
  }
}

const char* Threads::run_block_with_barriers() {
  fibres_->prepare(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) fibres_->start(i);
  for (;;) {
    size_t ended = 0;
    for (int32_t thread : order_) {
      const auto i = static_cast<size_t>(thread);
      current_.index = thread;
      fibres_->to_fibre(i);
      if (fibres_->fibres[i].ended) ++ended;
    }
    if (ended == order_.size()) return nullptr;
    if (ended > 0) return "has a barrier that not all threads of a block reach";
    std::ranges::shuffle(order_, random_);
  }
}

bool Threads::wait_at_barrier() {
  if (in_fibre_) fibres_->to_home(false);
  return in_fibre_;
}

void Threads::share(void* array, uint64_t bytes) {
  if (std::ranges::find(shared_, array) != shared_.end()) return;
  shared_.push_back(array);
  std::memset(array, 0xff, bytes);  // NaN as a float, -1 as an integer
}

}  // namespace einsummable::cuda_twin
