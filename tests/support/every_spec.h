// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "einsummable/ops/operator.h"

namespace einsummable {

// Calls `visit` with every join-agg spec of the signature that has `cells` cells: every ordered
// factorisation over its indices, each once with near-equal cuts and once with random legal ones
// where there is a choice. `within` is respected.
void for_each_spec(const std::shared_ptr<const Signature>& signature, int64_t cells, Random& random,
                   const std::function<void(const JoinAggSpec&)>& visit);

// `count` random intervals of the index, at its ends if it has them; none if it cannot be cut so.
std::optional<Cuts> random_cuts(const Index& index, int64_t count, Random& random);

}  // namespace einsummable
