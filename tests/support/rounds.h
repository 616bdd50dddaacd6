// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace einsummable {

// How many rounds a property test runs: `usual`; `full` where the environment variable
// EINSUMMABLE_TEST_FULL is 1; and in a build with sanitizers, which runs many times slower, a fifth
// of `usual`, at least 1.
int rounds(int usual, int full);

// Whether tests run on the host twin of CUDA, which compiles every kernel, and not all of their
// seeds: a tenth of what they do is enough.
bool is_sparse();

}  // namespace einsummable
