// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/machine_file.h"

#include <gtest/gtest.h>

#include <chrono>

#include "einsummable/base/error.h"
#include "tests/support/rounds.h"
#include "tests/topology/machine_texts.h"

namespace einsummable {
namespace {

constexpr std::string_view kEveryField = R"(version = 1
name = "every \"field\""
source = "\u0001 e"

[sites]
count = 16
memory = 40000000000
hbm = 1555.5
kernel_latency_us = 2
flops.bfloat16 = 3.12e+14
flops.float32 = 1.95e+13
source = "a"

[compute]
workers = 2
handover = false
handover_us = 0.5
source = "b"

[[link]]
sites = [0, 1]
gbps = 25
latency_us = 0.7
both = false
source = "c"

[[link]]
pairs = [[2, 3], [0, 3]]
gbps = 50

[[switch]]
sites = [4, 5, 6, 7]
egress = 300
ingress = 250
latency_us = 1

[[bus]]
name = "pcie"
gbps = 15.75
latency_us = 10
pairs = "unlinked"

[[bus]]
name = "socket"
gbps = 40
pairs = [[0, 2], [1, 3]]

[[bus]]
name = "spare"
gbps = 1e-06

[[node]]
sites = [0, 1, 2, 3, 4, 5, 6, 7]

[[node]]
sites = [8, 9, 10, 11, 12, 13, 14, 15]

[[nic]]
site = 0
egress = 25
ingress = 25

[[nic]]
sites = [8, 9]
shared = true
egress = 25
ingress = 24
latency_us = 5

[[route]]
from = 2
to = 1
via = ["link 2->3", "bus spare"]
latency_us = 0

[[route]]
from = [4, 5]
to = [6, 7]
via = ["egress", "bus socket", "ingress"]
both = true

[[efficiency]]
op = "matmul"
dtype = "float32"
shape = [64, 4096, 4096]
fraction = 0.7
)";

TEST(MachineFile, EveryFieldPrintsAsItWasRead) {
  EXPECT_EQ(print(parse_machine(kEveryField, "m.toml")), kEveryField);
}

TEST(MachineFile, AnyNumberOfSitesAndAllOfThem) {
  const std::string text = machine_text_of("\"any\"", R"(
[[switch]]
sites = "all"
egress = 1
ingress = 1
)");
  const Machine machine = parse_machine(text, "m.toml");
  EXPECT_FALSE(machine.sites.count);
  EXPECT_TRUE(machine.switches.at(0).sites.empty());
  EXPECT_EQ(print(machine), text);
}

TEST(MachineFile, CommentsAndOtherWaysToWriteNumbersAndTables) {
  const Machine machine = parse_machine(R"(
# A comment.
name = 'box'
version = 1
sites = { count = 2.0, hbm = 1_000, memory = 24e9, flops = { float16 = 1e12 } }
link = [ { sites = [0, 1], gbps = 0x19 } ]
)",
                                        "m.toml");
  EXPECT_EQ(machine.sites.memory_bytes, 24'000'000'000);
  EXPECT_EQ(machine.sites.flops.at("float16"), 1e12);
  EXPECT_EQ(machine.links.at(0).gbps, 25);
}

TEST(MachineFile, LinesAreThoseOfTheTables) {
  const Machine machine = parse_machine(kEveryField, "m.toml");
  EXPECT_EQ(machine.sites.line, 5);
  EXPECT_EQ(machine.links.at(1).line, 27);
}

TEST(MachineFile, SourcesAreWantedOnlyOfShippedFiles) {
  const std::string text = machine_text_of("2", "");
  EXPECT_NO_THROW(parse_machine(text, "m.toml"));
  EXPECT_EQ(machine_error(text, Sources::required),
            "m.toml:4: [sites] has no source: say where its figures come from");
}

// Each would take minutes, gigabytes or the stack if anything in the way of the text were quadratic
// or recursive in it.
TEST(MachineFile, HostileTextTakesLinearTime) {
  const auto most = static_cast<size_t>(rounds(2'000'000, MachineLimits::text_bytes - 200));
  const auto repeat = [most](const std::string& unit, const auto& number) {
    std::string out;
    for (int i = 0; out.size() < most; ++i) out += unit + number(i);
    return out;
  };
  const auto nothing = [](int) { return std::string(); };
  const auto names = [&](const std::string& before, const std::string& after) {
    return repeat(before,
                  [&](int i) { return std::to_string(i % static_cast<int>(most / 25)) + after; });
  };
  const std::string texts[] = {
      repeat("[", nothing),
      repeat("a=[", nothing),
      repeat("{a=", nothing),
      "a = " + repeat("[", nothing),
      "a = " + repeat("{a=", nothing),
      "[" + repeat("a.", nothing) + "a]",
      repeat("a.", nothing) + "a = 1",
      names("[a", ".b]\n"),
      names("[[a", "]]\n"),
      names("[[a", ".b]]\n"),
      names("a", ".b = 1\n"),
      names("\"a", "\" . 'b' = 1\n"),
      names("[link.a", "]\n"),
      names("a", " = 1\n"),
      "a = [" + repeat("1,", nothing) + "]",
      "a = {" + names("a", "=1,") + "}",
      "a = \"" + repeat("x", nothing) + "\"",
      "a = \"\"\"" + repeat("\\\n", nothing) + "\"\"\"",
      repeat("#", nothing),
      repeat("\n", nothing),
      repeat("x", nothing) + " = 1",
      repeat("[[link]]\n", nothing),
      machine_text_of("4096", "[[bus]]\nname = \"b\"\ngbps = 1\npairs = [" +
                                  repeat("[0, 1], ", nothing) + "]\n"),
      std::string(MachineLimits::text_bytes + 1, '\n'),
  };
  for (const std::string& text : texts) {
    const auto start = std::chrono::steady_clock::now();
    const std::string error = machine_error(text);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_NE(error, "") << text.substr(0, 60);
    EXPECT_LT(error.size(), 1000) << text.substr(0, 60);
    EXPECT_LT(took.count(), 60) << text.substr(0, 60);
  }
}

// Any change of a byte gives a machine, which prints and parses, or an error.
TEST(MachineFile, MutatedTextGivesAMachineOrAnError) {
  std::mt19937 random(7);
  const std::string bytes = "0123456789.-_[]{}\"'=,\n #abegilnosptuvz\\\xff";
  const std::string whole(kEveryField);
  int machines = 0;
  for (int round = 0; round < std::max(500, rounds(500, 20'000)); ++round) {
    std::string text = whole;
    for (int i = 0; i < 1 + round % 3; ++i) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = bytes[random() % bytes.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        default:
          text.insert(at, 1, bytes[random() % bytes.size()]);
      }
    }
    try {
      const std::string printed = print(parse_machine(text, "m.toml"));
      EXPECT_EQ(print(parse_machine(printed, "m.toml")), printed);
      ++machines;
    } catch (const TopologyError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("m.toml:")) << error.what();
    }
  }
  EXPECT_GT(machines, 0);
}

}  // namespace
}  // namespace einsummable
