// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/load.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/topology/machine_file.h"
#include "einsummable/topology/resolve.h"
#include "tests/topology/machine_texts.h"

namespace einsummable {
namespace {

namespace fs = std::filesystem;

// A folder that is gone afterwards.
class Load : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "einsummable-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string error(const std::string& name) {
    try {
      load_machine(name);
    } catch (const TopologyError& found) {
      return found.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(Load, EveryShippedMachineIsThereAndSaysItsSources) {
  EXPECT_EQ(join(machine_names(), " "),
            "cpu dgx-a100 dgx-a100-2 dgx-h100 dgx-h100-2 dgx-h100-4 dgx-v100 dgx-v100-paper "
            "gb200-nvl72 hgx-h200 pcie-4090-8 pcie-a6000-8 pcie-l40s-8 unit");
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_NE(machine.source, "") << name;
    EXPECT_TRUE(machine.sites.flops.contains("float16")) << name;
    const std::string printed = print(machine);
    EXPECT_EQ(print(parse_machine(printed, name, Sources::required)), printed);
    const Topology topology = resolve_first(machine, machine.sites.count.value_or(4));
    for (int64_t from = 0; from < topology.sites(); ++from) {
      for (int64_t to = 0; to < topology.sites(); ++to) {
        EXPECT_EQ(topology.route(from, to) != nullptr, from != to) << name << from << "->" << to;
      }
    }
  }
}

TEST_F(Load, TheTextIsThatOfTheFile) {
  for (const std::string& name : machine_names()) {
    std::ifstream file(fs::path(EINSUMMABLE_TOPOLOGIES) / (name + ".toml"));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(machine_text(name), text);
  }
  EXPECT_EQ(machine_text("no such"), "");
}

TEST_F(Load, APathWorksAsANameDoes) {
  EXPECT_EQ(load_machine(write("box.toml", machine_text_of("2", ""))).name, "box");
  const std::string broken = write("broken.toml", "version = 1\nname = 3\n");
  EXPECT_EQ(error(broken), broken + ":2: name is an integer, not a text");
}

TEST_F(Load, WhatIsNoMachine) {
  EXPECT_EQ(error("dgx-v101"), "topology \"dgx-v101\" is neither a file nor one of " +
                                   join(machine_names(), ", ") + ", measured");
  EXPECT_EQ(error(folder_.string()), folder_.string() + " is not a file");
  EXPECT_EQ(error("/dev/zero"), "/dev/zero is not a file");
  EXPECT_NE(error(""), "");
  EXPECT_NE(error(std::string("cpu\0x", 5)), "");
  EXPECT_LT(error(std::string(100'000, 'x')).size(), 1000);
  const std::string large = write("large.toml", std::string(16'000'001, '\n'));
  EXPECT_EQ(error(large), large + ": a machine file has at most 16000000 bytes");
}

TEST_F(Load, TheMeasuredMachineLiesInTheCache) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  EXPECT_EQ(measured_path(), (folder_ / "einsummable/measured.toml").string());
  EXPECT_EQ(error("measured"),
            "this machine is not measured yet: run `einsummable doctor --measure`");
  write("einsummable/measured.toml", machine_text_of("\"any\"", ""));
  EXPECT_EQ(load_machine("measured").name, "box");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(measured_path(), "/somewhere/.cache/einsummable/measured.toml");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(measured_path(), "");
  EXPECT_NE(error("measured"), "");
}

}  // namespace
}  // namespace einsummable
