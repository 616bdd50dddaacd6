// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace einsummable {

// A std::vector of trivially copyable elements that keeps up to N of them in itself: plans hold
// hundreds of thousands of boxes of few axes.
template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(size_t n, const T& value = T()) { resize(n, value); }
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <std::input_iterator It>
  SmallVector(It first, It last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& other) { *this = other; }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (heap_ || other.heap_) {
      if (this != &other) assign(other.begin(), other.end());
    } else {
      std::copy(other.inline_, other.inline_ + N, inline_);  // of a fixed length: no loop
      size_ = other.size_;
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() = default;

  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    const size_t grown = std::max(n, size_t{2} * capacity_);
    std::unique_ptr<T[]> larger(new T[grown]);
    std::copy(begin(), end(), larger.get());
    heap_ = std::move(larger);
    capacity_ = static_cast<uint32_t>(grown);
  }
  void resize(size_t n, const T& value = T()) {
    const T filler = value;
    reserve(n);
    if (n > size_) std::fill(data() + size_, data() + n, filler);
    size_ = static_cast<uint32_t>(n);
  }
  void assign(size_t n, const T& value) {
    const T filler = value;
    clear();
    resize(n, filler);
  }
  template <std::input_iterator It>
  void assign(It first, It last) {
    clear();
    if constexpr (std::forward_iterator<It>)
      reserve(static_cast<size_t>(std::distance(first, last)));
    for (; first != last; ++first) push_back(*first);
  }
  void push_back(const T& value) {
    const T copy = value;
    reserve(size_ + 1);
    data()[size_++] = copy;
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    push_back(T{std::forward<Args>(args)...});
    return back();
  }
  void pop_back() { --size_; }
  iterator insert(const_iterator position, const T& value) {
    return insert(position, &value, &value + 1);
  }
  template <std::input_iterator It>
  iterator insert(const_iterator position, It first, It last) {
    const auto at = position - begin();
    const auto old = static_cast<std::ptrdiff_t>(size_);
    for (; first != last; ++first) push_back(*first);
    std::rotate(begin() + at, begin() + old, end());
    return begin() + at;
  }
  iterator erase(const_iterator position) { return erase(position, position + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    iterator to = begin() + (first - begin());
    std::copy(last, const_iterator(end()), to);
    size_ -= static_cast<uint32_t>(last - first);
    return to;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void take(SmallVector& other) noexcept {
    heap_ = std::move(other.heap_);
    capacity_ = std::exchange(other.capacity_, uint32_t{N});
    size_ = std::exchange(other.size_, 0u);
    if (!heap_) std::copy(other.inline_, other.inline_ + N, inline_);
  }

  uint32_t size_ = 0, capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N] = {};
};

}  // namespace einsummable
