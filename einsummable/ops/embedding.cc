// SPDX-License-Identifier: Apache-2.0
// Rows of a table by number: y[ids' axes.., d..] = table[ids[..], d..].

#include "einsummable/ops/ids.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/output_indices.h"

namespace einsummable {
namespace {

class Embedding final : public Operator {
 public:
  explicit Embedding(const OperatorCall& call) : Operator("embedding", call, {infer(call)}) {}

  // Every index may be cut anywhere. A cell that has only part of the vocabulary gives zeros for
  // the ids of others, and the parts are added.
  std::vector<Signature> signatures() const override {
    Signature signature = over_output(outputs()[0].shape());
    const auto ids_rank = static_cast<size_t>(inputs()[1].rank());
    const size_t vocabulary = signature.indices.size();
    const auto& y = signature.outputs[0].axes;
    const auto columns = y.begin() + static_cast<int64_t>(ids_rank);
    signature.indices.push_back({.name = "v", .extent = inputs()[0].extent(0)});
    OperandMap table{.axes = {follow(vocabulary, inputs()[0].extent(0))}};
    table.axes.insert(table.axes.end(), columns, y.end());
    signature.inputs = {std::move(table), {.axes = {y.begin(), columns}}};
    return {signature};
  }

  double flops(const FunctionSpec&) const override { return 0; }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    const int64_t rows = inputs()[0].extent(0);
    const Interval here = cell.inputs[0][0];
    for_each_position(cell.inputs[1], [&](std::span<const int64_t> at) {
      require_id(static_cast<int64_t>(in[1].at(at)), rows, at);
    });
    const size_t ids_rank = cell.inputs[1].size();
    for_each_position(cell.outputs[0], [&](std::span<const int64_t> at) {
      const auto id = static_cast<int64_t>(in[1].at(at.first(ids_rank)));
      std::vector<int64_t> from = {id};
      from.insert(from.end(), at.begin() + static_cast<int64_t>(ids_rank), at.end());
      out[0].at(at) = here.lo <= id && id < here.hi ? in[0].at(from) : 0;
    });
  }

 private:
  static TensorType infer(const OperatorCall& call) {
    const TensorType &table = call.inputs[0], &ids = call.inputs[1];
    require(table.rank() >= 1, call.name(0) + " must have an axis of rows");
    require(ids.dtype == DType::i32 || ids.dtype == DType::i64,
            call.name(1) + " must be int32 or int64; it is " + std::string(long_name(ids.dtype)));
    Shape y = ids.shape();
    const Shape rows = table.shape();
    y.insert(y.end(), rows.begin() + 1, rows.end());
    return tensor_type(table.dtype, y);
  }
};

Sample sample(Random& random) {
  const int64_t vocabulary = std::max<int64_t>(random_extent(random), 1);
  Shape table = random_shape(random, 1 + random_below(random, 2));
  table[0] = vocabulary;
  const Shape ids = random_shape(random, random_below(random, 3));
  const DType dtype = kAllDTypes[random() % std::size(kAllDTypes)];
  return {
      {{tensor_type(dtype, table), tensor_type(random() % 2 ? DType::i32 : DType::i64, ids)}, {}},
      {{}, {Domain::Kind::ids, vocabulary}}};
}

}  // namespace

OperatorInfo embedding_operator() {
  return {
      .name = "embedding",
      .doc = "Rows of a table by number: y[.., :] = table[ids[..], :].",
      .inputs = {{"table", Promotion::none}, {"ids", Promotion::none}},
      .make = [](const OperatorCall& call) { return std::make_unique<Embedding>(call); },
      .sample = sample,
  };
}

}  // namespace einsummable
