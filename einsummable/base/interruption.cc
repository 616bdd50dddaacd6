// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/interruption.h"

#include "einsummable/base/error.h"

namespace einsummable {

void Interruption::ask() const {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  if (asked_()) throw Error("interrupted");
  next_ = now + std::chrono::milliseconds(10);
}

}  // namespace einsummable
