// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/collective.h"

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable::exchange {
namespace {

constexpr int64_t most_sites = 255;  // an all-to-all over them has fewer atoms than a text may have

class Maker {
 public:
  Maker(int64_t sites, int64_t bytes) : sites_(sites), bytes_(bytes) { program.set_sites(sites); }

  AggregateId atom(std::string name, int64_t site) {
    const AtomId id = program.add_atom({.name = std::move(name), .bytes = bytes_});
    const AggregateId alone = program.aggregate(id);
    program.give(alone, SiteId(site));
    atoms_.push_back(id);
    return alone;
  }
  // The sum of one partial of each site.
  AggregateId sum(const std::string& name) {
    atoms_.clear();
    for (int64_t s = 0; s < sites_; ++s) atom(name + std::to_string(s), s);
    return program.aggregate(atoms_);
  }
  void everywhere(AggregateId aggregate) {
    for (int64_t s = 0; s < sites_; ++s) program.require(aggregate, SiteId(s));
  }

  Program program;

 private:
  int64_t sites_, bytes_;
  std::vector<AtomId> atoms_;
};

}  // namespace

const std::vector<std::string>& collective_names() {
  static const std::vector<std::string> names = {"all-gather", "all-reduce", "all-to-all",
                                                 "broadcast",  "reduce",     "reduce-scatter"};
  return names;
}

Program collective(std::string_view name, int64_t sites, int64_t bytes) {
  if (sites < 2 || sites > most_sites) {
    throw ExchangeError("a collective is over 2 to " + std::to_string(most_sites) + " sites, not " +
                        std::to_string(sites));
  }
  if (bytes < 1) throw ExchangeError("an atom has at least 1 byte, not " + std::to_string(bytes));
  Maker make(sites, bytes);
  if (name == "all-gather") {
    for (int64_t s = 0; s < sites; ++s) make.everywhere(make.atom("A" + std::to_string(s), s));
  } else if (name == "broadcast") {
    make.everywhere(make.atom("A", 0));
  } else if (name == "all-to-all") {
    for (int64_t s = 0; s < sites; ++s) {
      for (int64_t d = 0; d < sites; ++d) {
        if (s == d) continue;
        const std::string atom = "A" + std::to_string(s) + "_" + std::to_string(d);
        make.program.require(make.atom(atom, s), SiteId(d));
      }
    }
  } else if (name == "all-reduce") {
    make.everywhere(make.sum("A"));
  } else if (name == "reduce") {
    make.program.require(make.sum("A"), SiteId(0));
  } else if (name == "reduce-scatter") {
    for (int64_t d = 0; d < sites; ++d) {
      make.program.require(make.sum("A" + std::to_string(d) + "_"), SiteId(d));
    }
  } else {
    throw ExchangeError("there is no collective " + quote(name) + "; there are " +
                        join(collective_names(), ", "));
  }
  return std::move(make.program);
}

}  // namespace einsummable::exchange
