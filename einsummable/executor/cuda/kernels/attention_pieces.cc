// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernels/attention_pieces.h"

#include <algorithm>

namespace einsummable::cuda {
namespace {

// Adds the pieces of queries and keys of one sequence; false if a query sees no key.
bool add_sequence(const VisibleKeys& visible, Interval queries, Interval keys,
                  std::vector<AttentionPiece>& pieces) {
  if (queries.length() <= 0) return true;
  if (keys.length() <= 0) return false;
  // Query i sees keys up to i + ahead, both counted from the first.
  const int64_t ahead =
      visible.causal ? queries.lo + visible.offset() - keys.lo : keys.length() - 1;
  if (ahead < 0) return false;
  const int64_t partly = std::clamp<int64_t>(keys.length() - ahead, 0, queries.length());
  // Of one query all keys that it sees are a whole.
  if (ahead < keys.length() - 1) {
    pieces.push_back({.first_query = queries.lo,
                      .queries = partly,
                      .first_key = keys.lo,
                      .keys = partly + ahead,
                      .causal = partly > 1});
    queries.lo += partly;
  }
  if (queries.length() > 0) {
    pieces.push_back({.first_query = queries.lo,
                      .queries = queries.length(),
                      .first_key = keys.lo,
                      .keys = keys.length()});
  }
  return true;
}

// Whether `next` follows as one more of the same.
bool continues(const AttentionPiece& all, const AttentionPiece& next) {
  const int64_t apart = all.sequences > 1 ? all.apart : next.first_query - all.first_query;
  AttentionPiece wanted = all;
  wanted.first_query += all.sequences * apart;
  wanted.first_key += all.sequences * apart;
  wanted.sequences = next.sequences;
  wanted.apart = next.apart;
  return apart > 0 && wanted == next;
}

}  // namespace

std::optional<std::vector<AttentionPiece>> pieces_of(const VisibleKeys& visible, Interval queries,
                                                     Interval keys) {
  std::vector<AttentionPiece> pieces;
  if (visible.ends.empty() && !add_sequence(visible, queries, keys, pieces)) return std::nullopt;
  int64_t start = 0;
  for (int64_t end : visible.ends) {
    const Interval sequence = {start, end};
    start = end;
    if (!add_sequence(visible, intersect(queries, sequence), intersect(keys, sequence), pieces)) {
      return std::nullopt;
    }
  }
  std::vector<AttentionPiece> out;
  for (AttentionPiece piece : pieces) {
    piece.first_query -= queries.lo;
    piece.first_key -= keys.lo;
    if (!out.empty() && continues(out.back(), piece)) {
      out.back().apart = (piece.first_query - out.back().first_query) / out.back().sequences;
      ++out.back().sequences;
    } else {
      out.push_back(piece);
    }
  }
  return out;
}

}  // namespace einsummable::cuda
