// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/preamble.h"

#include "einsummable/base/checked.h"
#include "einsummable/physical/pieces.h"

namespace einsummable {
namespace {

// Bytes of one atom of the region, of what its pieces are multiples of, and of the complete region.
struct RegionBytes {
  int64_t atom = 0, grain = 0, complete = 0;
};

RegionBytes bytes_of(const PhysicalPlan& plan, const Region& region) {
  const GraphTensor& tensor = plan.graph->tensor(region.tensor);
  const auto output = static_cast<size_t>(tensor.output);
  RegionBytes bytes;
  bytes.complete = checked_multiply(region.elements(), size_of(tensor.type.dtype));
  if (plan.specs[tensor.producer.index()].partials(output) == 1) {
    bytes.atom = bytes.complete;
    bytes.grain = grain_elements(region.boxes, nullptr) * size_of(tensor.type.dtype);
    return bytes;
  }
  const PartialType partial = plan.partial(region.tensor);
  for (const Box& box : region.boxes) {
    bytes.atom = checked_add(bytes.atom, partial_bytes(partial, box));
  }
  bytes.grain = bytes.atom / (region.elements() / grain_elements(region.boxes, &partial));
  return bytes;
}

void add_region(exchange::Program& program, const std::vector<SiteId>& holders,
                const std::string& name, RegionBytes bytes, Region& region) {
  region.atoms.clear();
  for (size_t k = 0; k < holders.size(); ++k) {
    const std::string suffix = holders.size() == 1 ? "" : "." + std::to_string(k);
    region.atoms.push_back(
        program.add_atom({.name = name + suffix, .bytes = bytes.atom, .grain = bytes.grain}));
    program.give(program.aggregate(region.atoms.back()), holders[k]);
  }
  region.complete = program.aggregate(region.atoms);
  if (bytes.complete != program.bytes(region.complete)) {
    program.set_complete_bytes(region.complete, bytes.complete);
  }
  for (SiteId site : region.formed) {
    if (holders.size() > 1 || site != holders[0]) program.give(region.complete, site);
  }
  for (SiteId site : region.required) program.require(region.complete, site);
}

}  // namespace

std::vector<Resident> needs(const JoinAggSpec& spec, size_t input, std::span<const SiteId> sites) {
  std::vector<Resident> out;
  for (int64_t cell = 0; cell < spec.cells(); ++cell) {
    Box box = spec.signature().inputs[input](spec.intervals(cell));
    if (!empty(box)) out.push_back({sites[static_cast<size_t>(cell)], std::move(box)});
  }
  return out;
}

void write_preamble(const PhysicalPlan& plan, const Holdings& holdings, ExchangeStep& step) {
  step.program = exchange::Program();
  step.program.set_sites(plan.sites);
  for (size_t r = 0; r < step.regions.size(); ++r) {
    Region& region = step.regions[r];
    const std::string name = "t" + std::to_string(region.tensor.value) + "." + std::to_string(r);
    const auto& holders = holdings.partial_sites(region.tensor, static_cast<size_t>(region.block));
    add_region(step.program, holders, name, bytes_of(plan, region), region);
  }
}

}  // namespace einsummable
