// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

namespace einsummable {

// Lets long work be stopped, as by Ctrl-C: the work calls `check` in its loops.
//   Interruption ctrl_c([] { return pressed(); });
//   for (const Layer& layer : layers) { ctrl_c.check(); plan(layer); }
// One thread's: each piece of work has its own.
class Interruption {
 public:
  // Never stops the work.
  Interruption() = default;
  // `asked` says whether to stop; it is called about every 10 ms.
  explicit Interruption(std::function<bool()> asked) : asked_(std::move(asked)) {}

  // Throws Error if the work is to stop.
  void check() const {
    if (asked_) ask();
  }

 private:
  void ask() const;

  std::function<bool()> asked_;
  mutable std::chrono::steady_clock::time_point next_;
};

}  // namespace einsummable
