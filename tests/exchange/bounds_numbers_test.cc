// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "einsummable/exchange/bounds.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/topology/load.h"
#include "einsummable/topology/resolve.h"

namespace einsummable::exchange {
namespace {

Topology machine_named(const std::string& name, int64_t sites) {
  return resolve_first(load_machine(name), sites);
}

Program read(const std::string& text) {
  ParseVerdict verdict = parse(text);
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  return std::move(verdict.program);
}

std::string list(int64_t sites) {
  std::string out = "0";
  for (int64_t site = 1; site < sites; ++site) out += ", " + std::to_string(site);
  return out;
}

// A0+A1+...: the part of site 0, 1, ...
std::string sum(const std::string& name, int64_t sites) {
  std::string out;
  for (int64_t site = 0; site < sites; ++site) {
    out += (site == 0 ? "" : "+") + name + std::to_string(site);
  }
  return out;
}

struct Preamble {
  std::string in, out;
  Program program(int64_t sites) const {
    return read("GPUS: " + list(sites) + "\nIN: " + in + "\nOUT: " + out + "\n");
  }
};

Program all_gather(int64_t sites) {
  Preamble p;
  for (int64_t site = 0; site < sites; ++site) {
    const std::string atom = "A" + std::to_string(site);
    p.in += atom + " @ " + std::to_string(site) + ";";
    p.out += atom + " @ " + list(sites) + ";";
  }
  return p.program(sites);
}

Program reduce_scatter(int64_t sites) {
  Preamble p;
  for (int64_t target = 0; target < sites; ++target) {
    const std::string name = "A" + std::to_string(target) + "from";
    for (int64_t site = 0; site < sites; ++site) {
      p.in += name + std::to_string(site) + " @ " + std::to_string(site) + ";";
    }
    p.out += sum(name, sites) + " @ " + std::to_string(target) + ";";
  }
  return p.program(sites);
}

Program reduce(int64_t sites, const std::string& to) {
  Preamble p;
  for (int64_t site = 0; site < sites; ++site) {
    p.in += "A" + std::to_string(site) + " @ " + std::to_string(site) + ";";
  }
  p.out = sum("A", sites) + " @ " + to;
  return p.program(sites);
}

Program all_to_all(int64_t sites) {
  Preamble p;
  for (int64_t from = 0; from < sites; ++from) {
    for (int64_t to = 0; to < sites; ++to) {
      if (from == to) continue;
      const std::string atom = "A" + std::to_string(from) + "to" + std::to_string(to);
      p.in += atom + " @ " + std::to_string(from) + " (size: 125 MB);";
      p.out += atom + " @ " + std::to_string(to) + ";";
    }
  }
  return p.program(sites);
}

Program broadcast(int64_t sites) { return Preamble{"A @ 0", "A @ " + list(sites)}.program(sites); }

// A 2 x 4 tiling of 1 GB a tile becomes 4 x 2, tile t at site t.
Program repartition() {
  Preamble p;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int half = 0; half < 2; ++half) {
        const std::string atom = "T" + std::to_string(i) + std::to_string(j) + std::to_string(half);
        p.in += atom + " @ " + std::to_string(4 * i + j) + " (size: 500 MB);";
        p.out += atom + " @ " + std::to_string(2 * (2 * i + half) + j / 2) + ";";
      }
    }
  }
  return p.program(8);
}

Program example_5_3(const std::string& first, const std::string& second) {
  return read("GPUS: " + list(8) + "\nPARTITIONS: G1 " + first + " G2 " + second +
              "\nIN: A @ 0; B @ 1; C @ 2; D @ 3; E @ 4; F @ 5; G @ 6; H @ 7\n"
              "OUT: A+B+E+F @ G1; C+D+G+H @ G2\n");
}
Program paper_groups() { return example_5_3("{0, 1, 4, 5}", "{2, 3, 6, 7}"); }

void expect_bound(const Program& program, const Topology& machine, double ms,
                  const std::string& proof) {
  const Bound bound = lower_bound(program, machine, {.ideal = true});
  EXPECT_NEAR(bound.ms, ms, 0.005) << bound.proof;
  EXPECT_TRUE(bound.proof.starts_with(proof)) << bound.proof;
}

TEST(BoundsNumbersTest, DgxV100) {
  const Topology machine = machine_named("dgx-v100", 8);
  expect_bound(all_gather(8), machine, 46.06, "volume: 56 GB in all over 1215.75 GB/s");
  expect_bound(reduce_scatter(8), machine, 46.06, "volume: 56 GB in all over 1215.75 GB/s");
  expect_bound(reduce(8, list(8)), machine, 11.52, "volume: 14 GB in all over 1215.75 GB/s");
  expect_bound(all_to_all(8), machine, 12.67,
               "cut {0,1,2,3}: 4 GB cross both ways over 315.75 GB/s");
  expect_bound(broadcast(8), machine, 6.57,
               "volume into {1,2,3,4,5,6,7}: 7 GB in all over 1065.75 GB/s");
  expect_bound(reduce(8, "0"), machine, 6.57,
               "volume out of {1,2,3,4,5,6,7}: 7 GB in all over 1065.75 GB/s");
  expect_bound(repartition(), machine, 9.62, "cut {1,5}: 4 GB cross both ways over 415.75 GB/s");
  expect_bound(paper_groups(), machine, 12.67,
               "cut {0,1,2,3}: 4 GB cross both ways over 315.75 GB/s");
}

TEST(BoundsNumbersTest, OpenGroups) {
  expect_bound(example_5_3("{size 4}", "{size 4}"), machine_named("dgx-v100", 8), 10.72,
               "first finisher of A+B+E+F: sites ");
}

TEST(BoundsNumbersTest, DgxV100AsThePaperDescribesIt) {
  expect_bound(paper_groups(), machine_named("dgx-v100-paper", 8), 12.99,
               "first finisher of A+B+E+F: sites ");
}

TEST(BoundsNumbersTest, DgxA100) {
  const Topology machine = machine_named("dgx-a100", 8);
  expect_bound(all_gather(8), machine, 23.33, "cut {0,1,2,3,4,5,6}: 7 GB leave over 300 GB/s");
  expect_bound(reduce(8, list(8)), machine, 5.83, "volume: 14 GB in all over 2400 GB/s");
  expect_bound(all_to_all(8), machine, 2.92, "cut {0}: 875 MB leave over 300 GB/s");
  expect_bound(paper_groups(), machine, 5.00, "volume: 12 GB in all over 2400 GB/s");
  expect_bound(reduce_scatter(8), machine, 23.33, "cut {0}: 7 GB leave over 300 GB/s");
  expect_bound(broadcast(8), machine, 3.33, "cut {0}: 1 GB leave over 300 GB/s");
  expect_bound(reduce(8, "0"), machine, 3.33, "cut {1}: 1 GB leave over 300 GB/s");
}

TEST(BoundsNumbersTest, TwoDgxA100) {
  const Topology machine = machine_named("dgx-a100-2", 16);
  expect_bound(all_gather(16), machine, 46.15, "cut all sites but {0}: 15 GB leave over 325 GB/s");
  expect_bound(reduce_scatter(16), machine, 46.15, "cut {0}: 15 GB leave over 325 GB/s");
  expect_bound(reduce(16, list(16)), machine, 5.77, "volume: 30 GB in all over 5200 GB/s");
}

}  // namespace
}  // namespace einsummable::exchange
