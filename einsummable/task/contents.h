// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "einsummable/task/task_graph.h"

namespace einsummable {

// What does not hold of a task graph's data; caught where the checks begin.
struct DataFault {
  std::string what;
};

// Throws DataFault unless the condition holds.
inline void demand(bool condition, const char* what) {
  if (!condition) throw DataFault{what};
}

// What an element stands for: an element of a complete tensor, or of one component of the merge of
// some partial results of a block.
struct Meaning {
  bool complete = true;
  int64_t block = 0;
  std::vector<int64_t> partials = {};  // rising, of that block
  int32_t component = 0;

  auto operator<=>(const Meaning&) const = default;
};

// A meaning among those that occur. Almost all elements mean kComplete; others may have several ids
// for equal meanings.
using MeaningId = int32_t;
inline constexpr MeaningId kComplete = 0;

// What is in every buffer while the tasks are run over meanings. No element is written twice, which
// single assignment proves.
class Contents {
 public:
  explicit Contents(size_t buffers) : last_piece_(buffers, -1) {}

  MeaningId add(Meaning meaning);
  const Meaning& meaning(MeaningId id) const { return meanings_[static_cast<size_t>(id)]; }

  // Each element of the box (in the coordinates of the buffer's tensor) has this meaning, at its
  // own position.
  void write(BufferId buffer, const Box& box, MeaningId meaning);
  // What all elements of the box mean. Throws DataFault if they differ or some mean nothing yet.
  MeaningId read(BufferId buffer, const Box& box) const;

 private:
  struct Piece {
    Box box;
    MeaningId meaning = kComplete;
    int32_t before = -1;  // the piece of the same buffer that came before it, if any
  };

  bool same(MeaningId a, MeaningId b) const { return a == b || meaning(a) == meaning(b); }

  std::vector<Meaning> meanings_ = {Meaning{}};  // the first is kComplete
  std::vector<Piece> pieces_;
  std::vector<int32_t> last_piece_;  // of each buffer; -1 if nothing is there
};

}  // namespace einsummable
