// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "einsummable/graph/graph.h"

namespace einsummable {

// What an executor can do: all that lowering knows of it.
struct Traits {
  // Whether a kernel at one site may read another's memory. If so a transfer of a whole block is a
  // hand-over and costs nothing; if not, every transfer is a task that copies.
  enum class Memory : uint8_t { shared, private_sites };
  // Whether transfers take strided operands or need both ends dense.
  enum class Transfers : uint8_t { strided, dense };

  // The dtypes and strides under which a step runs.
  struct View {
    DType dtype = DType::f32;
    Shape shape;
    std::vector<int64_t> strides;
  };

  Memory memory = Memory::shared;
  Transfers transfers = Transfers::strided;
  int64_t alignment = 64;  // of buffers, bytes
  // Scratch bytes that one cell of an operator asks for.
  std::function<int64_t(const Operator& op, const FunctionSpec& cell, std::span<const View> inputs,
                        std::span<const View> outputs)>
      workspace = {};
};

}  // namespace einsummable
