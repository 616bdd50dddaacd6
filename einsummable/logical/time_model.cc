// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/time_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "einsummable/base/checked.h"

namespace einsummable {
namespace {

// Of what takes longer than ten hours, or cannot be, ten hours.
int64_t nanoseconds(double seconds) {
  const double ns = std::ceil(seconds * 1e9 - 1e-6);
  if (!(ns < static_cast<double>(TimeModel::longest))) return TimeModel::longest;
  return static_cast<int64_t>(std::max(0.0, ns));
}

}  // namespace

ElementBytes element_bytes(const Graph& graph, TensorId id, std::optional<DType> partial_dtype) {
  const GraphTensor& tensor = graph.tensor(id);
  const auto complete = static_cast<double>(size_of(tensor.type.dtype));
  const Operator& op = *graph.op(tensor.producer).op;
  const PartialType partial =
      with_sums_in(op.partial(static_cast<size_t>(tensor.output)), partial_dtype);
  const auto count = static_cast<double>(elements(tensor.type.bounds));
  const double whole = static_cast<double>(partial_bytes(partial, tensor.type.bounds));
  return {.partial = count > 0 ? whole / count : complete, .complete = complete};
}

int64_t TimeModel::kernel(const Operator& op, const JoinAggSpec& spec) const {
  return nanoseconds(kernel_seconds(op, spec, topology_, partial_dtype_));
}

int64_t TimeModel::exchange(LayoutId from, LayoutId to, const ElementBytes& bytes) {
  if (from == to && complete(from)) return 0;
  auto known = std::ranges::find(known_, bytes, &Known::bytes);
  if (known == known_.end()) known = known_.insert(known, {bytes, {}});
  const auto key = static_cast<uint64_t>(from.value) << 32 | static_cast<uint64_t>(to.value);
  const auto [place, added] = known->nanoseconds.try_emplace(key);
  if (added) place->second = nanoseconds(seconds(from, to, bytes));
  return place->second;
}

LayoutId TimeModel::intern(Layout layout) {
  const LayoutId id = layouts_.intern(std::move(layout));
  if (switch_ && id.index() == grids_.size()) grids_.push_back(axes_.grid_of(layouts_[id]));
  return id;
}

double TimeModel::seconds(LayoutId from, LayoutId to, const ElementBytes& bytes) {
  if (switch_ && grids_[from.index()] && grids_[to.index()] && grids_[from.index()]->disjoint) {
    return switch_->seconds(*grids_[from.index()], *grids_[to.index()], axes_, bytes);
  }
  return exchanges_.seconds(layouts_[from], layouts_[to], bytes);
}

int64_t TimeModel::largest_share(LayoutId layout) const {
  std::map<int32_t, int64_t> shares;
  int64_t most = 0;
  for (const Layout::Block& block : layouts_[layout].blocks) {
    for (int32_t site : block.sites) {
      most = std::max(most, shares[site] += elements(block.box));
    }
  }
  return most;
}

namespace {

// No later than the sum of all, which is checked.
int64_t overlapped(const Graph& graph, const std::vector<PlannedTime::OfOp>& ops) {
  std::vector<int64_t> made(graph.tensors().size(), 0);
  int64_t exchanges_end = 0, kernels_end = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    int64_t start = 0;
    for (TensorId input : graph.ops()[i].inputs) start = std::max(start, made[input.index()]);
    if (ops[i].exchange > 0) {
      start = exchanges_end = std::max(start, exchanges_end) + ops[i].exchange;
    }
    kernels_end = std::max(kernels_end, start) + ops[i].kernel;
    for (TensorId output : graph.ops()[i].outputs) made[output.index()] = kernels_end;
  }
  return kernels_end;
}

}  // namespace

PlannedTime planned_time(const Graph& graph, const std::vector<JoinAggSpec>& specs,
                         TimeModel& model, const std::vector<std::vector<int32_t>>& placement) {
  const auto sites_of = [&](size_t op) {
    return placement.empty() ? std::span<const int32_t>() : std::span(placement[op]);
  };
  PlannedTime out;
  out.ops.resize(specs.size());
  struct Reader {
    size_t op;
    LayoutId needs;
  };
  std::vector<std::vector<Reader>> readers(graph.tensors().size());
  for (size_t i = 0; i < specs.size(); ++i) {
    const GraphOp& op = graph.ops()[i];
    out.ops[i].kernel = model.kernel(*op.op, specs[i]);
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (graph.tensor(op.inputs[k]).kind != GraphTensor::Kind::result) continue;
      readers[op.inputs[k].index()].push_back({i, model.needed(specs[i], k, sites_of(i))});
    }
  }
  for (size_t t = 0; t < readers.size(); ++t) {
    const TensorId tensor(static_cast<int64_t>(t));
    if (readers[t].empty()) continue;
    const ElementBytes bytes = model.element_bytes(graph, tensor);
    const size_t producer = graph.tensor(tensor).producer.index();
    const LayoutId made = model.made(
        specs[producer], static_cast<size_t>(graph.tensor(tensor).output), sites_of(producer));
    std::vector<LayoutId> forms;  // that it may be delivered in
    if (model.complete(made)) forms.push_back(made);
    for (const Reader& reader : readers[t]) forms.push_back(reader.needs);
    const auto cost_of = [&](LayoutId form) {
      int64_t cost = model.exchange(made, form, bytes);
      for (const Reader& reader : readers[t]) cost += model.exchange(form, reader.needs, bytes);
      return cost;
    };
    const LayoutId form = *std::ranges::min_element(forms, {}, cost_of);
    out.ops[readers[t][0].op].exchange += model.exchange(made, form, bytes);
    for (const Reader& reader : readers[t]) {
      out.ops[reader.op].exchange += model.exchange(form, reader.needs, bytes);
    }
  }
  for (const PlannedTime::OfOp& op : out.ops) {
    out.total = checked_add(out.total, checked_add(op.exchange, op.kernel));
  }
  out.overlapped = overlapped(graph, out.ops);
  return out;
}

}  // namespace einsummable
