// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace einsummable {
namespace {

double bytes_of(const Operator& op, const JoinAggSpec& spec, const FunctionSpec& cell,
                std::optional<DType> partial_dtype) {
  double bytes = 0;
  for (size_t k = 0; k < cell.inputs.size(); ++k) {
    bytes += static_cast<double>(elements(cell.inputs[k])) *
             static_cast<double>(size_of(op.inputs()[k].dtype));
  }
  for (size_t o = 0; o < cell.outputs.size(); ++o) {
    bytes += spec.partials(o) == 1
                 ? static_cast<double>(elements(cell.outputs[o])) *
                       static_cast<double>(size_of(op.outputs()[o].dtype))
                 : static_cast<double>(
                       partial_bytes(with_sums_in(op.partial(o), partial_dtype), cell.outputs[o]));
  }
  return bytes;
}

// The fraction of the peak that the machine reaches: that of the nearest shape it states.
double efficiency(const Topology& topology, const KernelShape& kernel, std::string_view dtype) {
  double best = 0, fraction = 1;
  bool found = false;
  for (const Efficiency& each : topology.efficiencies) {
    if (each.op != kernel.kind || each.dtype != dtype) continue;
    if (each.shape.size() != kernel.extents.size()) continue;
    double distance = 0;
    for (size_t i = 0; i < each.shape.size(); ++i) {
      const auto log_of = [](int64_t extent) {
        return std::log(static_cast<double>(std::max<int64_t>(1, extent)));
      };
      const double step = log_of(kernel.extents[i]) - log_of(each.shape[i]);
      distance += step * step;
    }
    if (found && distance >= best) continue;
    found = true;
    best = distance;
    fraction = each.fraction;
  }
  return fraction;
}

// Intervals of one index whose cells take the same time: one of them, and how many there are.
struct Alike {
  Interval interval;
  double count = 0;
};

// Whether equally long intervals of the index may stand for different work.
bool irregular(const Signature& signature, size_t index) {
  if (signature.indices[index].work.kind != Work::Kind::length) return true;
  const auto depends = [&](const OperandMap& operand) {
    return std::ranges::any_of(operand.axes, [&](const AxisMap& axis) {
      const bool plain = axis.floor_at.empty() && axis.ceiling_at.empty() && !axis.counting;
      return !plain && std::ranges::any_of(axis.terms, [&](const Term& term) {
        return static_cast<size_t>(term.index) == index;
      });
    });
  };
  return std::ranges::any_of(signature.inputs, depends) ||
         std::ranges::any_of(signature.outputs, depends);
}

std::vector<Alike> alike_intervals(const Signature& signature, size_t index, const Cuts& cuts) {
  std::vector<Alike> out;
  const bool by_itself = irregular(signature, index);
  for (int64_t part = 0; part < count_of(cuts); ++part) {
    const Interval interval = interval_of(cuts, part);
    const auto same = std::ranges::find_if(out, [&](const Alike& alike) {
      return !by_itself && alike.interval.length() == interval.length();
    });
    if (same == out.end()) {
      out.push_back({interval, 1});
    } else {
      ++same->count;
    }
  }
  return out;
}

bool is_view(const Operator& op, const Signature& signature, const FunctionSpec& cell) {
  if (!signature.layout || cell.inputs.size() != 1) return false;
  const Shape shape = shape_of(cell.inputs[0]);
  return op.view(cell, {.offset = 0, .shape = shape, .strides = row_major_strides(shape)})
      .has_value();
}

double cell_seconds(const Operator& op, const JoinAggSpec& spec, std::span<const Interval> cell,
                    const Topology& topology, std::optional<DType> partial_dtype) {
  const Device& device = topology.device(0);
  FunctionSpec blocks;
  for (const OperandMap& input : spec.signature().inputs) blocks.inputs.push_back(input(cell));
  for (const OperandMap& output : spec.signature().outputs) blocks.outputs.push_back(output(cell));
  if (is_view(op, spec.signature(), blocks)) return 0;
  double seconds = arithmetic_seconds(op, blocks, topology, device);
  if (device.hbm_gbps > 0) {
    seconds =
        std::max(seconds, bytes_of(op, spec, blocks, partial_dtype) / (device.hbm_gbps * 1e9));
  }
  return seconds + device.kernel_latency_us * 1e-6;
}

// The same cell by cell, where sites share devices: their cells take turns.
double seconds_in_turns(const Operator& op, const JoinAggSpec& spec, const Topology& topology,
                        std::optional<DType> partial_dtype) {
  std::vector<double> of_device(topology.devices.size(), 0);
  double total = 0;
  for (int64_t c = 0; c < spec.cells(); ++c) {
    const double seconds = cell_seconds(op, spec, spec.intervals(c), topology, partial_dtype);
    of_device[static_cast<size_t>(topology.device_of[static_cast<size_t>(c)])] += seconds;
    total += seconds;
  }
  const double busiest = *std::ranges::max_element(of_device);
  if (topology.workers == 0) return busiest;
  return std::max(busiest, total / static_cast<double>(topology.workers));
}

}  // namespace

double arithmetic_seconds(const Operator& op, const FunctionSpec& cell, const Topology& topology,
                          const Device& device) {
  const double flops = op.flops(cell);
  if (flops <= 0) return 0;
  const std::string_view dtype =
      long_name(op.inputs().empty() ? op.outputs()[0].dtype : op.inputs()[0].dtype);
  const auto rate = device.flops.find(std::string(dtype));
  if (rate == device.flops.end()) return 0;
  return flops / (rate->second * efficiency(topology, op.kernel_shape(cell), dtype));
}

double kernel_seconds(const Operator& op, const JoinAggSpec& spec, const Topology& topology,
                      std::optional<DType> partial_dtype) {
  if (topology.devices.size() != topology.device_of.size()) {
    return seconds_in_turns(op, spec, topology, partial_dtype);
  }
  const Signature& signature = spec.signature();
  std::vector<std::vector<Alike>> alike;
  for (size_t i = 0; i < signature.indices.size(); ++i) {
    alike.push_back(alike_intervals(signature, i, spec.cuts()[i]));
  }
  std::vector<Interval> cell(alike.size());
  double slowest = 0, total = 0;
  const auto visit = [&](const auto& self, size_t index, double count) -> void {
    if (index < alike.size()) {
      for (const Alike& each : alike[index]) {
        cell[index] = each.interval;
        self(self, index + 1, count * each.count);
      }
      return;
    }
    const double seconds = cell_seconds(op, spec, cell, topology, partial_dtype);
    slowest = std::max(slowest, seconds);
    total += count * seconds;
  };
  visit(visit, 0, 1);
  auto at_once = static_cast<double>(topology.devices.size());
  if (topology.workers > 0) at_once = std::min(at_once, static_cast<double>(topology.workers));
  return std::max(slowest, total / at_once);
}

}  // namespace einsummable
