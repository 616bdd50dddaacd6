// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace einsummable {

// docs/operators.md: every operator of the registry that is no scalar function, with its signature,
// attributes, and how it is cut on a random sample of its own.
std::string operators_page();

// docs/functions.md: every scalar function.
std::string functions_page();

}  // namespace einsummable
