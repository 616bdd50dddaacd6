// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/pieces.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/exchange/expand.h"

namespace einsummable {
namespace {

int64_t extent(const Box& box, size_t axis) { return box[axis].hi - box[axis].lo; }

// Elements of the box in one position of the axes up to `axis`.
int64_t slice_elements(const Box& box, size_t axis) {
  int64_t count = 1;
  for (size_t i = axis + 1; i < box.size(); ++i) count = checked_multiply(count, extent(box, i));
  return count;
}

// `box` is at one position of the axes before `axis`.
void add_range(Box box, size_t axis, int64_t first, int64_t last, std::vector<Box>& out) {
  if (first == last) return;
  if (axis == box.size()) return out.push_back(std::move(box));
  const int64_t slice = slice_elements(box, axis);
  const auto along = [&](int64_t begin, int64_t end) {
    Box part = box;
    part[axis] = {box[axis].lo + begin, box[axis].lo + end};
    return part;
  };
  int64_t begin = first / slice;
  const int64_t end = last / slice;
  if (first % slice != 0) {
    const int64_t until = begin == end ? last % slice : slice;
    add_range(along(begin, begin + 1), axis + 1, first % slice, until, out);
    if (begin == end) return;
    ++begin;
  }
  if (begin < end) out.push_back(along(begin, end));
  add_range(along(end, end + 1), axis + 1, 0, last % slice, out);
}

// The axes before this one, and all that lie further out, every component has.
size_t first_axis_lacked(const PartialType& partial, size_t rank) {
  size_t lacked = rank;
  for (const Component& component : partial.components) {
    for (size_t axis = 0; axis < lacked; ++axis) {
      const auto has = std::ranges::find(component.axes, static_cast<int32_t>(axis));
      if (has == component.axes.end()) lacked = axis;
    }
  }
  return lacked;
}

bool same_extents_from(const std::vector<Box>& boxes, size_t axis) {
  return std::ranges::all_of(boxes, [&](const Box& box) {
    for (size_t i = axis; i < box.size(); ++i) {
      if (extent(box, i) != extent(boxes[0], i)) return false;
    }
    return true;
  });
}

// The elements of the boxes, one after the other, handed out from the first on.
class Dealer {
 public:
  explicit Dealer(const std::vector<Box>& boxes) : boxes_(boxes) {}

  std::vector<Box> next(int64_t count) {
    std::vector<Box> out;
    while (count > 0) {
      const Box& box = boxes_[at_];
      const int64_t taken = std::min(count, elements(box) - used_);
      std::ranges::move(row_major_range(box, used_, used_ + taken), std::back_inserter(out));
      used_ += taken;
      count -= taken;
      if (used_ == elements(box)) ++at_, used_ = 0;
    }
    return out;
  }

 private:
  const std::vector<Box>& boxes_;
  size_t at_ = 0;
  int64_t used_ = 0;  // elements of the box at hand
};

void add_pieces(const exchange::Program& program, const exchange::Split& split,
                const Region& region, ExchangeStep& out) {
  const exchange::Atom& whole = program.atom(split.atom);
  const int64_t grain = whole.grain.value_or(whole.bytes);
  const int64_t grain_elements = region.elements() / (whole.bytes / grain);
  Dealer dealer(region.boxes);
  for (int32_t k = 0; k < split.count; ++k) {
    Region piece{.tensor = region.tensor,
                 .block = region.block,
                 .boxes = {},
                 .atoms = {},
                 .formed = region.formed,
                 .required = region.required,
                 .complete = {}};
    for (exchange::AtomId atom : region.atoms) {
      piece.atoms.push_back(
          program.splits()[static_cast<size_t>(program.atom(atom).split)].piece(k));
    }
    piece.boxes = dealer.next(program.atom(split.piece(k)).bytes / grain * grain_elements);
    piece.complete = out.program.aggregate(piece.atoms);
    out.regions.push_back(std::move(piece));
  }
}

ExchangeStep in_pieces(const ExchangeStep& step) {
  ExchangeStep out{.op = step.op,
                   .save = step.save,
                   .regions = {},
                   .program = exchange::expand(step.program),
                   .derivations = step.derivations};
  for (const Region& region : step.regions) {
    const exchange::Split* split = step.program.split(region.complete);
    if (split == nullptr) {
      out.regions.push_back(region);
    } else {
      add_pieces(step.program, *split, region, out);
    }
  }
  return out;
}

}  // namespace

std::vector<Box> row_major_range(const Box& box, int64_t first, int64_t last) {
  std::vector<Box> out;
  add_range(box, 0, first, last, out);
  return out;
}

int64_t grain_elements(const std::vector<Box>& boxes, const PartialType* partial) {
  constexpr int64_t enough = 64;
  const size_t rank = boxes[0].size();
  const size_t end = partial != nullptr ? first_axis_lacked(*partial, rank) : rank;
  int64_t all = 0, grain = 0;
  for (const Box& box : boxes) all = checked_add(all, elements(box));
  for (size_t axis = 0; axis < end; ++axis) {
    if (!same_extents_from(boxes, axis + 1)) continue;
    grain = slice_elements(boxes[0], axis);
    if (all / grain >= enough) break;
  }
  return grain > 0 ? grain : all;
}

StepInPieces::StepInPieces(const ExchangeStep& step) : step_(&step) {
  if (!step.program.splits().empty()) cut_ = in_pieces(step);
}

}  // namespace einsummable
