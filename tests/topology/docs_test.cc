// SPDX-License-Identifier: Apache-2.0
// The machine in docs/topology.md is one, and behaves as the page says.
#include <gtest/gtest.h>

#include <fstream>

#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/resolve.h"

namespace einsummable {
namespace {

// The indented block of the page that starts with this line, without its indentation. Blank lines
// do not end it.
std::string block(const std::string& first) {
  std::ifstream page(EINSUMMABLE_DOCS "/topology.md");
  std::string found;
  for (std::string line; std::getline(page, line);) {
    if (found.empty() && line != "    " + first) continue;
    if (!line.empty() && !line.starts_with("    ")) break;
    found += (line.empty() ? "" : line.substr(4)) + '\n';
  }
  return found;
}

TEST(TopologyDocs, TheBoxIsAMachine) {
  const Machine machine = parse_machine(block("# my-box.toml"), "docs/topology.md");
  const Topology box = resolve_first(machine, 4);
  const auto gbps = [&](int64_t from, int64_t to) {
    double least = 1e9;
    for (ResourceId id : box.route(from, to)->resources) {
      least = std::min(least, box.resource(id).gbps);
    }
    return least;
  };
  EXPECT_EQ(gbps(0, 1), 56);
  EXPECT_EQ(gbps(2, 3), 26);
  EXPECT_EQ(gbps(1, 2), 26);
  EXPECT_EQ(box.route(3, 0)->latency_us, 5);
  EXPECT_EQ(box.device(0).memory_bytes, 48'000'000'000);
}

}  // namespace
}  // namespace einsummable
