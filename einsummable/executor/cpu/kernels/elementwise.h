// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "einsummable/executor/cpu/kernels/apply.h"
#include "einsummable/executor/cpu/kernels/cast.h"
#include "einsummable/executor/cpu/kernels/tile.h"
#include "einsummable/executor/expression.h"
#include "einsummable/tensor/view_loop.h"

namespace einsummable::cpu {

// An Expression made ready to run: an interpreter over tiles of some thousand elements, whose
// values stay in the first-level cache. Inputs and outputs that are dense are used where they lie.
class Elementwise {
 public:
  explicit Elementwise(const Expression& expression);

  // Bytes of workspace that `run` needs, at any shape.
  int64_t workspace_bytes() const { return workspace_bytes_; }

  // Computes the outputs from the inputs. All views have one shape: an input that is broadcast has
  // strides of zero. Outputs overlap neither inputs nor each other. Allocates nothing; several
  // threads may run at once, each with a workspace of its own.
  void run(std::span<const StridedView> inputs, std::span<const StridedView> outputs,
           std::span<std::byte> workspace) const;

 private:
  using Kind = Expression::Instruction::Kind;

  // Makes one value for every element of a tile.
  struct Step {
    Kind kind = Kind::input;
    DType dtype = DType::f32;
    int32_t input = 0;
    ApplyKernel apply = nullptr;
    CastKernel cast = nullptr;  // the cast, or what rounds an application's result; may be null
    std::array<int32_t, 3> operands = {};  // steps
    double parameter = 0;
    double real = 0;  // of a constant
    int64_t integer = 0;
    int64_t slot = 0;                   // its bytes in the workspace, if it lies there
    int32_t own_output = -1;            // the output in whose memory it may be made
    std::vector<int32_t> outputs = {};  // the outputs that are copied from it
  };

  struct Arena;   // the parts of a workspace
  struct Window;  // the elements of one tile

  void make_steps(const Expression& expression);
  void place_steps();
  void check(std::span<const StridedView> inputs, std::span<const StridedView> outputs) const;
  void run_tile(const Arena& arena, const ViewLoop& loop, const Window& window) const;
  void run_step(const Step& step, const Arena& arena, std::byte* to, size_t count) const;

  std::vector<DType> inputs_, outputs_;
  std::vector<Step> steps_;
  int64_t slots_bytes_ = 0;
  int64_t workspace_bytes_ = 0;
};

}  // namespace einsummable::cpu
