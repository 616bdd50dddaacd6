// SPDX-License-Identifier: Apache-2.0
// Each mistake in a machine file has a message of its own that names file, line and field.
#include <gtest/gtest.h>

#include "tests/topology/machine_texts.h"

namespace einsummable {
namespace {

// Of four sites, with tables from line 7 on.
std::string error_of(const std::string& tables) {
  return machine_error(machine_text_of("4", tables));
}

TEST(MachineErrors, OfTheFile) {
  const std::string sites = "[sites]\ncount = 2\nhbm = 1\n";
  EXPECT_EQ(machine_error(""), "m.toml:1: the file has no field \"version\"");
  EXPECT_EQ(machine_error("version = 2\nname = \"a\"\n" + sites),
            "m.toml:1: version is not 1, the only one there is");
  EXPECT_EQ(machine_error("version = 1\n" + sites), "m.toml:1: the file has no field \"name\"");
  EXPECT_EQ(machine_error("version = 1\nname = \"\"\n" + sites), "m.toml:2: name is empty");
  EXPECT_EQ(machine_error("version = 1\nname = 3\n" + sites),
            "m.toml:2: name is an integer, not a text");
  EXPECT_EQ(machine_error("version = 1\nname = \"a\"\n"),
            "m.toml:1: the file has no field \"sites\"");
  EXPECT_EQ(machine_error("version = 1\nname = \"a\"\nsites = 2\n"),
            "m.toml:3: sites is an integer, not a table [sites]");
  EXPECT_EQ(
      machine_error("version = 1\nname = \"a\"\ncolour = \"red\"\n" + sites),
      "m.toml:3: there is no field \"colour\"; there are version, name, sites, compute, link, "
      "switch, bus, node, nic, route, efficiency, source");
  EXPECT_EQ(machine_error("version = 1\nname = \"a\"\nlink = 3\n" + sites),
            "m.toml:3: link is an integer, not a list");
  EXPECT_EQ(machine_error("version = 1\nname = \"a\"\nlink = [3]\n" + sites),
            "m.toml:3: link is an integer, not a table [[link]]");
  EXPECT_EQ(
      machine_error("version = 1\nversion = 1\n"),
      "m.toml:2: Error while parsing key-value pair: cannot redefine existing integer 'version'");
  EXPECT_EQ(machine_error(std::string(16'000'001, ' ')),
            "m.toml: a machine file has at most 16000000 bytes");
  std::string dots;
  for (int i = 0; i < 400; ++i) dots += "a.b.c.d" + std::to_string(i) + " = 1\n";
  EXPECT_EQ(machine_error(dots),
            "m.toml: too many names with dots, or of tables that do not exist");
}

// toml++ has undefined behaviour on some of it.
TEST(MachineErrors, OtherThanAsciiIsRefused) {
  const std::string reason = "a machine file is ASCII";
  EXPECT_EQ(machine_error("version = 1\n\u00e9 = 2"), "m.toml:2: " + reason);
  EXPECT_EQ(machine_error("version = 1\u0123\n"), "m.toml:1: " + reason);
  EXPECT_EQ(machine_error("name = \"\\\u00e9\""), "m.toml:1: " + reason);
  EXPECT_EQ(machine_error("# \u00e9\n"), "m.toml:1: " + reason);
  EXPECT_EQ(machine_error("hbm = 1_'''_0\xcf\x92\n"), "m.toml:1: " + reason);
  EXPECT_EQ(machine_error("\uFEFF" + machine_text_of("2", "")), "");
}

TEST(MachineErrors, OfSites) {
  const auto sites = [](const std::string& fields) {
    return machine_error("version = 1\nname = \"a\"\n[sites]\n" + fields);
  };
  EXPECT_EQ(sites("hbm = 1"), "m.toml:3: [sites] has no field \"count\"");
  EXPECT_EQ(sites("count = 2"), "m.toml:3: [sites] has no field \"hbm\"");
  EXPECT_EQ(sites("count = \"some\""), "m.toml:4: [sites] count is a number or \"any\"");
  EXPECT_EQ(sites("count = 0"), "m.toml:4: [sites] count = 0 is not from 1 to 4096");
  EXPECT_EQ(sites("count = 4097"), "m.toml:4: [sites] count = 4097 is not from 1 to 4096");
  EXPECT_EQ(sites("count = 1.5"), "m.toml:4: [sites] count is a number, not an integer");
  EXPECT_EQ(sites("count = 1\nhbm = 1\nmemory = -1"),
            "m.toml:6: [sites] memory = -1 is not from 1 to 1e+18");
  EXPECT_EQ(sites("count = 1\nhbm = 1\nmemory = 1e19"),
            "m.toml:6: [sites] memory = 1e+19 is not from 1 to 1e+18");
  EXPECT_EQ(sites("count = 1\nhbm = 1\nflops = 1e12"),
            "m.toml:6: [sites] flops is a number, not a table of dtypes");
  EXPECT_EQ(sites("count = 1\nhbm = 1\nflops.fp16 = 1e12"),
            "m.toml:6: [sites] flops: there is no field \"fp16\"; there are float16, bfloat16, "
            "float32, float64, int32, int64, bool, source");
}

TEST(MachineErrors, FiguresAreFiniteAndInRange) {
  const auto gbps = [](const std::string& value) {
    return error_of("[[link]]\nsites = [0, 1]\ngbps = " + value);
  };
  EXPECT_EQ(gbps("-25"), "m.toml:9: [[link]] gbps = -25 is not from 1e-06 to 1e+09");
  EXPECT_EQ(gbps("0"), "m.toml:9: [[link]] gbps = 0 is not from 1e-06 to 1e+09");
  EXPECT_EQ(gbps("nan"), "m.toml:9: [[link]] gbps = nan is not from 1e-06 to 1e+09");
  EXPECT_EQ(gbps("inf"), "m.toml:9: [[link]] gbps = inf is not from 1e-06 to 1e+09");
  EXPECT_EQ(gbps("1e300"), "m.toml:9: [[link]] gbps = 1e+300 is not from 1e-06 to 1e+09");
  EXPECT_EQ(gbps("\"25\""), "m.toml:9: [[link]] gbps is a text, not a number");
  EXPECT_EQ(gbps("true"), "m.toml:9: [[link]] gbps is true or false, not a number");
  EXPECT_EQ(gbps("2020-01-01"), "m.toml:9: [[link]] gbps is a date or time, not a number");
  EXPECT_EQ(gbps("25\nlatency_us = -1"),
            "m.toml:10: [[link]] latency_us = -1 is not from 0 to 1e+09");
  EXPECT_EQ(gbps("25\nlatency_us = inf"),
            "m.toml:10: [[link]] latency_us = inf is not from 0 to 1e+09");
  EXPECT_EQ(gbps("25\nboth = 1"), "m.toml:10: [[link]] both is an integer, not true or false");
  EXPECT_EQ(gbps("25\nbps = 1"),
            "m.toml:10: [[link]] there is no field \"bps\"; there are sites, pairs, gbps, "
            "latency_us, both, source");
  EXPECT_EQ(gbps("25\nsource = 5"), "m.toml:10: [[link]] source is an integer, not a text");
}

TEST(MachineErrors, OfLinks) {
  EXPECT_EQ(error_of("[[link]]\ngbps = 1"),
            "m.toml:7: [[link]] has either sites = [0, 1] or pairs = [[0, 1], [0, 2]]");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 1]\npairs = [[0, 1]]\ngbps = 1"),
            "m.toml:7: [[link]] has either sites = [0, 1] or pairs = [[0, 1], [0, 2]]");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 1]"), "m.toml:7: [[link]] has no field \"gbps\"");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 1, 2]\ngbps = 1"),
            "m.toml:8: [[link]] sites: a pair has two sites");
  EXPECT_EQ(error_of("[[link]]\nsites = []\ngbps = 1"),
            "m.toml:8: [[link]] sites is an empty list");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 4]\ngbps = 1"),
            "m.toml:7: [[link]]: there is no site 4; there are 0 to 3");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, -1]\ngbps = 1"),
            "m.toml:8: [[link]] sites = -1 is not from 0 to 4095");
  EXPECT_EQ(error_of("[[link]]\nsites = [1, 1]\ngbps = 1"),
            "m.toml:7: [[link]]: [1, 1] is one site, not a pair");
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 1]\ngbps = 1\n[[link]]\nsites = [1, 0]\ngbps = 1"),
            "m.toml:10: [[link]]: the pair [1, 0] is linked twice; give one link the bandwidth of "
            "both");
  // One each way is no duplicate.
  EXPECT_EQ(error_of("[[link]]\nsites = [0, 1]\ngbps = 1\nboth = false\n"
                     "[[link]]\nsites = [1, 0]\ngbps = 2\nboth = false"),
            "");
}

TEST(MachineErrors, OfSwitches) {
  const std::string rest = "\negress = 1\ningress = 1\n";
  EXPECT_EQ(error_of("[[switch]]\nsites = \"some\"" + rest),
            "m.toml:8: [[switch]] sites is a text, not a list");
  EXPECT_EQ(error_of("[[switch]]\nsites = [0, 9]" + rest),
            "m.toml:7: [[switch]]: there is no site 9; there are 0 to 3");
  EXPECT_EQ(error_of("[[switch]]\nsites = [0, 0]" + rest),
            "m.toml:7: [[switch]]: site 0 is named twice");
  EXPECT_EQ(error_of("[[switch]]\nsites = [0, 1]" + rest + "[[switch]]\nsites = \"all\"" + rest),
            "m.toml:11: [[switch]]: site 0 is named in another [[switch]] too");
}

TEST(MachineErrors, OfBuses) {
  const std::string bus = "[[bus]]\ngbps = 1\n";
  EXPECT_EQ(error_of(bus), "m.toml:7: [[bus]] has no field \"name\"");
  EXPECT_EQ(error_of(bus + "name = \"a\"\npairs = \"all\""),
            "m.toml:10: [[bus]] pairs is a text, not a list");
  EXPECT_EQ(error_of(bus + "name = \"a\"\npairs = [[0, 1], [1, 0]]"),
            "m.toml:7: [[bus]] \"a\": the pair [1, 0] is on a bus twice");
  EXPECT_EQ(error_of(bus + "name = \"a\"\npairs = [[0, 1]]\n" + bus +
                     "name = \"b\"\n"
                     "pairs = [[0, 1]]"),
            "m.toml:11: [[bus]] \"b\": the pair [0, 1] is on a bus twice");
  EXPECT_EQ(error_of(bus + "name = \"a\"\npairs = \"unlinked\"\n" + bus +
                     "name = \"b\"\n"
                     "pairs = \"unlinked\""),
            "m.toml:11: [[bus]] \"b\": another bus has the unlinked pairs; they would be on a bus "
            "twice");
  EXPECT_EQ(error_of(bus + "name = \"a\"\n" + bus + "name = \"a\""),
            "m.toml:10: [[bus]] \"a\": the name is taken");
  EXPECT_EQ(error_of(bus + "name = \"a\"\npairs = [[0, 7]]"),
            "m.toml:7: [[bus]] \"a\": there is no site 7; there are 0 to 3");
}

TEST(MachineErrors, OfNodesAndNics) {
  const std::string nodes = "[[node]]\nsites = [0, 1]\n[[node]]\nsites = [2, 3]\n";
  const std::string rest = "egress = 1\ningress = 1\n";
  EXPECT_EQ(error_of("[[node]]\nsites = [0, 1]"), "m.toml:7: [[node]]: site 2 is in no node");
  EXPECT_EQ(error_of(nodes + "[[node]]\nsites = [0]"),
            "m.toml:11: [[node]]: site 0 is named in another [[node]] too");
  EXPECT_EQ(error_of(nodes + "[[link]]\nsites = [0, 3]\ngbps = 1"),
            "m.toml:11: [[link]]: sites 0 and 3 are in two nodes; between nodes there are NICs "
            "alone, or a [[route]]");
  EXPECT_EQ(error_of(nodes + "[[switch]]\nsites = \"all\"\n" + rest),
            "m.toml:11: [[switch]]: sites 0 and 2 are in two nodes; between nodes there are NICs "
            "alone, or a [[route]]");
  EXPECT_EQ(
      error_of(nodes + "[[bus]]\nname = \"b\"\ngbps = 1\npairs = [[1, 2]]"),
      "m.toml:11: [[bus]] \"b\": sites 1 and 2 are in two nodes; between nodes there are NICs "
      "alone, or a [[route]]");
  EXPECT_EQ(
      error_of("[[nic]]\nsite = 0\n" + rest),
      "m.toml:7: [[nic]]: NICs join nodes, and there is no [[node]] that says which sites are "
      "together");
  EXPECT_EQ(error_of(nodes + "[[nic]]\n" + rest),
            "m.toml:11: [[nic]] has either site = 0 or sites = [0, 1]");
  EXPECT_EQ(error_of(nodes + "[[nic]]\nsite = 0\n" + rest + "[[nic]]\nsites = [0, 1]\n" + rest),
            "m.toml:15: [[nic]]: site 0 is named in another [[nic]] too");
}

TEST(MachineErrors, OfRoutes) {
  const std::string before =
      "[[link]]\nsites = [0, 1]\ngbps = 1\nboth = false\n"
      "[[switch]]\nsites = [2, 3]\negress = 1\ningress = 1\n";
  const auto route = [&](const std::string& fields) {
    return error_of(before + "[[route]]\n" + fields);
  };
  EXPECT_EQ(route("from = 0\nto = 1\nvia = [\"link 0->1\"]"), "");
  EXPECT_EQ(route("from = 0\nto = 1"), "m.toml:15: [[route]] has no field \"via\"");
  EXPECT_EQ(route("from = 0\nto = 1\nvia = []"), "m.toml:18: [[route]] via is an empty list");
  EXPECT_EQ(route("from = 0\nto = 1\nvia = [4]"),
            "m.toml:18: [[route]] via is an integer, not a text");
  EXPECT_EQ(route("from = 0\nto = 9\nvia = [\"link 0->1\"]"),
            "m.toml:15: [[route]]: there is no site 9; there are 0 to 3");
  EXPECT_EQ(route("from = 2\nto = 2\nvia = [\"egress\"]"),
            "m.toml:15: [[route]]: from and to are one site, not a pair");
  std::string many = "0";
  for (int i = 0; i < 4096; ++i) many += ", 0";
  EXPECT_EQ(route("from = [" + many + "]\nto = 0\nvia = [\"egress\"]"),
            "m.toml:16: [[route]] from: more sites than a machine may have");
  EXPECT_EQ(route("from = [0, 0]\nto = 1\nvia = [\"link 0->1\"]"),
            "m.toml:15: [[route]]: the way from 0 to 1 is given twice");
  EXPECT_EQ(route("from = 0\nto = 1\nvia = [\"link 1->0\"]"),
            "m.toml:15: [[route]]: via \"link 1->0\": there is no such link");
  EXPECT_EQ(route("from = 0\nto = 1\nvia = [\"link 0->1\"]\nboth = true"),
            "m.toml:15: [[route]]: via \"link 0->1\": there is no link back");
  EXPECT_EQ(route("from = 0\nto = 1\nvia = [\"bus pcie\"]"),
            "m.toml:15: [[route]]: via \"bus pcie\": there is no such bus");
  EXPECT_EQ(route("from = 0\nto = 2\nvia = [\"egress\"]"),
            "m.toml:15: [[route]]: via \"egress\": site 0 is in no switch");
  EXPECT_EQ(route("from = 0\nto = 2\nvia = [\"ingress 9\"]"),
            "m.toml:15: [[route]]: there is no site 9; there are 0 to 3");
  EXPECT_EQ(route("from = 0\nto = 2\nvia = [\"nic out\"]"),
            "m.toml:15: [[route]]: via \"nic out\": site 0 has no NIC");
  for (const char* text : {"link 0-1", "link a->b", "egress3", "egress x", "nic", "bridge", " "}) {
    EXPECT_EQ(route("from = 0\nto = 2\nvia = [\"" + std::string(text) + "\"]"),
              "m.toml:15: [[route]]: via \"" + std::string(text) +
                  "\" is none of \"link 0->1\", \"egress\", \"ingress\", \"bus NAME\", \"nic out\" "
                  "and \"nic in\", the last with a site or without");
  }
}

TEST(MachineErrors, OfComputeAndEfficiency) {
  EXPECT_EQ(error_of("[compute]\nworkers = 0"),
            "m.toml:8: [compute] workers = 0 is not from 1 to 4096");
  const std::string table = "[[efficiency]]\nop = \"matmul\"\ndtype = \"float32\"\n";
  EXPECT_EQ(error_of(table + "shape = [64]"), "m.toml:7: [[efficiency]] has no field \"fraction\"");
  EXPECT_EQ(error_of(table + "shape = [64]\nfraction = 1.1"),
            "m.toml:11: [[efficiency]] fraction = 1.1 is not from 1e-09 to 1");
  EXPECT_EQ(error_of(table + "shape = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\nfraction = 1"),
            "m.toml:10: [[efficiency]] shape has more than 16 extents");
}

// Names may be as long as a file.
TEST(MachineErrors, AreShort) {
  const std::string name(1'000'000, 'x');
  EXPECT_LT(error_of(name + " = 1").size(), 500);
  EXPECT_LT(error_of("[[route]]\nfrom = 0\nto = 1\nvia = [\"" + name + "\"]").size(), 500);
  EXPECT_LT(error_of("[[route]]\nfrom = 0\nto = 1\nvia = [\"bus " + name + "\"]").size(), 500);
  EXPECT_LT(error_of("[[bus]]\nname = \"" + name + "\"\ngbps = 1\npairs = [[0, 0]]").size(), 500);
}

}  // namespace
}  // namespace einsummable
