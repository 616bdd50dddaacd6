// SPDX-License-Identifier: Apache-2.0
#include "tests/support/every_spec.h"

#include <algorithm>
#include <numeric>

namespace einsummable {
namespace {

using Chooser = std::function<std::optional<Cuts>(const Index&, int64_t count)>;

// The spec of these counts; none if an index cannot be cut so.
std::optional<JoinAggSpec> spec_of(const std::shared_ptr<const Signature>& signature,
                                   const std::vector<int64_t>& counts, const Chooser& choose) {
  std::vector<Cuts> cuts;
  for (size_t i = 0; i < counts.size(); ++i) {
    const Index& index = signature->indices[i];
    if (index.within >= 0 && counts[i] > 1) {
      const auto outer = static_cast<size_t>(index.within);
      if (counts[outer] != signature->indices[outer].extent) return std::nullopt;
    }
    auto chosen = choose(index, counts[i]);
    if (!chosen) return std::nullopt;
    cuts.push_back(std::move(*chosen));
  }
  return JoinAggSpec(signature, std::move(cuts));
}

void for_each_factorisation(std::vector<int64_t>& counts, size_t next, int64_t product,
                            const std::function<void()>& visit) {
  if (next == counts.size()) {
    if (product == 1) visit();
    return;
  }
  for (int64_t count = 1; count <= product; ++count) {
    if (product % count != 0) continue;
    counts[next] = count;
    for_each_factorisation(counts, next + 1, product / count, visit);
  }
}

}  // namespace

std::optional<Cuts> random_cuts(const Index& index, int64_t count, std::mt19937_64& random) {
  if (count == 1) return uncut(index);
  std::vector<int64_t> places = index.ends;
  if (index.cut == Index::Cut::anywhere) {
    places.resize(static_cast<size_t>(index.extent));
    std::iota(places.begin(), places.end(), 1);
  }
  if (index.cut == Index::Cut::never || count > std::ssize(places)) return std::nullopt;
  places.pop_back();
  Cuts cuts = {0};
  std::ranges::sample(places, std::back_inserter(cuts), count - 1, random);
  cuts.push_back(index.extent);
  return cuts;
}

void for_each_spec(const std::shared_ptr<const Signature>& signature, int64_t cells,
                   std::mt19937_64& random, const std::function<void(const JoinAggSpec&)>& visit) {
  std::vector<int64_t> counts(signature->indices.size(), 1);
  for_each_factorisation(counts, 0, cells, [&] {
    const auto usual = spec_of(signature, counts, near_equal);
    if (usual) visit(*usual);
    const auto other =
        spec_of(signature, counts, [&](const Index& index, int64_t count) -> std::optional<Cuts> {
          return random_cuts(index, count, random);
        });
    if (other && other != usual) visit(*other);
  });
}

}  // namespace einsummable
