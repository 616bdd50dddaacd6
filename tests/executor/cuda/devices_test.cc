// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/devices.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/measure.h"
#include "einsummable/executor/cuda/plugin_loader.h"
#include "tests/support/cuda_twin/twin.h"

namespace einsummable::cuda {
namespace {

using cuda_twin::Twin;

TEST(Devices, AreNamed) {
  Twin twin({.devices = 3, .architectures = {80}});
  const Devices devices(twin.api());
  ASSERT_EQ(devices.all().size(), 3u);
  EXPECT_EQ(devices.all()[0].architecture, 80);
  EXPECT_EQ(devices.all()[2].architecture, 90);
  ASSERT_EQ(devices.libraries().size(), 1u);
  EXPECT_EQ(std::string(devices.libraries()[0].name), "host twin");
}

TEST(Devices, ReachOnlyWhatAProbeReached) {
  Twin twin({.memory = uint64_t{1} << 26});
  Devices devices(twin.api());
  EXPECT_TRUE(devices.reaches(0, 1));
  EXPECT_FALSE(devices.reaches(1, 0));
  EXPECT_EQ(devices.probe(1, 0).fault, "the driver allows no peer access");
  EXPECT_GT(devices.probe(1, 0).gbps, 0);
  EXPECT_TRUE(devices.reaches(1, 1));
  EXPECT_EQ(twin.unreleased(), 0);
}

TEST(Devices, DoNotTrustADriverWhosePeersCopyWrong) {
  Twin twin({.corrupts = [](int32_t from, int32_t to) { return from == 0 && to == 1; }});
  Devices devices(twin.api());
  EXPECT_FALSE(devices.reaches(0, 1));
  EXPECT_EQ(devices.probe(0, 1).fault, "bytes that were copied differ");
}

TEST(Devices, AreMeasured) {
  Twin twin;
  Devices devices(twin.api());
  const DeviceFigures figures = measure(devices, 1);
  EXPECT_GT(figures.memory_gbps, 0);
  EXPECT_EQ(figures.products.size(), 4u * 8u);
  for (const DeviceFigures::Rate& rate : figures.products) EXPECT_GT(rate.flops, 0);
  EXPECT_EQ(figures.attentions.size(), 2u * 2u);
  for (const DeviceFigures::AttentionRate& rate : figures.attentions) EXPECT_GT(rate.flops, 0);
  EXPECT_GE(figures.kernel_us, 0);
  twin.fail("add_attention", 0, Status::unsupported);
  EXPECT_EQ(measure(devices, 0).attentions.size(), 3u) << "of what the library has";
  EXPECT_EQ(twin.unreleased(), 0);
}

TEST(Devices, AreMeasuredWithoutCudnn) {
  for (const Status status : {Status::missing, Status::unsupported}) {
    Twin twin;
    Devices devices(twin.api());
    for (int i = 0; i < 4; ++i) twin.fail("add_attention", 0, status);
    const DeviceFigures figures = measure(devices, 0);
    EXPECT_EQ(figures.products.size(), 4u * 8u);
    EXPECT_TRUE(figures.attentions.empty());
  }
}

TEST(Devices, KnowWhatReluMakesOfNan) {
  {
    Twin twin;
    Devices devices(twin.api());
    EXPECT_TRUE(devices.relu_keeps_nan(1));
    const int64_t launches = twin.launches();
    EXPECT_TRUE(devices.relu_keeps_nan(1));
    EXPECT_EQ(twin.launches(), launches) << "found out once";
    EXPECT_EQ(twin.unreleased(), 0);
  }
  Twin twin({.relu = cuda_twin::OfNan::dropped});
  Devices devices(twin.api());
  EXPECT_FALSE(devices.relu_keeps_nan(0));
}

TEST(PluginLoader, SaysWhyThereIsNone) {
  EXPECT_THROW(open_plugin("/nowhere/libeinsummable_cuda.so", ""), DeviceError);
  try {
    open_plugin("libc.so.6", "");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("\"libc.so.6\" is no CUDA plugin: "));
  }
}

}  // namespace
}  // namespace einsummable::cuda
