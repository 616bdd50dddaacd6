// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "einsummable/graph/graph.h"

namespace einsummable::workloads {

// How a transformer is written down: with einsums whose tensors have an axis of heads, or with
// matmuls on flat columns and reshapes and transposes around attention. Both cost the same.
enum class HeadStyle : uint8_t { indexed, flat };

// Sizes as in Llama-3-8B.
struct LlamaOptions {
  int64_t layers = 1;
  int64_t batch = 1;  // sequences of `seq` tokens, packed
  int64_t seq = 1024;
  int64_t d_model = 4096;
  int64_t heads = 32;  // of queries
  int64_t kv_heads = 8;
  int64_t head_dim = 128;
  int64_t d_ff = 14336;
  DType dtype = DType::f16;
  bool rope = true;
  HeadStyle style = HeadStyle::indexed;
  Interruption interruption = {};
};

// The transformer block of Section 6: rms_norm, projections to heads, RoPE on q and k, causal
// attention within each sequence, output projection, residual add, rms_norm, gate and up
// projections, silu, multiply, down projection, residual add. Takes "x" [batch * seq, d_model] and,
// with RoPE, "positions" [batch * seq] int32; weights are parameters; saves "y". Operators are
// called "norm1", "q", "attention", ...; of several layers "layers.0.norm1" and so on. Throws
// GraphError as the graph does.
Graph llama(const LlamaOptions& options = {});

}  // namespace einsummable::workloads
