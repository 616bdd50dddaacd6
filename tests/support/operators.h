// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "einsummable/ops/registry.h"
#include "einsummable/ops/whole_reference.h"

namespace einsummable {

// The operator of the registry called `name`, made for inputs of these types.
std::shared_ptr<const Operator> operator_of(std::string_view name, std::vector<TensorType> inputs,
                                            Attributes attributes = {});

// What the message of the GraphError is; empty if there is none.
std::string refusal(std::string_view name, std::vector<TensorType> inputs,
                    Attributes attributes = {});

TensorType f32(const Shape& shape);
TensorType i32(const Shape& shape);

// A tensor at the origin with these values, row-major.
Array64 array(const Shape& shape, std::vector<double> values);
// 0, 1, 2, ... in row-major order.
Array64 counting(const Shape& shape);
// Integers of [-below, below).
Array64 random_integers(Random& random, const Shape& shape, int64_t below);
Array64 random_reals(Random& random, const Shape& shape);

// The partial results of one cell, all components of output 0, then of output 1, ... Throws
// InternalError if the reference leaves an element of them unfilled.
std::vector<Array64> partials_of(const Operator& op, const FunctionSpec& cell,
                                 const std::vector<Array64>& inputs);

// What an operator of one float32 input makes of counting(x), row-major.
std::vector<double> applied(std::string_view name, const Shape& x, Attributes attributes);

// The first signature of the operator, in notation.
std::string notation(std::string_view name, std::vector<TensorType> inputs,
                     Attributes attributes = {});

// The outputs under a spec by the three steps of Definition 3.7: join, aggregate, recompose.
// Partial results merge in a shuffled order.
std::vector<Array64> implemented(const Operator& op, const JoinAggSpec& spec,
                                 const std::vector<Array64>& inputs);

}  // namespace einsummable
