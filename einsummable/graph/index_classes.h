// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "einsummable/graph/graph.h"

namespace einsummable {

struct ClassTypeTag;
using ClassTypeId = Id<ClassTypeTag>;

// Which indices of a graph's operators meet, so that they can be cut at the same places. Two
// indices meet where each spans the same axis of a tensor from end to end: as its only index, as a
// multiple of it (`4h`), or as the outermost of several (`(h k)`). A shift, a partial cover (slice,
// concat) and an axis of extent 1 join nothing.
//   columns of a projection [1024, 4096] -> reshape t (h k) -> t h k -> attention 4h s d:
//   4096 columns, 32 query heads and 8 KV heads are one class, compared by fractions of the extent
class IndexClasses {
 public:
  // `signatures[op]` says how each operator is cut.
  IndexClasses(const Graph& graph, std::span<const std::shared_ptr<const Signature>> signatures,
               const Interruption& interruption = {});

  // What a class looks like, whatever operators it joins: the kinds of its members. Classes of one
  // type make the same offers, so the layers of a model share them.
  ClassTypeId type(OpId op, size_t index) const;

  // Whether the two indices are in one class.
  bool together(OpId a, size_t index_of_a, OpId b, size_t index_of_b) const;

  // The cuts into `count` intervals that the index should try: its own near-equal ones, then those
  // of every other member of its class that it can represent, each once. None that is out of
  // balance. Stays valid as long as this object.
  //   32 query heads with 8 KV heads in their class, count 3: {0, 10, 21, 32} and {0, 8, 20, 32}
  const std::vector<Cuts>& offers(OpId op, size_t index, int64_t count);

 private:
  using KindId = int32_t;  // position in `kinds_`; -1 for an index that is never cut

  // A signature's indices in `kinds_`.
  const std::vector<KindId>& kinds_of(const Signature* signature);
  size_t node(OpId op, size_t index) const { return first_index_[op.index()] + index; }
  size_t root(size_t node) const;
  void unite(size_t a, size_t b);
  void unite_operand(OpId op, const Signature& signature, const OperandMap& operand,
                     TensorId tensor);
  void find_types(const Interruption& interruption);

  std::vector<std::shared_ptr<const Signature>> signatures_;
  std::vector<Index> kinds_;  // distinct, without name and `within`
  std::unordered_map<const Signature*, std::vector<KindId>> kinds_of_;
  std::vector<size_t> first_axis_, first_index_;  // nodes of a tensor, of an operator
  mutable std::vector<size_t> parent_;
  std::vector<ClassTypeId> type_;             // of each root
  std::vector<std::vector<KindId>> members_;  // of each type
  std::map<std::tuple<KindId, ClassTypeId, int64_t>, std::vector<Cuts>> offers_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Cuts>> uncut_;  // by extent and count
};

}  // namespace einsummable
