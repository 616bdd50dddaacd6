// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "einsummable/spec/join_agg_spec.h"

namespace einsummable {

// Calls `visit` with every join-agg spec of the signature that has `cells` cells: every ordered
// factorisation over its indices, each once with near-equal cuts and once with random legal ones
// where there is a choice. `within` is respected.
void for_each_spec(const std::shared_ptr<const Signature>& signature, int64_t cells,
                   std::mt19937_64& random, const std::function<void(const JoinAggSpec&)>& visit);

// `count` random intervals of the index, at its ends if it has them; none if it cannot be cut so.
std::optional<Cuts> random_cuts(const Index& index, int64_t count, std::mt19937_64& random);

}  // namespace einsummable
