// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "einsummable/tensor/interval.h"
#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

using Random = std::mt19937_64;

inline int64_t pick(Random& random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

// Unit roundoff of a float dtype.
inline double roundoff(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 0x1p-24;
    case DType::f64:
      return 0x1p-53;
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

// What rounding to `dtype` may lose of a value too small for it to be normal.
inline double least(DType dtype) {
  return dtype == DType::f16 ? 0x1p-24 : is_float(dtype) ? 0x1p-126 : 0;
}

// A block in memory of its own: any strides, with other bytes around and between its elements.
class Block {
 public:
  // Dense, row-major.
  Block(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
    strides_ = row_major_strides(shape_);
    allocate(0);
  }

  // Axes in any order in memory, gaps between rows, axes that run backwards, an odd beginning.
  static Block scattered(DType dtype, const Shape& shape, Random& random) {
    Block block(dtype, shape);
    std::vector<size_t> order(shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    int64_t stride = pick(random, 0, 3) == 0 ? 2 : 1;
    for (size_t axis : order) {
      block.strides_[axis] = pick(random, 0, 4) == 0 ? -stride : stride;
      stride = stride * std::max<int64_t>(shape[axis], 1) + pick(random, 0, 1) * pick(random, 0, 3);
    }
    block.allocate(pick(random, 0, 5));
    return block;
  }

  // Like scattered, but some axes have stride 0: for inputs only.
  static Block broadcast(DType dtype, const Shape& shape, Random& random) {
    Block block = scattered(dtype, shape, random);
    for (int64_t& stride : block.strides_) stride *= pick(random, 0, 2) == 0 ? 0 : 1;
    return block;
  }

  static Block any(DType dtype, const Shape& shape, Random& random) {
    const int64_t kind = pick(random, 0, 3);
    if (kind == 0) return Block(dtype, shape);
    return kind == 1 ? broadcast(dtype, shape, random) : scattered(dtype, shape, random);
  }

  StridedView view() { return {data(), dtype_, shape_, strides_}; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const std::vector<int64_t>& strides() const { return strides_; }

  double at(const std::vector<int64_t>& position) const {
    return load_element(dtype_, memory_.data() + byte(position));
  }
  void set(const std::vector<int64_t>& position, double value) {
    store_element(dtype_, memory_.data() + byte(position), value);
  }

  // Calls visit(position) for every position, in row-major order.
  void each(const std::function<void(const std::vector<int64_t>&)>& visit) const {
    each_position(shape_, visit);
  }
  static void each_position(const Shape& shape,
                            const std::function<void(const std::vector<int64_t>&)>& visit) {
    if (std::ranges::find(shape, 0) != shape.end()) return;
    std::vector<int64_t> position(shape.size(), 0);
    while (true) {
      visit(position);
      size_t axis = shape.size();
      while (axis > 0 && ++position[axis - 1] == shape[axis - 1]) position[--axis] = 0;
      if (axis == 0) return;
    }
  }

  void fill(const std::function<double()>& value) {
    each([&](const std::vector<int64_t>& position) { set(position, value()); });
  }
  void fill_normal(Random& random, double scale = 1) {
    std::normal_distribution<double> normal(0, scale);
    fill([&] { return normal(random); });
  }
  void fill_integers(Random& random, int64_t lo, int64_t hi) {
    fill([&] { return static_cast<double>(pick(random, lo, hi)); });
  }

  // Whether every byte that belongs to no element is as it was made.
  bool gaps_untouched() const {
    std::vector<bool> used(memory_.size(), false);
    each([&](const std::vector<int64_t>& position) {
      const size_t begin = byte(position);
      for (size_t i = 0; i < static_cast<size_t>(size_of(dtype_)); ++i) used[begin + i] = true;
    });
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (!used[i] && memory_[i] != kGap) return false;
    }
    return true;
  }

  // The bytes of all elements in row-major order.
  std::string bits() const {
    std::string result;
    each([&](const std::vector<int64_t>& position) {
      result.append(reinterpret_cast<const char*>(memory_.data() + byte(position)),
                    static_cast<size_t>(size_of(dtype_)));
    });
    return result;
  }

 private:
  static constexpr std::byte kGap{0xA5};

  void allocate(int64_t skip) {
    int64_t lowest = 0, highest = 0;
    for (size_t i = 0; i < shape_.size(); ++i) {
      const int64_t reach = strides_[i] * std::max<int64_t>(shape_[i] - 1, 0);
      (reach < 0 ? lowest : highest) += reach;
    }
    begin_ = skip - lowest;
    memory_.assign(static_cast<size_t>((highest + begin_ + 8) * size_of(dtype_)), kGap);
  }
  std::byte* data() { return memory_.data() + begin_ * size_of(dtype_); }
  size_t byte(const std::vector<int64_t>& position) const {
    int64_t offset = begin_;
    for (size_t i = 0; i < position.size(); ++i) offset += position[i] * strides_[i];
    return static_cast<size_t>(offset * size_of(dtype_));
  }

  DType dtype_;
  Shape shape_;
  std::vector<int64_t> strides_;
  int64_t begin_ = 0;
  std::vector<std::byte> memory_;
};

// Exactly `bytes` of workspace, aligned as kernels want it, filled with NaNs.
class Scratch {
 public:
  explicit Scratch(int64_t bytes)
      : size_(static_cast<size_t>(bytes)), memory_(size_ + 64, std::byte{0xFF}) {}
  std::span<std::byte> bytes() {
    const size_t past = reinterpret_cast<uintptr_t>(memory_.data()) % 64;
    return std::span(memory_).subspan((64 - past) % 64, size_);
  }

 private:
  size_t size_;
  std::vector<std::byte> memory_;
};

// Whether `got` is the value `want` up to `bound`; NaN and infinities must be equal.
inline bool agree(double got, double want, double bound) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= bound;
}

}  // namespace einsummable::cpu
