// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "einsummable/synthesis/synthesize.h"

namespace einsummable::synthesis {

// What a synthesis depends on, but for the names of atoms: identical layers have the same key. The
// time limit does not count.
std::string cache_key(const exchange::Program& preamble, const Topology& topology,
                      const SynthesisOptions& options);

// Keeps programs by what was asked for: in memory and, if there is a folder, in a file each, which
// holds the key, the members and the program as text. Files that are not what they should be are
// passed over, and a file that cannot be written is left out. For any number of threads.
class ProgramCache {
 public:
  // The folder is made when the first file is written.
  explicit ProgramCache(std::string folder = {}) : folder_(std::move(folder)) {}

  // The synthesis kept for the key, the atoms named as in the preamble.
  std::optional<Synthesis> find(const std::string& key, const exchange::Program& preamble,
                                const Topology& topology, const SynthesisOptions& options);
  void put(const std::string& key, const Synthesis& synthesis);

 private:
  std::string path(const std::string& key) const;
  std::optional<Synthesis> read(const std::string& key, const exchange::Program& preamble,
                                const Topology& topology, const SynthesisOptions& options) const;
  void write(const std::string& key, const Synthesis& synthesis) const;

  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, Synthesis> known_;
};

}  // namespace einsummable::synthesis
