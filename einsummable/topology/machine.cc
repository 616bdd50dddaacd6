// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/machine.h"

#include <charconv>
#include <set>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

// A set of ordered pairs of sites, a bit each.
class Pairs {
 public:
  explicit Pairs(int64_t sites) : sites_(sites) {}

  // Whether the pair is new.
  bool insert(int64_t from, int64_t to) {
    if (bits_.empty()) bits_.resize(static_cast<size_t>(sites_ * sites_));
    const auto at = static_cast<size_t>(from * sites_ + to);
    const bool added = !bits_[at];
    bits_[at] = true;
    return added;
  }
  bool contains(int64_t from, int64_t to) const {
    return !bits_.empty() && bits_[static_cast<size_t>(from * sites_ + to)];
  }

 private:
  int64_t sites_;
  std::vector<bool> bits_;
};

std::string pair_text(int64_t a, int64_t b) {
  return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
}

bool read_site(std::string_view text, int64_t& site) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), site);
  return error == std::errc() && end == text.data() + text.size() && site >= 0;
}

class Verifier {
 public:
  Verifier(const Machine& machine, std::string_view file)
      : machine_(machine),
        file_(file),
        count_(machine.most_sites()),
        node_of_(static_cast<size_t>(count_), -1),
        switch_of_(node_of_),
        nic_of_(node_of_),
        linked_(count_) {}

  void run() {
    // Nodes first: the other tables say nothing about what lies between nodes.
    assign(machine_.nodes, "[[node]]", node_of_);
    if (!machine_.nodes.empty()) {
      for (size_t site = 0; site < node_of_.size(); ++site) {
        if (node_of_[site] < 0 && machine_.sites.count) {
          fail(machine_.nodes.back(), "[[node]]",
               "site " + std::to_string(site) + " is in no node");
        }
      }
    }
    assign(machine_.switches, "[[switch]]", switch_of_);
    assign(machine_.nics, "[[nic]]", nic_of_);
    if (machine_.nodes.empty() && !machine_.nics.empty()) {
      fail(machine_.nics.front(), "[[nic]]",
           "NICs join nodes, and there is no [[node]] that says which sites are together");
    }
    switches();
    links();
    buses();
    routes();
  }

 private:
  using Table = Machine::Table;

  [[noreturn]] void fail(const Table& table, std::string_view what, const std::string& reason) {
    std::string place(file_);
    if (table.line > 0) place += (place.empty() ? "line " : ":") + std::to_string(table.line);
    throw TopologyError(place + (place.empty() ? "" : ": ") + std::string(what) + ": " + reason);
  }

  void require_site(const Table& table, std::string_view what, int64_t site) {
    if (site >= 0 && site < count_) return;
    fail(table, what,
         "there is no site " + std::to_string(site) + "; there are 0 to " +
             std::to_string(count_ - 1));
  }

  // Writes which element each site is in; in two is a mistake.
  template <class T>
  void assign(const std::vector<T>& tables, std::string_view what, std::vector<int32_t>& of) {
    for (size_t i = 0; i < tables.size(); ++i) {
      const auto put = [&](int64_t site) {
        int32_t& place = of[static_cast<size_t>(site)];
        if (place >= 0) {
          fail(tables[i], what,
               "site " + std::to_string(site) + " is named " +
                   (place == static_cast<int32_t>(i) ? "twice"
                                                     : "in another " + std::string(what) + " too"));
        }
        place = static_cast<int32_t>(i);
      };
      for (int64_t site : tables[i].sites) {
        require_site(tables[i], what, site);
        put(site);
      }
      for (int64_t site = 0; tables[i].sites.empty() && site < count_; ++site) put(site);
    }
  }

  void require_one_node(const Table& table, const std::string& what, int64_t a, int64_t b) {
    if (node_of_[static_cast<size_t>(a)] == node_of_[static_cast<size_t>(b)]) return;
    fail(table, what,
         "sites " + std::to_string(a) + " and " + std::to_string(b) +
             " are in two nodes; between nodes there are NICs alone, or a [[route]]");
  }

  void require_pair(const Table& table, const std::string& what, const Machine::Pair& pair) {
    require_site(table, what, pair.first);
    require_site(table, what, pair.second);
    if (pair.first == pair.second) {
      fail(table, what, pair_text(pair.first, pair.second) + " is one site, not a pair");
    }
    require_one_node(table, what, pair.first, pair.second);
  }

  void switches() {
    for (const Machine::Switch& table : machine_.switches) {
      for (int64_t site : table.sites) {
        require_one_node(table, "[[switch]]", table.sites.front(), site);
      }
      for (int64_t site = 0; table.sites.empty() && site < count_; ++site) {
        require_one_node(table, "[[switch]]", 0, site);
      }
    }
  }

  void links() {
    for (const Machine::Link& table : machine_.links) {
      for (const auto& [a, b] : table.pairs) {
        require_pair(table, "[[link]]", {a, b});
        if (!linked_.insert(a, b) || (table.both && !linked_.insert(b, a))) {
          fail(table, "[[link]]",
               "the pair " + pair_text(a, b) +
                   " is linked twice; give one link the bandwidth of both");
        }
      }
    }
  }

  void buses() {
    Pairs on_bus(count_);
    bool unlinked = false;
    for (const Machine::Bus& table : machine_.buses) {
      const std::string what = "[[bus]] " + excerpt(table.name);
      if (!bus_names_.insert(table.name).second) fail(table, what, "the name is taken");
      for (const auto& [a, b] : table.pairs) {
        require_pair(table, what, {a, b});
        if (!on_bus.insert(std::min(a, b), std::max(a, b))) {
          fail(table, what, "the pair " + pair_text(a, b) + " is on a bus twice");
        }
      }
      if (unlinked && table.unlinked) {
        fail(table, what, "another bus has the unlinked pairs; they would be on a bus twice");
      }
      unlinked |= table.unlinked;
    }
  }

  void routes() {
    Pairs routed(count_);
    for (const Machine::Way& table : machine_.routes) {
      for (int64_t site : table.from) require_site(table, "[[route]]", site);
      for (int64_t site : table.to) require_site(table, "[[route]]", site);
      bool any = false;
      for (int64_t a : table.from) {
        for (int64_t b : table.to) {
          if (a == b) continue;
          any = true;
          if (!routed.insert(a, b) || (table.both && !routed.insert(b, a))) {
            fail(table, "[[route]]",
                 "the way from " + std::to_string(a) + " to " + std::to_string(b) +
                     " is given twice");
          }
        }
      }
      if (!any) fail(table, "[[route]]", "from and to are one site, not a pair");
      for (const std::string& text : table.via) passage(table, text);
    }
  }

  void passage(const Machine::Way& table, const std::string& text) {
    using Kind = Resource::Kind;
    const auto found = parse_passage(text);
    if (!found) {
      fail(table, "[[route]]",
           "via " + excerpt(text) +
               " is none of \"link 0->1\", \"egress\", \"ingress\", \"bus NAME\", \"nic out\" and "
               "\"nic in\", the last with a site or without");
    }
    const auto missing = [&](const std::string& thing) {
      fail(table, "[[route]]", "via " + excerpt(text) + ": " + thing);
    };
    if (found->kind == Kind::bus) {
      if (!bus_names_.contains(std::string(found->bus))) missing("there is no such bus");
      return;
    }
    if (found->kind == Kind::link) {
      require_site(table, "[[route]]", found->from);
      require_site(table, "[[route]]", found->to);
      if (!linked_.contains(found->from, found->to)) missing("there is no such link");
      if (table.both && !linked_.contains(found->to, found->from)) {
        missing("there is no link back");
      }
      return;
    }
    const bool nic = found->kind == Kind::nic_out || found->kind == Kind::nic_in;
    const auto require_port = [&](int64_t site) {
      require_site(table, "[[route]]", site);
      if ((nic ? nic_of_ : switch_of_)[static_cast<size_t>(site)] < 0) {
        missing("site " + std::to_string(site) + (nic ? " has no NIC" : " is in no switch"));
      }
    };
    if (found->from >= 0) return require_port(found->from);
    const bool leaves = found->kind == Kind::egress || found->kind == Kind::nic_out;
    if (leaves || table.both) {
      for (int64_t site : table.from) require_port(site);
    }
    if (!leaves || table.both) {
      for (int64_t site : table.to) require_port(site);
    }
  }

  const Machine& machine_;
  std::string_view file_;
  int64_t count_;
  std::vector<int32_t> node_of_, switch_of_, nic_of_;
  Pairs linked_;
  std::set<std::string> bus_names_;
};

}  // namespace

int64_t Machine::most_sites() const { return sites.count.value_or(MachineLimits::sites); }

std::string figure_text(double value) {
  std::string out = float_text(value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::optional<Passage> parse_passage(std::string_view text) {
  using Kind = Resource::Kind;
  static constexpr std::pair<std::string_view, Kind> ports[] = {{"egress", Kind::egress},
                                                                {"ingress", Kind::ingress},
                                                                {"nic out", Kind::nic_out},
                                                                {"nic in", Kind::nic_in}};
  if (text.starts_with("bus ")) return Passage{.kind = Kind::bus, .bus = text.substr(4)};
  if (text.starts_with("link ")) {
    const size_t arrow = text.find("->");
    Passage out{.kind = Kind::link};
    if (arrow == std::string_view::npos || !read_site(text.substr(5, arrow - 5), out.from) ||
        !read_site(text.substr(arrow + 2), out.to)) {
      return std::nullopt;
    }
    return out;
  }
  for (const auto& [word, kind] : ports) {
    if (!text.starts_with(word)) continue;
    Passage out{.kind = kind};
    const std::string_view rest = text.substr(word.size());
    if (rest.empty()) return out;
    if (rest.front() == ' ' && read_site(rest.substr(1), out.from)) return out;
    return std::nullopt;
  }
  return std::nullopt;
}

void verify(const Machine& machine, std::string_view file) { Verifier(machine, file).run(); }

}  // namespace einsummable
