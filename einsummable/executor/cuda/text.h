// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "einsummable/executor/cuda/kernel.h"

namespace einsummable::cuda {

// What kernels' texts are put together from. Kernels are generated for the very shapes and strides
// of their blocks: these are numbers in the text, and addresses its only arguments.

// The C++ type of an element in memory: float, double, Half, Bfloat, int, long long, Boolean.
std::string element_type(DType dtype);

// A constant as an expression of type Value<element type>.
std::string constant(DType dtype, double value);
std::string integer_constant(int64_t value);

// "ES_READ(float) in0, ES_READ(Half) in1, ES_WRITE(float) out0"
std::string parameters(std::span<const Block> reads, std::span<const Block> writes);
// The arguments of those: read 0, read 1, ..., write 0, ...
std::vector<Argument> arguments(size_t reads, size_t writes);

// Axes that several blocks are walked along together, outermost first. Axes of extent 1 are
// dropped, and neighbours that every block crosses evenly are one.
struct Axes {
  Shape extents;
  std::vector<std::vector<int64_t>> strides;  // a block each, in elements

  int64_t elements() const;
};
Axes collapse(const Shape& shape, std::vector<std::vector<int64_t>> strides);

// How many elements along the last axis a thread may read or write of each block at once, 16 bytes
// at most: those of which each block has all side by side and aligned, or one for all of them. 1 if
// there are no such groups. `blocks` are those of the axes, and the axes' groups count from 0 as
// elements do.
int64_t group_of(const Axes& axes, std::span<const Block> blocks);
Axes in_groups(Axes axes, int64_t group);

// Lines that declare, for the element number `index` of the axes in row-major order, the offset of
// each block under its name:
//   offsets(axes, "i", {"a", "b"}) ->  const int i0 = i / 8, i1 = i % 8;
//                                      const long long a = i0 * 16 + i1, b = i1;
std::string offsets(const Axes& axes, std::string_view index, std::span<const std::string> names);

// The same without joining axes: lines that declare the position x0, x1, ... of element `index`.
std::string position(const Shape& shape, std::string_view index, std::string_view prefix);
// The offset of the element at such a position, as "x0 * 16 + x1 + 8".
std::string place(std::span<const int64_t> strides, std::string_view prefix, int64_t constant = 0);

// A kernel that does `body` for every element number `i` below `elements`.
GeneratedKernel loop_kernel(std::span<const Block> reads, std::span<const Block> writes,
                            int64_t elements, const std::string& body);

// Blocks of `threads` threads that a kernel with ES_LOOP over so many elements is launched with: at
// least 1, and no more than keep any device busy.
int64_t blocks_for(int64_t elements, int32_t threads);

}  // namespace einsummable::cuda
