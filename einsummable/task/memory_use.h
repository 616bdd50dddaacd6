// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "einsummable/task/accesses.h"

namespace einsummable {

// When a buffer holds data: from the first task that writes it to the last that touches it, as
// positions in the list.
struct Lifetime {
  static constexpr int64_t forever = std::numeric_limits<int64_t>::max();

  int64_t first = forever, last = -1;

  bool is_used() const { return first <= last && first != forever; }
  bool meets(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

// Of every buffer. Parameters live forever, what is fetched to the end.
std::vector<Lifetime> lifetimes(const TaskGraph& graph, const Accesses& accesses);

// Bytes in use while a buffer holds data, or a task runs.
struct Use {
  Lifetime life;
  int64_t bytes = 0;
};

// The most bytes in use at one time, and the first task at which they are; -1: before all tasks.
struct Fullest {
  int64_t bytes = 0, task = -1;
};
Fullest fullest(std::span<const Use> uses);

// Of every site, the largest sum of bytes alive at one time while the tasks run as listed, each
// with its workspace: no plan of the memory needs less. Workspaces are known.
std::vector<int64_t> least_bytes(const TaskGraph& graph);

// What the memory of one site is for, in bytes. Temporaries are activations, partial results and
// copies; gaps between buffers count as theirs.
struct MemoryUse {
  int64_t site = 0;
  int64_t parameters = 0, inputs = 0, temporaries = 0, workspace = 0;
  std::vector<char> tensors;  // by TensorId: whether it has bytes there when most are in use

  int64_t peak() const { return parameters + inputs + temporaries + workspace; }
};

// That of the site with the largest peak, when most of its buffers' bytes are in use. Memory is
// planned.
MemoryUse memory_use(const TaskGraph& graph);

// How amounts are written: in MB, rounded up, from a million bytes on; or in bytes.
enum class Figures : uint8_t { rounded, exact };
// "4.1 MB" or "4096000 B".
std::string amount_text(int64_t bytes, Figures figures);
// "parameters 4.0 MB, inputs 2.0 MB, activations and partial results 2.0 MB, workspace 0 B"
std::string text(const MemoryUse& use, Figures figures);
// Exact where two amounts would read the same if rounded.
Figures figures_to_tell(int64_t a, int64_t b);

}  // namespace einsummable
