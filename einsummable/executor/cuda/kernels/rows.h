// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/cuda/text.h"

namespace einsummable::cuda {

// A kernel over rows: for every position of some axes, the elements along the others. A group of
// threads has a row; a block has several rows, one after another if there are many.
//
// Where neighbouring elements of a row lie side by side in memory, so do the threads of a group;
// else the threads of neighbouring rows.
//
// A kernel that may cut rows does so where few rows would leave a device idle, or a thread would
// sum too many elements one after another: a group of threads then has a part of a row. How many
// parts there are depends on the extents alone, so that bits repeat.
class RowKernel {
 public:
  static constexpr int32_t kThreads = 256;  // of a block

  // `blocks` are walked: strides over the axes that tell rows apart, and along rows (0 along axes
  // that a block lacks). The first decides how threads lie.
  struct Walk {
    std::string name;  // offsets are `<name>_row` of the row, and `<name>` of an element
    std::vector<int64_t> rows, along;
  };
  enum class Cuts : uint8_t { none, parts };
  RowKernel(const Shape& rows, const Shape& along, std::vector<Walk> walks, Cuts cuts = Cuts::none);

  int64_t rows() const { return rows_; }
  int64_t length() const { return length_; }
  // Parts of each row. `part_of_all` is the number of a part in the kernel's text: that of row i is
  // part * rows() + i.
  int64_t parts() const { return parts_; }
  // Threads that have a row, and how far apart in the block neighbours among them lie.
  int32_t group() const { return group_; }
  int32_t apart() const { return side_by_side_ ? 1 : rows_a_block(); }

  // Does `body` for each element of a row that this thread has. Its number in the row is `r`; each
  // walk's offset is there under its name.
  std::string each(const std::string& body) const;

  // The same where the elements' values were kept by `keep`: `x` is the value.
  std::string each_kept(const std::string& body) const;
  // Loads the elements of a row that a thread has, `load` each, into registers if they are few.
  std::string keep(DType dtype, const std::string& load);

  // Combines a value of each thread of the group: "combine_block<256, 32, 1>(value, combine)".
  std::string combined(const std::string& value, const std::string& combine) const;

  // Only one thread of a row does `body`.
  static std::string once(const std::string& body) {
    return "if (live && lane == 0) {\n" + body + "}\n";
  }

  // The kernel that does `body` for every row, or part of one.
  GeneratedKernel kernel(std::span<const Block> reads, std::span<const Block> writes,
                         const std::string& body) const;

 private:
  std::string offsets_of(const Axes& axes, std::string_view index, std::string_view suffix) const;
  std::string element_of_row() const;
  std::string each_number(const std::string& body) const;
  int32_t rows_a_block() const { return kThreads / group_; }
  void cut();

  std::vector<Walk> walks_;
  Axes row_axes_, along_axes_;
  int64_t rows_ = 0, length_ = 0;
  int64_t parts_ = 1, part_length_ = 0;
  int32_t group_ = 1;
  bool side_by_side_ = true;  // the threads of a group
  int64_t kept_ = 0;          // elements a thread, if they are kept
  std::string load_;
};

}  // namespace einsummable::cuda
