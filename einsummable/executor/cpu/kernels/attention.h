// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "einsummable/tensor/strided_view.h"

namespace einsummable::cpu {

// One block of an attention, any strides and float dtypes; arithmetic is in float64 if q, k or v
// are, else in float32. heads_q is a multiple of heads_kv: query head j reads head
// j / (heads_q / heads_kv). Batch axes, if any, come first and agree.
struct AttentionBlocks {
  StridedView q;                    // [batch.., heads_q, queries, d]
  StridedView k;                    // [batch.., heads_kv, keys, d]
  StridedView v;                    // [batch.., heads_kv, keys, e]
  StridedView value;                // [batch.., heads_q, queries, e]: the output
  std::optional<StridedView> lse;   // [batch.., heads_q, queries]: log of the sum of exp(score)
  std::optional<StridedView> mask;  // added to scores; of at most value's rank, its trailing axes
                                    // those of [batch.., heads_q, queries, keys] or 1
};

enum class Causal : uint8_t { no, yes };

// Which keys a query sees, in positions of the whole sequences.
struct AttentionOptions {
  double scale = 1;
  Causal causal = Causal::no;  // query i sees key j only if j <= i + key_length - query_length
  int64_t query_begin = 0, key_begin = 0;    // where this block's queries and keys begin
  int64_t query_length = 0, key_length = 0;  // of the whole sequences
  std::span<const int64_t> ends = {};  // of packed sequences; a query sees the keys of its own
};

// Bytes of workspace that `attention` of the same arguments needs; independent of the lengths.
int64_t attention_workspace_bytes(const AttentionBlocks& blocks, const AttentionOptions& options);

// value = softmax(scale * q k^T + mask) v over the keys of this block that a query sees. A query
// that sees none, or only keys of score -inf, gives 0 and lse -inf. What a query does not see, or
// scores -inf, never contributes, even if its value is NaN. The scores never exist as a whole.
void attention(const AttentionBlocks& blocks, const AttentionOptions& options,
               std::span<std::byte> workspace);

}  // namespace einsummable::cpu
