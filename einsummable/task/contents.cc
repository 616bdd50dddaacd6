// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/contents.h"

#include <optional>

#include "einsummable/base/checked.h"

namespace einsummable {

MeaningId Contents::add(Meaning meaning) {
  meanings_.push_back(std::move(meaning));
  return static_cast<MeaningId>(meanings_.size()) - 1;
}

void Contents::write(BufferId buffer, const Box& box, MeaningId meaning) {
  if (empty(box)) return;
  int32_t& last = last_piece_[buffer.index()];
  pieces_.push_back({box, meaning, last});
  last = static_cast<int32_t>(pieces_.size()) - 1;
}

MeaningId Contents::read(BufferId buffer, const Box& box) const {
  int64_t known = 0;  // pieces share no elements
  std::optional<MeaningId> meaning;
  for (int32_t at = last_piece_[buffer.index()]; at >= 0;) {
    const Piece& piece = pieces_[static_cast<size_t>(at)];
    at = piece.before;
    const int64_t common = common_elements(piece.box, box);
    if (common == 0) continue;
    demand(!meaning || same(*meaning, piece.meaning),
           "an operand of parts that mean different things");
    meaning = piece.meaning;
    known = checked_add(known, common);
  }
  demand(known == elements(box), "an operand that is not all there yet");
  return meaning.value_or(kComplete);
}

}  // namespace einsummable
