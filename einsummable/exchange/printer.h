// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/exchange/program.h"

namespace einsummable::exchange {

// The canonical text of a program; parse() reads back an equal one. Sites are always listed; sizes
// only where they are not the default, grains only where given; equal pieces without sizes.
std::string print(const Program& program);

}  // namespace einsummable::exchange
