// SPDX-License-Identifier: Apache-2.0
#include "tests/physical/random_holdings.h"

#include <algorithm>
#include <numeric>

#include "tests/support/every_spec.h"

namespace einsummable {

Box random_box(Random& random, const Box& bounds) {
  Box box = bounds;
  for (Interval& axis : box) {
    const int64_t lo = axis.lo + random_below(random, axis.length());
    axis = {lo, lo + 1 + random_below(random, axis.hi - lo)};
  }
  return box;
}

Produced random_producer(Random& random, int64_t sites) {
  Produced out;
  const std::string letters = std::string("xyz").substr(0, random() % 4);
  Shape shape(letters.size() + 1);
  for (int64_t& extent : shape) extent = 1 + random_below(random, 7);
  const TensorId input = out.graph.input(DType::f32, shape, "input");
  out.tensor = out.graph.apply("einsum", {input}, {{"spec", letters + "r->" + letters}}, "made")[0];
  out.graph.save(out.tensor);
  auto signature = std::make_shared<const Signature>(out.graph.ops()[0].op->signatures()[0]);
  std::vector<Cuts> cuts;
  int64_t cells = 1;
  for (const Index& index : signature->indices) {
    const auto chosen = random_cuts(index, 1 + random_below(random, 3), random);
    const bool fits = chosen && cells * count_of(*chosen) <= sites;
    cuts.push_back(fits ? *chosen : uncut(index));
    cells *= count_of(cuts.back());
  }
  out.spec.emplace_back(signature, cuts);
  std::vector<SiteId> all;
  for (int64_t site = 0; site < sites; ++site) all.emplace_back(site);
  std::ranges::shuffle(all, random);
  out.placement.assign(all.begin(), all.begin() + cells);
  return out;
}

Holdings random_holdings(Random& random, const Produced& produced, int64_t sites) {
  Holdings holdings(produced.graph);
  holdings.produce(OpId(0), produced.spec[0], produced.placement);
  for (int64_t held = random_below(random, 4); held > 0; --held) {
    holdings.hold(produced.tensor,
                  {SiteId(random_below(random, sites)), random_box(random, produced.bounds())});
  }
  return holdings;
}

}  // namespace einsummable
