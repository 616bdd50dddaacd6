// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/elementwise.h"

#include <algorithm>
#include <map>

#include "einsummable/base/error.h"
#include "einsummable/executor/cpu/kernels/workspace.h"

namespace einsummable::cpu {
namespace {

// Elements of a tile: enough to hide what the interpreter costs, few enough that some eight values
// stay in the first-level cache.
constexpr int64_t kTileElements = 1024;

}  // namespace

struct Elementwise::Arena {
  std::span<ViewLoop::Operand> operands;
  std::byte** at;  // where the value of each step lies
  std::byte* slots;
};

struct Elementwise::Window {
  int64_t row, column, rows, columns;

  Tile of(const ViewLoop& loop, size_t view) const {
    const int64_t last = loop.rank() - 1;
    const int64_t row_stride = last > 0 ? loop.stride(view, last - 1) : 0;
    const int64_t column_stride = loop.stride(view, last);
    return {loop.data(view) + row * row_stride + column * column_stride, rows, columns, row_stride,
            column_stride};
  }
};

Elementwise::Elementwise(const Expression& expression) : inputs_(expression.inputs()) {
  for (int32_t value : expression.outputs()) outputs_.push_back(expression.dtype(value));
  make_steps(expression);
  place_steps();
  const int64_t views = std::ssize(inputs_) + std::ssize(outputs_);
  workspace_bytes_ = slots_bytes_ + workspace_array(views, sizeof(ViewLoop::Operand)) +
                     workspace_array(std::ssize(steps_), sizeof(std::byte*));
}

// One step for every value that an output needs.
void Elementwise::make_steps(const Expression& expression) {
  const auto& instructions = expression.instructions();
  std::vector<bool> needed(instructions.size(), false);
  for (int32_t value : expression.outputs()) needed[static_cast<size_t>(value)] = true;
  for (size_t i = instructions.size(); i-- > 0;) {
    for (int32_t k = 0; needed[i] && k < instructions[i].arity; ++k) {
      needed[static_cast<size_t>(instructions[i].operands[static_cast<size_t>(k)])] = true;
    }
  }
  std::vector<int32_t> step_of(instructions.size(), -1);
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (!needed[i]) continue;
    const Expression::Instruction& made = instructions[i];
    Step step = {.kind = made.kind,
                 .dtype = made.dtype,
                 .input = made.input,
                 .parameter = made.parameter,
                 .real = made.real,
                 .integer = made.integer};
    for (size_t k = 0; k < 3; ++k) {
      const auto operand =
          static_cast<size_t>(made.operands[k < static_cast<size_t>(made.arity) ? k : 0]);
      step.operands[k] = made.arity > 0 ? step_of[operand] : -1;
    }
    if (made.kind == Kind::cast) {
      step.cast = cast_kernel(expression.dtype(made.operands[0]), made.dtype);
    } else if (made.kind == Kind::apply) {
      step.apply = apply_kernel(made.function, expression.dtype(made.operands[0]));
      const bool half = made.dtype == DType::f16 || made.dtype == DType::bf16;
      if (half) step.cast = cast_kernel(DType::f32, made.dtype);
    }
    step_of[i] = static_cast<int32_t>(steps_.size());
    steps_.push_back(std::move(step));
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    Step& step = steps_[static_cast<size_t>(step_of[static_cast<size_t>(expression.outputs()[k])])];
    const bool computed = step.kind == Kind::cast || step.kind == Kind::apply;
    const auto output = static_cast<int32_t>(k);
    if (computed && step.own_output < 0) {
      step.own_output = output;
    } else {
      step.outputs.push_back(output);
    }
  }
}

// Gives every step a slot that is free from its first to its last use. Constants have slots of
// their own, which are filled once a run.
void Elementwise::place_steps() {
  std::vector<size_t> last_use(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    last_use[i] = steps_[i].kind == Kind::constant ? steps_.size() : i;
    for (int32_t operand : steps_[i].operands) {
      if (operand < 0) continue;
      size_t& last = last_use[static_cast<size_t>(operand)];
      last = std::max(last, i);
    }
  }
  std::map<int64_t, std::vector<int64_t>> free;  // slots by their bytes
  for (size_t i = 0; i < steps_.size(); ++i) {
    // A result may take the place of an operand that is not read again.
    for (size_t j = 0; j < i; ++j) {
      const auto operand = static_cast<int32_t>(j);
      const bool read = std::ranges::find(steps_[i].operands, operand) != steps_[i].operands.end();
      if (read && last_use[j] == i) free[computing_size(steps_[j].dtype)].push_back(steps_[j].slot);
    }
    std::vector<int64_t>& slots = free[computing_size(steps_[i].dtype)];
    if (slots.empty() || steps_[i].kind == Kind::constant) {
      steps_[i].slot = slots_bytes_;
      slots_bytes_ += kTileElements * computing_size(steps_[i].dtype);
    } else {
      steps_[i].slot = slots.back();
      slots.pop_back();
    }
    if (last_use[i] == i) slots.push_back(steps_[i].slot);
  }
}

void Elementwise::check(std::span<const StridedView> inputs,
                        std::span<const StridedView> outputs) const {
  ensure(inputs.size() == inputs_.size() && outputs.size() == outputs_.size(),
         "elementwise: the wrong number of views");
  for (size_t i = 0; i < inputs.size(); ++i) {
    ensure(inputs[i].dtype == inputs_[i], "elementwise: an input of another dtype");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    ensure(outputs[i].dtype == outputs_[i], "elementwise: an output of another dtype");
  }
}

void Elementwise::run(std::span<const StridedView> inputs, std::span<const StridedView> outputs,
                      std::span<std::byte> workspace) const {
  check(inputs, outputs);
  if (outputs.empty()) return;
  Workspace memory(workspace);
  Arena arena;
  const size_t views = inputs.size() + outputs.size();
  arena.slots = memory.take<std::byte>(slots_bytes_);
  arena.operands = {memory.take<ViewLoop::Operand>(std::ssize(inputs) + std::ssize(outputs)),
                    views};
  arena.at = memory.take<std::byte*>(std::ssize(steps_));
  ViewLoop loop(inputs, outputs, arena.operands);
  if (loop.empty()) return;
  const int64_t last = loop.rank() - 1;
  const int64_t columns = loop.extent(last), rows = last > 0 ? loop.extent(last - 1) : 1;
  const int64_t tile_columns = std::min(columns, kTileElements);
  const int64_t tile_rows = std::min(rows, kTileElements / tile_columns);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.kind != Kind::constant) continue;
    arena.at[i] = arena.slots + step.slot;
    fill(step.dtype, step.real, step.integer, static_cast<size_t>(tile_rows * tile_columns),
         arena.at[i]);
  }
  do {
    for (int64_t row = 0; row < rows; row += tile_rows) {
      for (int64_t column = 0; column < columns; column += tile_columns) {
        run_tile(arena, loop,
                 {row, column, std::min(tile_rows, rows - row),
                  std::min(tile_columns, columns - column)});
      }
    }
  } while (loop.next(std::max<int64_t>(last - 1, 0)));
}

void Elementwise::run_tile(const Arena& arena, const ViewLoop& loop, const Window& window) const {
  const auto count = static_cast<size_t>(window.rows * window.columns);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    std::byte* slot = arena.slots + step.slot;
    bool owned = false;  // whether it was made where its own output lies
    if (step.kind == Kind::input) {
      const Tile tile = window.of(loop, static_cast<size_t>(step.input));
      const bool direct = is_direct(tile, step.dtype);
      if (!direct) gather(tile, step.dtype, slot);
      arena.at[i] = direct ? tile.data : slot;
    } else if (step.kind != Kind::constant) {
      arena.at[i] = slot;
      if (step.own_output >= 0) {
        const size_t view = inputs_.size() + static_cast<size_t>(step.own_output);
        const Tile tile = window.of(loop, view);
        owned = is_direct(tile, step.dtype);
        if (owned) arena.at[i] = tile.data;
      }
      run_step(step, arena, arena.at[i], count);
    }
    if (step.own_output >= 0 && !owned) {
      const size_t view = inputs_.size() + static_cast<size_t>(step.own_output);
      scatter(arena.at[i], window.of(loop, view), step.dtype);
    }
    for (int32_t output : step.outputs) {
      const size_t view = inputs_.size() + static_cast<size_t>(output);
      scatter(arena.at[i], window.of(loop, view), step.dtype);
    }
  }
}

void Elementwise::run_step(const Step& step, const Arena& arena, std::byte* to,
                           size_t count) const {
  const auto operand = [&](size_t k) { return arena.at[static_cast<size_t>(step.operands[k])]; };
  if (step.kind == Kind::cast) return step.cast(operand(0), to, count);
  step.apply(operand(0), operand(1), operand(2), to, count, step.parameter);
  if (step.cast != nullptr) step.cast(to, to, count);
}

}  // namespace einsummable::cpu
