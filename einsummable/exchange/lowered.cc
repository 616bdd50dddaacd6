// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/lowered.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/exchange/sends.h"

namespace einsummable::exchange {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }
int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

}  // namespace

int64_t Lowered::form_bytes(const Form& form) const {
  int64_t bytes = items[index(form.item)].bytes;
  for (int32_t part : parts_of(form)) bytes = checked_add(bytes, items[index(part)].bytes);
  return bytes;
}

ItemIndex::ItemIndex(const Program& program, std::span<const Derivation> sorted)
    : first_(program.aggregate_count() + 1, 0) {
  for (const Derivation& d : sorted) {
    ++first_[d.aggregate.index() + 1];
    sites_.push_back(d.site);
  }
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

int32_t ItemIndex::find(AggregateId aggregate, SiteId site) const {
  const auto begin = sites_.begin() + first_[aggregate.index()];
  const auto end = sites_.begin() + first_[aggregate.index() + 1];
  const auto at = std::lower_bound(begin, end, site);
  return at != end && *at == site ? static_cast<int32_t>(at - sites_.begin()) : -1;
}

Lowered lower(const Program& program, const Members& members,
              std::span<const Derivation> derivations, std::span<const AggregateId> parts) {
  std::vector<Derivation> sorted(derivations.begin(), derivations.end());
  std::ranges::sort(sorted, {}, [](const Derivation& d) { return std::pair(d.aggregate, d.site); });
  const ItemIndex items(program, sorted);
  Lowered lowered;
  for (const Derivation& d : sorted) {
    lowered.items.push_back(
        {d.site.value, d.kind == Derivation::Kind::given, program.bytes(d.aggregate)});
  }
  std::vector<bool> formed(sorted.size(), false);
  for (const Action& action : program.body()) {
    each_site(action.source, members, [&](SiteId site) {
      const int32_t item = items.find(action.aggregate, site);
      const Derivation& d = sorted[index(item)];
      if (d.kind != Derivation::Kind::aggregated || formed[index(item)]) return;
      formed[index(item)] = true;
      lowered.forms.push_back({item, narrow(lowered.parts.size()), d.part_count});
      for (AggregateId part : parts.subspan(index(d.first_part), index(d.part_count))) {
        lowered.parts.push_back(items.find(part, site));
        ensure(lowered.parts.back() >= 0, "parts are derived where they are aggregated");
      }
    });
  }
  each_send(program, members, [&](const Send& send) {
    const int32_t to = items.find(send.aggregate, send.destination);
    const Derivation& d = sorted[index(to)];
    if (d.kind == Derivation::Kind::received && d.source == send.source) {
      lowered.transfers.push_back({items.find(send.aggregate, send.source), to});
    }
  });
  return lowered;
}

}  // namespace einsummable::exchange
