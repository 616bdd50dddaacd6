// SPDX-License-Identifier: Apache-2.0
#include "einsummable/task/by_aggregate.h"

namespace einsummable {

ByAggregate<exchange::SiteId> arrivals(const ExchangeStep& step) {
  std::vector<ByAggregate<SiteId>::Entry> out;
  out.reserve(step.program.given().size() + step.derivations.size());
  for (const exchange::Given& given : step.program.given()) {
    out.push_back({given.aggregate, given.site});
  }
  for (const Derivation& made : step.derivations) out.push_back({made.aggregate, made.site});
  return {step.program.aggregate_count(), out};
}

}  // namespace einsummable
