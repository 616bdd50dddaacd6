// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/image_files.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace einsummable::cuda {
namespace {

// What a file holds before the image: sizes, the key, and a sum over the image's bytes.
std::string header(std::string_view key, std::string_view image) {
  uint64_t sum = 14695981039346656037u;
  for (char c : image) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::ostringstream out;
  out << "einsummable kernel 1\n"
      << key.size() << ' ' << image.size() << ' ' << sum << '\n'
      << key << '\n';
  return out.str();
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::optional<std::string> ImageFiles::find(const std::string& name, std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::string text = read_file(std::filesystem::path(folder_) / name);
  const size_t begin = text.find('\n', text.find('\n') + 1);
  if (begin == std::string::npos || text.size() < begin + key.size() + 2) return std::nullopt;
  const std::string image = text.substr(begin + key.size() + 2);
  if (!text.starts_with(header(key, image))) return std::nullopt;
  return image;
}

void ImageFiles::keep(const std::string& name, std::string_view key, std::string_view image) const {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const std::filesystem::path path = std::filesystem::path(folder_) / name;
  // Written beside it and renamed, so that no reader sees half a file.
  const std::filesystem::path partial =
      path.string() + "." + std::to_string(std::random_device{}());
  {
    std::ofstream file(partial, std::ios::binary);
    file << header(key, image) << image;
    if (!file.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(partial, path, error);
  if (error) std::filesystem::remove(partial, error);
}

}  // namespace einsummable::cuda
