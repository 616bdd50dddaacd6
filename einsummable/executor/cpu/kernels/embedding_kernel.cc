// SPDX-License-Identifier: Apache-2.0
// The fast kernel of embedding: copies rows, and zeros where the row is another cell's.

#include "einsummable/executor/cpu/kernel.h"
#include "einsummable/executor/cpu/kernels/convert.h"
#include "einsummable/executor/cpu/kernels/strided_loop.h"
#include "einsummable/ops/ids.h"

namespace einsummable::cpu {
namespace {

struct EmbeddingRun {
  StridedView table, ids, out;
  Interval rows;       // of the block of the table
  int64_t vocabulary;  // of the whole table
  Box ids_box;
  std::vector<std::byte> zeros;  // a row of them, dense
  std::vector<int64_t> zero_strides;
  StridedLoop<2> each_id;  // offsets of the id and of its row of the output

  int64_t id_at(int64_t offset) const {
    int64_t id = 0;
    load_row(ids.dtype, ids.data + offset * size_of(ids.dtype), 1, 1, &id);
    return id;
  }

  // Finds the first id that is out of range, for the message.
  void check() const {
    const auto rank = ids_box.size();
    for_each_position(ids_box, [&](std::span<const int64_t> at) {
      int64_t offset = 0;
      for (size_t i = 0; i < rank; ++i) offset += (at[i] - ids_box[i].lo) * ids.strides[i];
      require_id(id_at(offset), vocabulary, at);
    });
  }

  StridedView row(const StridedView& of, int64_t offset, size_t outer) const {
    return {of.data + offset * size_of(of.dtype), of.dtype, of.shape.subspan(outer),
            of.strides.subspan(outer)};
  }

  void run() const {
    const size_t outer = ids.shape.size();
    each_id.run([&](const std::array<int64_t, 2>& at) {
      const int64_t id = id_at(at[0]);
      if (id < 0 || id >= vocabulary) check();
      const StridedView to = row(out, at[1], outer);
      if (rows.lo <= id && id < rows.hi) {
        copy_elements(row(table, (id - rows.lo) * table.strides[0], 1), to);
      } else {
        auto* data = const_cast<std::byte*>(zeros.data());  // only read
        copy_elements({data, to.dtype, to.shape, zero_strides}, to);
      }
    });
  }
};

std::optional<PreparedKernel> prepare(const KernelCall& call) {
  auto run =
      std::make_shared<EmbeddingRun>(EmbeddingRun{.table = call.inputs[0],
                                                  .ids = call.inputs[1],
                                                  .out = call.outputs[0],
                                                  .rows = call.cell.inputs[0][0],
                                                  .vocabulary = call.op.inputs()[0].extent(0),
                                                  .ids_box = call.cell.inputs[1],
                                                  .zeros = {},
                                                  .zero_strides = {},
                                                  .each_id = {}});
  const size_t outer = run->ids.shape.size();
  const auto row_shape = run->out.shape.subspan(outer);
  run->zeros.resize(static_cast<size_t>(size_of(run->out.dtype)));
  run->zero_strides.assign(row_shape.size(), 0);
  for (size_t i = 0; i < outer; ++i) {
    run->each_id.add(run->ids.shape[i], {run->ids.strides[i], run->out.strides[i]});
  }
  return PreparedKernel{.run = [run = std::move(run)](std::span<std::byte>) { run->run(); }};
}

}  // namespace

KernelEntry embedding_kernel() { return {"embedding", prepare}; }

}  // namespace einsummable::cpu
