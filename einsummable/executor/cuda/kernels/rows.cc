// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/rows.h"

#include <algorithm>
#include <bit>

#include "einsummable/base/checked.h"

namespace einsummable::cuda {
namespace {

// The most elements that a thread keeps in registers.
constexpr int64_t kMostKept = 32;
// Elements a thread, where a row has as many.
constexpr int64_t kElementsAThread = 4;
// Blocks that keep a large device busy; the least elements that are worth a block; and the most
// that a thread takes one after another, as the error of a float sum grows with them.
constexpr int64_t kBusyBlocks = 512, kLeastPart = 4096, kMostInTurn = 1024;

std::vector<std::vector<int64_t>> strides_of(const std::vector<RowKernel::Walk>& walks,
                                             std::vector<int64_t> RowKernel::Walk::*part) {
  std::vector<std::vector<int64_t>> out;
  for (const RowKernel::Walk& walk : walks) out.push_back(walk.*part);
  return out;
}

}  // namespace

RowKernel::RowKernel(const Shape& rows, const Shape& along, std::vector<Walk> walks, Cuts cuts)
    : walks_(std::move(walks)),
      row_axes_(collapse(rows, strides_of(walks_, &Walk::rows))),
      along_axes_(collapse(along, strides_of(walks_, &Walk::along))),
      rows_(elements(rows)),
      length_(elements(along)),
      part_length_(length_) {
  const auto wanted = static_cast<uint64_t>((length_ + kElementsAThread - 1) / kElementsAThread);
  group_ = static_cast<int32_t>(
      std::min<uint64_t>(std::bit_ceil(std::max<uint64_t>(wanted, 1)), kThreads));
  const auto unit = [](const std::vector<int64_t>& strides) {
    return !strides.empty() && strides.back() == 1;
  };
  side_by_side_ = unit(along_axes_.strides[0]) || !unit(row_axes_.strides[0]);
  // Side by side, so many rows are read at once that each piece of memory is used whole.
  if (!side_by_side_) group_ = std::min(group_, kThreads / 32);
  if (cuts == Cuts::parts && rows_ > 0) cut();
}

void RowKernel::cut() {
  const int64_t blocks = (rows_ - 1) / rows_a_block() + 1;
  const int64_t for_all = kBusyBlocks / blocks;
  const int64_t in_turn = length_ / (group_ * kMostInTurn);
  const int64_t most = std::max<int64_t>(length_ / kLeastPart, 1);
  const int64_t parts = std::clamp<int64_t>(std::max(for_all, in_turn), 1, most);
  part_length_ = (length_ + parts - 1) / std::max<int64_t>(parts, 1);
  parts_ = part_length_ == 0 ? 1 : (length_ + part_length_ - 1) / part_length_;
}

std::string RowKernel::offsets_of(const Axes& axes, std::string_view index,
                                  std::string_view suffix) const {
  std::vector<std::string> names;
  for (const Walk& walk : walks_) names.push_back(walk.name + std::string(suffix));
  return offsets(axes, index, names);
}

std::string RowKernel::each(const std::string& body) const {
  const std::string length = std::to_string(length_), group = std::to_string(group_);
  std::string text;
  if (parts_ > 1) {
    const std::string part = std::to_string(part_length_);
    text = "const long long begin = part * " + part + ", end = begin + " + part + " < " + length +
           " ? begin + " + part + " : " + length + ";\n" +
           "if (live) for (long long r = begin + lane; r < end; r += " + group + ") {\n";
  } else {
    text = "if (live) for (long long r = lane; r < " + length + "; r += " + group + ") {\n";
  }
  return "{\n" + text + element_of_row() + body + "}\n}\n";
}

std::string RowKernel::element_of_row() const {
  std::string text = offsets_of(along_axes_, "r", "_along");
  for (const Walk& walk : walks_) {
    text +=
        "const long long " + walk.name + " = " + walk.name + "_row + " + walk.name + "_along;\n";
  }
  return text;
}

// A loop that the compiler unrolls, so that what is kept lies in registers.
std::string RowKernel::each_number(const std::string& body) const {
  const std::string length = std::to_string(length_), group = std::to_string(group_);
  return "#pragma unroll\nfor (int e = 0; e < " + std::to_string(kept_) +
         "; ++e) {\nconst long long r = lane + e * " + group + ";\nif (live && r < " + length +
         ") {\n" + element_of_row() + body + "}\n}\n";
}

std::string RowKernel::keep(DType dtype, const std::string& load) {
  load_ = load;
  const int64_t each_thread = (length_ + group_ - 1) / group_;
  kept_ = each_thread <= kMostKept ? each_thread : 0;
  if (kept_ == 0) return "";
  return "Value<" + element_type(dtype) + "> kept[" + std::to_string(kept_) + "];\n" +
         each_number("kept[e] = " + load_ + ";\n");
}

std::string RowKernel::each_kept(const std::string& body) const {
  if (kept_ == 0) return each("const auto x = " + load_ + ";\n" + body);
  return each_number("const auto x = kept[e];\n" + body);
}

std::string RowKernel::combined(const std::string& value, const std::string& combine) const {
  return "combine_block<" + std::to_string(kThreads) + ", " + std::to_string(group_) + ", " +
         std::to_string(apart()) + ">(" + value + ", " + combine + ")";
}

GeneratedKernel RowKernel::kernel(std::span<const Block> reads, std::span<const Block> writes,
                                  const std::string& body) const {
  const int64_t all = checked_multiply(rows_, parts_);
  const std::string many = std::to_string(rows_a_block()), count = std::to_string(all);
  const std::string group = std::to_string(group_);
  std::string text;
  text += side_by_side_
              ? "const int lane = thread_index() % " + group + ", of = thread_index() / " + group
              : "const int lane = thread_index() / " + many + ", of = thread_index() % " + many;
  text += ";\nfor (long long first = block_index() * " + many + "; first < " + count +
          "; first += block_count() * " + many + ") {\nconst bool live = first + of < " + count +
          ";\n";
  const std::string mine = "live ? first + of : 0";
  if (parts_ > 1) {
    const std::string rows = std::to_string(rows_);
    text += "const long long part_of_all = " + mine + ", part = part_of_all / " + rows +
            ", i = part_of_all % " + rows + ";\n";
  } else {
    text += "const long long i = " + mine + ";\n";
  }
  text += offsets_of(row_axes_, "i", "_row") + body + "}\n";
  KernelSource source{
      .parameters = parameters(reads, writes), .body = std::move(text), .threads = kThreads};
  const int64_t blocks = blocks_for(checked_multiply(all, group_), kThreads);
  return {std::move(source), blocks, arguments(reads.size(), writes.size())};
}

}  // namespace einsummable::cuda
