// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace einsummable {

// The texts of ARCHITECTURE.md that the code computes, by their marks: the paper's feed-forward
// network for two devices, stage after stage.
std::map<std::string, std::string> walk();

}  // namespace einsummable
