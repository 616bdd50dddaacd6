// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace einsummable::cuda {

// Compiled kernels in files of a folder, one each. A file is an image only for the very key that it
// was written with, whatever its name; one that is damaged is none.
class ImageFiles {
 public:
  // An empty `folder` keeps nothing. What cannot be read or written is as if it were not there.
  explicit ImageFiles(std::string folder) : folder_(std::move(folder)) {}

  // `name` is a file name; `key` all that the image depends on.
  std::optional<std::string> find(const std::string& name, std::string_view key) const;
  void keep(const std::string& name, std::string_view key, std::string_view image) const;

 private:
  std::string folder_;
};

}  // namespace einsummable::cuda
