// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/host_copies.h"

#include <functional>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/status.h"
#include "einsummable/tensor/tensor_type.h"

namespace einsummable::cuda {
namespace {

// From the lowest element of a block to the highest, as offsets from its element 0.
struct Range {
  int64_t lowest = 0, highest = 0;
  int64_t length() const { return highest - lowest + 1; }
};

Range range_of(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  Range range;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t end = (shape[i] - 1) * strides[i];
    (end < 0 ? range.lowest : range.highest) += end;
  }
  return range;
}

// Calls `use` with boxes that make up `shape`, none of which covers more than `most` elements of a
// block with these strides: whole if it does not, else cut along the first axis of several
// elements, again and again.
void for_each_part(const Shape& shape, std::span<const int64_t> strides, int64_t most,
                   const std::function<void(const Box&)>& use) {
  std::vector<Box> parts{box_of(shape)};
  while (!parts.empty()) {
    const Box part = std::move(parts.back());
    parts.pop_back();
    const Shape extents = shape_of(part);
    const auto cut = std::ranges::find_if(part, [](Interval axis) { return axis.length() > 1; });
    if (range_of(extents, strides).length() <= most || cut == part.end()) {
      use(part);
      continue;
    }
    const auto axis = static_cast<size_t>(cut - part.begin());
    const int64_t middle = (cut->lo + cut->hi) / 2;
    Box second = part, first = part;
    first[axis].hi = second[axis].lo = middle;
    parts.push_back(std::move(second));
    parts.push_back(std::move(first));
  }
}

int64_t offset_of(const Box& part, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < part.size(); ++i) offset += part[i].lo * strides[i];
  return offset;
}

// The part of a whole view; `shape` is the part's and outlives it.
StridedView part_of(const StridedView& whole, const Box& part, const Shape& shape) {
  return {whole.data + offset_of(part, whole.strides) * size_of(whole.dtype), whole.dtype, shape,
          whole.strides};
}

}  // namespace

HostCopies::HostCopies(const Api& api, int64_t bytes)
    : api_(&api), pinned_(api, bytes, "inputs and outputs") {}

void HostCopies::upload(const StridedView& from, DType dtype, int32_t device, Address address) {
  const Shape shape(from.shape.begin(), from.shape.end());
  if (elements(shape) == 0) return;
  const std::vector<int64_t> dense = row_major_strides(shape);
  const int64_t size = size_of(dtype), most = static_cast<int64_t>(pinned_.bytes().size()) / size;
  for_each_part(shape, dense, most, [&](const Box& part) {
    const Shape extents = shape_of(part);
    const std::vector<int64_t> strides = row_major_strides(extents);
    copy_elements(part_of(from, part, extents), {pinned_.bytes().data(), dtype, extents, strides});
    copy({.from = pinned_.address(),
          .to = address + static_cast<uint64_t>(offset_of(part, dense) * size),
          .from_device = kHost,
          .to_device = device,
          .bytes = static_cast<uint64_t>(elements(extents) * size)},
         "loading to ");
  });
}

void HostCopies::download(int32_t device, Address address, std::span<const int64_t> strides,
                          const StridedView& to) {
  const Shape shape(to.shape.begin(), to.shape.end());
  if (elements(shape) == 0) return;
  const int64_t size = size_of(to.dtype);
  const int64_t most = static_cast<int64_t>(pinned_.bytes().size()) / size;
  for_each_part(shape, strides, most, [&](const Box& part) {
    const Shape extents = shape_of(part);
    const Range range = range_of(extents, strides);
    copy({.from = address + static_cast<uint64_t>((offset_of(part, strides) + range.lowest) * size),
          .to = pinned_.address(),
          .from_device = device,
          .to_device = kHost,
          .bytes = static_cast<uint64_t>(range.length() * size)},
         "fetching from ");
    std::byte* first = pinned_.bytes().data() - range.lowest * size;
    copy_elements({first, to.dtype, extents, strides}, part_of(to, part, extents));
  });
}

void HostCopies::copy(const Copy& copy, const std::string& what) {
  const Status status = api_->copy(&copy);
  if (status == Status::ok) return;
  const int32_t device = copy.from_device == kHost ? copy.to_device : copy.from_device;
  check(*api_, status,
        what + describe_device(*api_, device) + " " + std::to_string(copy.bytes) + " bytes");
}

}  // namespace einsummable::cuda
