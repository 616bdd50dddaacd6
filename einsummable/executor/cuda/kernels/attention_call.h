// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/executor/cuda/kernel.h"
#include "einsummable/executor/cuda/text.h"
#include "einsummable/ops/visible_keys.h"

namespace einsummable::cuda {

// The extents of a block of attention, q [batch.., heads, queries, width], k and v [batch..,
// kv_heads, keys, width or value_width], and which keys its queries see.
struct AttentionExtents {
  int64_t heads = 0, kv_heads = 0, queries = 0, keys = 0, width = 0, value_width = 0;
  Shape batch;
  VisibleKeys visible;                     // in positions of whole tensors
  int64_t first_query = 0, first_key = 0;  // of the block
  double scale = 1;

  explicit AttentionExtents(const KernelCall& call);

  int64_t heads_of_all() const { return elements(batch) * heads; }
  // The stride of an input along an axis counted from the end, as text.
  std::string stride(const KernelCall& call, size_t input, size_t from_end) const;
  // The same of the mask, broadcast to the scores: its last axes are queries and keys.
  std::string mask_stride(const KernelCall& call, size_t from_end) const;
  // Batch and query heads, with the strides of q, k, v, the output, its lse and the mask over them.
  Axes head_axes(const KernelCall& call) const;
};

// Calls of cuDNN, one a piece of the block, if it serves: float16 or bfloat16, no mask, every query
// sees a key. Partial results, the lse, and outputs that it cannot write in place are copied.
std::optional<PreparedTask> prepare_library_attention(const KernelCall& call,
                                                      const AttentionExtents& extents,
                                                      const KernelOptions& options);

}  // namespace einsummable::cuda
