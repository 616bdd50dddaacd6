// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/executor/cuda/api.h"

namespace einsummable::cuda::plugin {

// Where libraries are looked for first: folders, separated by colons.
void set_folders(const std::string& folders);

// A shared library, opened when it is first asked for and kept open. It is looked for in the
// folders that were set, beside this plugin where packages put it, in a toolkit (CUDA_HOME,
// /usr/local/cuda), and where the loader looks.
class SharedLibrary {
 public:
  // `package` brings it: for messages. `folder` is where packages put it, from their common root.
  struct Name {
    const char* name;     // "cuBLASLt"
    const char* file;     // "libcublasLt.so.13"
    const char* folder;   // "nvidia/cu13/lib"
    const char* package;  // "nvidia-cublas"
  };
  explicit SharedLibrary(const Name& name);

  bool is_open() const { return handle_ != nullptr; }
  void* handle() const { return handle_; }
  // The function, or null; then `missing` says so.
  void* find(const char* symbol);
  // Why it cannot be used; empty if it can.
  const std::string& missing() const { return missing_; }

  // What Api::library answers, but for the version.
  LibraryInfo info() const;

 private:
  Name name_;
  void* handle_ = nullptr;
  std::string path_, missing_;
};

// Keeps the sentence that Api::last_error gives to this thread.
Status fail(Status status, std::string what);
const std::string& last_error();
void copy_last_error(char* text, uint64_t capacity);
void copy_text(char* to, uint64_t capacity, const std::string& text);

}  // namespace einsummable::cuda::plugin
