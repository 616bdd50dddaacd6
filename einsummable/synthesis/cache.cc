// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/cache.h"

#include <bit>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "einsummable/base/error.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

constexpr std::string_view first_line = "einsummable synthesis 1\n";

// Two numbers of 64 bits from everything put in.
class Fingerprint {
 public:
  void put(uint64_t value) {
    a_ = (a_ ^ value) * 0x9E3779B97F4A7C15u;
    a_ ^= a_ >> 32;
    b_ = (b_ + value) * 0xC2B2AE3D27D4EB4Fu;
    b_ ^= b_ >> 29;
  }
  void put(int64_t value) { put(static_cast<uint64_t>(value)); }
  void put(double value) { put(std::bit_cast<uint64_t>(value)); }
  void put(std::string_view text) {
    for (char c : text) put(static_cast<uint64_t>(static_cast<unsigned char>(c)));
    put(static_cast<uint64_t>(text.size()));
  }
  std::string text() const {
    std::ostringstream out;
    out << std::hex << a_ << '.' << b_;
    return out.str();
  }

 private:
  uint64_t a_ = 1, b_ = 2;
};

std::string fingerprint(const Topology& topology) {
  Fingerprint print;
  for (const Device& d : topology.devices) {
    print.put(d.hbm_gbps);
    print.put(d.kernel_latency_us);
  }
  for (int32_t d : topology.device_of) print.put(int64_t{d});
  for (const Resource& r : topology.resources) {
    print.put(static_cast<int64_t>(r.kind));
    print.put(r.gbps);
  }
  for (int32_t r : topology.route_of) print.put(int64_t{r});
  for (const Route& r : topology.routes) {
    print.put(static_cast<int64_t>(r.resources.size()));
    for (ResourceId id : r.resources) print.put(int64_t{id.value});
    print.put(r.latency_us);
  }
  print.put(topology.workers);
  print.put(int64_t{topology.handover});
  return print.text();
}

void append_sites(std::string& key, const std::vector<SiteId>& sites) {
  for (SiteId s : sites) key += ' ' + std::to_string(s.value);
  key += '\n';
}

void append_aggregate(std::string& key, const Program& program, AggregateId aggregate) {
  for (AtomId a : program.atoms(aggregate)) key += ' ' + std::to_string(a.value);
  if (program.has_own_bytes(aggregate)) key += " of " + std::to_string(program.bytes(aggregate));
}

void rename(Synthesis& synthesis, const Program& preamble) {
  const std::vector<std::string> names = names_in(preamble, synthesis.program);
  synthesis.program.rename_atoms(names);
  synthesis.simulation.program.rename_atoms(names);
}

// A preamble with its atoms named by their numbers.
Program numbered(const Program& program) {
  Program copy = program;
  std::vector<std::string> names;
  for (const Atom& a : program.atoms()) {
    names.push_back(a.whole.valid() ? names[a.whole.index()] + '.' + std::to_string(a.piece)
                                    : 'a' + std::to_string(names.size()));
  }
  copy.rename_atoms(names);
  return copy;
}

// The splits and the body of `text`, which names atoms by their numbers, on the preamble.
std::optional<Program> transcribed(const Program& text, const Program& preamble) {
  Program program = preamble;
  std::vector<AtomId> atoms(text.atoms().size());
  for (size_t a = 0; a < atoms.size(); ++a) {
    const Atom& atom = text.atoms()[a];
    if (atom.whole.valid()) continue;
    size_t number = 0;
    for (char c : atom.name.substr(1)) {
      if (c < '0' || c > '9' || number > atoms.size()) return std::nullopt;
      number = 10 * number + static_cast<size_t>(c - '0');
    }
    if (number >= preamble.atoms().size()) return std::nullopt;
    atoms[a] = AtomId(static_cast<int64_t>(number));
  }
  for (const Split& split : text.splits()) {
    std::vector<int64_t> sizes;
    for (int32_t k = 0; k < split.count; ++k) sizes.push_back(text.atom(split.piece(k)).bytes);
    const Split& made = program.add_split(atoms[split.atom.index()], sizes);
    for (int32_t k = 0; k < split.count; ++k) atoms[split.piece(k).index()] = made.piece(k);
  }
  for (const Action& action : text.body()) {
    std::vector<AtomId> moved;
    for (AtomId a : text.atoms(action.aggregate)) moved.push_back(atoms[a.index()]);
    program.add_action({program.aggregate(moved), action.source, action.destinations});
  }
  return program;
}

}  // namespace

std::string cache_key(const Program& preamble, const Topology& topology,
                      const SynthesisOptions& options) {
  std::string key = "on " + fingerprint(topology) + "\nseed " + std::to_string(options.seed) +
                    " budget " + std::to_string(options.budget) + " ideal " +
                    std::to_string(static_cast<int>(options.ideal)) + "\nsites";
  append_sites(key, preamble.sites());
  for (size_t g = 0; g < preamble.partitions().size(); ++g) {
    const Partition& p = preamble.partitions()[g];
    key += "partition " + std::to_string(p.size);
    append_sites(key, g < options.members.size() && !options.members[g].empty() ? options.members[g]
                                                                                : p.members);
  }
  for (const Atom& a : preamble.atoms())
    key += std::to_string(a.bytes) + '/' + std::to_string(a.grain.value_or(1)) + '\n';
  for (const Given& g : preamble.given()) {
    key += "in " + std::to_string(g.site.value) + ':';
    append_aggregate(key, preamble, g.aggregate);
    key += '\n';
  }
  for (const Requirement& r : preamble.required()) {
    key += r.place.is_site() ? "out " + std::to_string(r.place.site.value)
                             : "out partition " + std::to_string(r.place.partition.value);
    key += ':';
    append_aggregate(key, preamble, r.aggregate);
    key += '\n';
  }
  return key;
}

std::optional<Synthesis> ProgramCache::find(const std::string& key, const Program& preamble,
                                            const Topology& topology,
                                            const SynthesisOptions& options) {
  const std::lock_guard lock(mutex_);
  if (const auto at = known_.find(key); at != known_.end()) {
    Synthesis found = at->second;
    rename(found, preamble);
    return found;
  }
  if (folder_.empty()) return std::nullopt;
  auto found = read(key, preamble, topology, options);
  if (found) known_.emplace(key, *found);
  return found;
}

void ProgramCache::put(const std::string& key, const Synthesis& synthesis) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = known_.emplace(key, synthesis);
  if (!fresh) return;
  at->second.from_cache = true;
  if (!folder_.empty()) write(key, synthesis);
}

std::string ProgramCache::path(const std::string& key) const {
  Fingerprint print;
  print.put(key);
  return (std::filesystem::path(folder_) / (print.text() + ".exprog")).string();
}

// What no other draft is called, of this process or another.
std::string draft_number() {
  std::random_device device;
  return std::to_string(device()) + "." + std::to_string(device());
}

// A line with the numbers that the program alone does not say, the key, then the program.
void ProgramCache::write(const std::string& key, const Synthesis& synthesis) const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string name = path(key), draft = name + "." + draft_number();
  {
    std::ofstream out(draft, std::ios::binary);
    out.precision(17);
    out << first_line << synthesis.naive_ms << ' ' << synthesis.bound_ms << ' '
        << synthesis.packing_ms << ' ' << synthesis.simulations << ' ' << key.size() << ' '
        << synthesis.proof.size() << '\n'
        << key << synthesis.proof << "members";
    for (const auto& group : synthesis.members) {
      out << ' ' << group.size();
      for (SiteId s : group) out << ' ' << s.value;
    }
    out << '\n' << print(numbered(synthesis.program));
    out.close();
    if (out) std::filesystem::rename(draft, name, failed);
    if (out && !failed) return;
  }
  std::filesystem::remove(draft, failed);
}

std::optional<Synthesis> ProgramCache::read(const std::string& key, const Program& preamble,
                                            const Topology& topology,
                                            const SynthesisOptions& options) const {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path(key), none)) return std::nullopt;
  std::ifstream in(path(key), std::ios::binary);
  std::string line(first_line.size(), '\0');
  if (!in.read(line.data(), static_cast<std::streamsize>(line.size())) || line != first_line)
    return std::nullopt;
  Synthesis found;
  size_t key_size = 0, proof_size = 0;
  if (!(in >> found.naive_ms >> found.bound_ms >> found.packing_ms >> found.simulations >>
        key_size >> proof_size) ||
      in.get() != '\n' || key_size != key.size() || proof_size > 10'000)
    return std::nullopt;
  std::string same(key_size, '\0');
  found.proof.resize(proof_size);
  in.read(same.data(), static_cast<std::streamsize>(key_size));
  in.read(found.proof.data(), static_cast<std::streamsize>(proof_size));
  std::string word;
  if (same != key || !(in >> word) || word != "members") return std::nullopt;
  found.members.resize(preamble.partitions().size());
  for (auto& group : found.members) {
    size_t size = 0;
    if (!(in >> size) || size > preamble.sites().size()) return std::nullopt;
    for (int64_t site = 0; size > 0 && in >> site; --size) group.emplace_back(site);
  }
  std::ostringstream rest;
  rest << in.rdbuf();
  const ParseVerdict text = parse(rest.str());
  if (!text.ok) return std::nullopt;
  try {
    auto program = transcribed(text.program, preamble);
    if (!program) return std::nullopt;
    found.program = std::move(*program);
    found.simulation =
        simulate(found.program, topology, {.ideal = options.ideal, .members = found.members});
  } catch (const Error&) {
    return std::nullopt;
  }
  found.ms = found.simulation.ms;
  found.from_cache = true;
  if (found.ms > found.naive_ms || !found.simulation.uniform) return std::nullopt;
  return found;
}

}  // namespace einsummable::synthesis
