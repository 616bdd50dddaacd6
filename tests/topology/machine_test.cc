// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/machine.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

TEST(Machine, PassagesOfRoutes) {
  using Kind = Resource::Kind;
  const auto link = parse_passage("link 2->16");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, Kind::link);
  EXPECT_EQ(link->from, 2);
  EXPECT_EQ(link->to, 16);
  EXPECT_EQ(parse_passage("bus up and down")->bus, "up and down");
  EXPECT_EQ(parse_passage("egress")->from, -1);
  EXPECT_EQ(parse_passage("ingress 3")->from, 3);
  EXPECT_EQ(parse_passage("nic out")->kind, Kind::nic_out);
  EXPECT_EQ(parse_passage("nic in 7")->from, 7);
  EXPECT_FALSE(parse_passage("nic in -7"));
  EXPECT_FALSE(parse_passage("link 99999999999999999999->1"));
}

TEST(Machine, FiguresAreShort) {
  EXPECT_EQ(figure_text(25), "25");
  EXPECT_EQ(figure_text(0.5), "0.5");
  EXPECT_EQ(figure_text(125e12), "1.25e+14");
}

// A machine made in C++ is checked like one from a file, but stands in no line.
TEST(Machine, MadeInCode) {
  Machine machine;
  machine.name = "box";
  machine.sites.count = 2;
  machine.links.push_back({{}, {{0, 1}}, 25});
  EXPECT_NO_THROW(verify(machine, "box"));
  machine.links.push_back({{}, {{1, 2}}, 25});
  try {
    verify(machine, "box");
    FAIL();
  } catch (const TopologyError& error) {
    EXPECT_STREQ(error.what(), "box: [[link]]: there is no site 2; there are 0 to 1");
  }
}

}  // namespace
}  // namespace einsummable
