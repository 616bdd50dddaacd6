// SPDX-License-Identifier: Apache-2.0
#include "einsummable/tensor/interval.h"

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {

Box box_of(std::span<const int64_t> shape) {
  Box box(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) box[i] = {0, shape[i]};
  return box;
}

Shape shape_of(const Box& box) {
  Shape shape(box.size());
  for (size_t i = 0; i < box.size(); ++i) shape[i] = box[i].length();
  return shape;
}

PerAxis extents_of(const Box& box) {
  PerAxis extents(box.size());
  for (size_t i = 0; i < box.size(); ++i) extents[i] = box[i].length();
  return extents;
}

int64_t elements(const Box& box) {
  int64_t count = 1;
  for (Interval axis : box) count = checked_multiply(count, axis.length());
  return count;
}

int64_t elements(std::span<const int64_t> shape) { return checked_product(shape); }

Box intersect(const Box& a, const Box& b) {
  ensure(a.size() == b.size(), "boxes of different rank");
  Box out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = intersect(a[i], b[i]);
  return out;
}

Box shifted_to(const Box& box, const Box& origin) {
  ensure(box.size() == origin.size(), "boxes of different rank");
  Box out(box.size());
  for (size_t i = 0; i < box.size(); ++i) {
    out[i] = {box[i].lo - origin[i].lo, box[i].hi - origin[i].lo};
  }
  return out;
}

void subtract(std::vector<Box>& boxes, const Box& taken) {
  for (size_t at = 0; at < boxes.size(); ++at) {
    if (!meet(boxes[at], taken)) continue;
    // The sides of what is taken, axis after axis; the first stands in the box's own place.
    Box rest = boxes[at];
    bool replaced = false;
    for (size_t i = 0; i < rest.size(); ++i) {
      const Interval common = intersect(rest[i], taken[i]);
      for (const Interval side :
           {Interval{rest[i].lo, common.lo}, Interval{common.hi, rest[i].hi}}) {
        if (side.empty()) continue;
        if (replaced) {
          ++at;
          boxes.insert(boxes.begin() + static_cast<std::ptrdiff_t>(at), rest);
        } else {
          boxes[at] = rest;
        }
        boxes[at][i] = side;
        replaced = true;
      }
      rest[i] = common;
    }
    if (!replaced) boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(at--));
  }
}

std::string text(const Box& box) {
  std::vector<std::string> axes;
  for (Interval axis : box) axes.push_back(std::to_string(axis.lo) + ":" + std::to_string(axis.hi));
  return "[" + join(axes, ", ") + "]";
}

std::string text(std::span<const int64_t> shape) {
  std::vector<std::string> axes;
  for (int64_t extent : shape) axes.push_back(std::to_string(extent));
  return "[" + join(axes, ", ") + "]";
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = checked_multiply(strides[i], std::max<int64_t>(shape[i], 1));
  }
  return strides;
}

PerAxis row_major_strides(const Box& box) {
  PerAxis strides(box.size(), 1);
  for (size_t i = box.size(); i-- > 1;) {
    strides[i - 1] = checked_multiply(strides[i], std::max<int64_t>(box[i].length(), 1));
  }
  return strides;
}

}  // namespace einsummable
