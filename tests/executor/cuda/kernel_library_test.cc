// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/kernel_library.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "einsummable/base/error.h"
#include "einsummable/executor/cuda/source.h"
#include "tests/support/cuda_twin/twin.h"

namespace einsummable::cuda {
namespace {

namespace fs = std::filesystem;

// A folder of its own, gone afterwards.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("einsummable-" + std::to_string(::getpid()));
  ~Folder() { fs::remove_all(path); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(path)) out.push_back(entry.path());
    return out;
  }
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const KernelSource kSource{.parameters = "ES_WRITE(float) out0",
                           .body = "ES_LOOP(i, 1) store<float>(out0, i, Real<float>(1));\n"};

TEST(ImageFiles, GiveAnImageForItsVeryKeyAlone) {
  const Folder folder;
  const ImageFiles files(folder.path.string());
  const std::string image = std::string("\0binary\n", 8);
  EXPECT_FALSE(files.find("a", "key"));
  files.keep("a", "key", image);
  EXPECT_EQ(files.find("a", "key"), image);
  EXPECT_FALSE(files.find("a", "ke"));
  EXPECT_FALSE(files.find("a", "key2"));
  EXPECT_FALSE(files.find("b", "key"));
  EXPECT_EQ(folder.files().size(), 1u) << "nothing half written is left";
}

TEST(ImageFiles, GiveNothingOfADamagedFile) {
  const Folder folder;
  const ImageFiles files(folder.path.string());
  files.keep("a", "key", "an image");
  const std::string whole = read_file(folder.path / "a");
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    std::ofstream(folder.path / "a", std::ios::binary) << whole.substr(0, cut);
    EXPECT_FALSE(files.find("a", "key")) << cut;
    std::string changed = whole;
    changed[cut] = static_cast<char>(changed[cut] ^ 1);
    std::ofstream(folder.path / "a", std::ios::binary) << changed;
    EXPECT_FALSE(files.find("a", "key")) << cut;
  }
}

TEST(ImageFiles, NeedNoFolder) {
  ImageFiles("").keep("a", "key", "image");
  EXPECT_FALSE(ImageFiles("").find("a", "key"));
  ImageFiles("/proc/nowhere").keep("a", "key", "image");
  EXPECT_FALSE(ImageFiles("/proc/nowhere").find("a", "key"));
}

TEST(KernelLibrary, CompilesAKernelOnce) {
  const Folder folder;
  cuda_twin::Twin twin;
  {
    KernelLibrary library(twin.api(), folder.path.string(), 2);
    const KernelSource twice[] = {kSource, kSource};
    library.add(twice, 90, {});
    EXPECT_NE(library.function(kSource, 90), 0u);
    twin.fail("compile", 0, Status::failed);
    library.add(twice, 90, {});
    // Another process finds the image in its file; another architecture has none.
    KernelLibrary again(twin.api(), folder.path.string(), 1);
    again.add(twice, 90, {});
    EXPECT_THROW(again.add(twice, 80, {}), DeviceError);
    EXPECT_THROW(again.function(kSource, 80), InternalError);
  }
  EXPECT_EQ(twin.unreleased(), 0);
}

TEST(KernelLibrary, StopsWhenItIsInterrupted) {
  cuda_twin::Twin twin;
  KernelLibrary library(twin.api(), "", 2);
  EXPECT_THROW(library.add({&kSource, 1}, 90, Interruption([] { return true; })), Error);
}

}  // namespace
}  // namespace einsummable::cuda
