// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "einsummable/synthesis/proposer.h"

namespace einsummable {

// A callable from prompt to reply, both texts.
using PythonProposer = nanobind::typed<nanobind::callable, nanobind::str(nanobind::str)>;

// The same for the core, which calls and copies it without the GIL.
synthesis::Proposer proposer_of(const PythonProposer& proposer);

}  // namespace einsummable
