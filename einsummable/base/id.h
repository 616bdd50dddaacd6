// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace einsummable {

// A dense 32-bit id: an index into the vector that owns things of its kind. Ids of different tags
// do not mix.
template <class Tag>
struct Id {
  int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(int64_t v) : value(static_cast<int32_t>(v)) {}

  constexpr size_t index() const { return static_cast<size_t>(value); }
  constexpr bool valid() const { return value >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace einsummable

template <class Tag>
struct std::hash<einsummable::Id<Tag>> {
  size_t operator()(einsummable::Id<Tag> id) const noexcept {
    return std::hash<int32_t>()(id.value);
  }
};
