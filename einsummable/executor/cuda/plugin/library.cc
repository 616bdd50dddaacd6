// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/plugin/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace einsummable::cuda::plugin {
namespace {

// The C interface has no other place for it.
thread_local std::string the_last_error;

std::string& the_folders() {
  static std::string folders;
  return folders;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The root that packages have in common, as this file lies in a folder of it.
std::string packages_root() {
  Dl_info here = {};
  if (!dladdr(reinterpret_cast<void*>(&packages_root), &here) || !here.dli_fname) return "";
  const std::string path = here.dli_fname;
  const size_t file = path.rfind('/');
  const size_t folder = file == std::string::npos ? file : path.rfind('/', file - 1);
  return folder == std::string::npos ? "" : path.substr(0, folder);
}

std::vector<std::string> folders(const SharedLibrary::Name& name) {
  std::vector<std::string> out;
  const std::string& given = the_folders();
  for (size_t begin = 0; begin < given.size();) {
    const size_t end = std::min(given.find(':', begin), given.size());
    if (end > begin) out.push_back(given.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string root = packages_root();
  if (!root.empty() && *name.folder) out.push_back(root + "/" + name.folder);
  const std::string toolkit = variable("CUDA_HOME");
  if (!toolkit.empty()) out.push_back(toolkit + "/lib64");
  out.emplace_back("/usr/local/cuda/lib64");
  return out;
}

}  // namespace

void set_folders(const std::string& folders) { the_folders() = folders; }

SharedLibrary::SharedLibrary(const Name& name) : name_(name) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders(name)) paths.push_back(folder + "/" + name.file);
  paths.emplace_back(name.file);  // where the loader looks
  std::string fault = std::string("is not found; ") + name.package + " brings it";
  bool there = false;
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) {
      path_ = path;
      return;
    }
    const char* reason = dlerror();
    if (there || !reason || access(path.c_str(), F_OK) != 0) continue;
    there = true;
    fault = std::string("cannot be opened: ") + reason;
  }
  missing_ = std::string(name.name) + " (" + name.file + ") " + fault;
}

void* SharedLibrary::find(const char* symbol) {
  if (!handle_) return nullptr;
  void* function = dlsym(handle_, symbol);
  if (!function) {
    missing_ = std::string(name_.name) + " of " + path_ + " is too old: it has no " + symbol;
  }
  return function;
}

LibraryInfo SharedLibrary::info() const {
  LibraryInfo info = {};
  copy_text(info.name, sizeof info.name, name_.name);
  copy_text(info.path, sizeof info.path, path_);
  copy_text(info.missing, sizeof info.missing, missing_);
  return info;
}

Status fail(Status status, std::string what) {
  the_last_error = std::move(what);
  return status;
}

const std::string& last_error() { return the_last_error; }

void copy_last_error(char* text, uint64_t capacity) { copy_text(text, capacity, the_last_error); }

void copy_text(char* to, uint64_t capacity, const std::string& text) {
  if (capacity == 0) return;
  const size_t length = std::min<size_t>(text.size(), capacity - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

}  // namespace einsummable::cuda::plugin
