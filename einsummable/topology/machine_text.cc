// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/text.h"
#include "einsummable/topology/machine_file.h"

namespace einsummable {
namespace {

// A TOML basic string.
std::string toml_text(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string sites_text(const std::vector<int64_t>& sites) {
  std::vector<std::string> out;
  for (int64_t site : sites) out.push_back(std::to_string(site));
  return '[' + join(out, ", ") + ']';
}
std::string sites_or_all(const std::vector<int64_t>& sites) {
  return sites.empty() ? toml_text("all") : sites_text(sites);
}
std::string site_or_sites(const std::vector<int64_t>& sites) {
  return sites.size() == 1 ? std::to_string(sites[0]) : sites_text(sites);
}

std::string pair_text(const Machine::Pair& pair) { return sites_text({pair.first, pair.second}); }
std::string pairs_text(const std::vector<Machine::Pair>& pairs) {
  std::vector<std::string> out;
  for (const Machine::Pair& pair : pairs) out.push_back(pair_text(pair));
  return '[' + join(out, ", ") + ']';
}

class Printer {
 public:
  void header(std::string_view text) { out_ += "\n" + std::string(text) + "\n"; }
  void field(std::string_view key, const std::string& value) {
    out_ += std::string(key) + " = " + value + "\n";
  }
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) field(key, toml_text(value));
  }
  void number(std::string_view key, double value) { field(key, figure_text(value)); }
  void number_unless_zero(std::string_view key, double value) {
    if (value != 0) number(key, value);
  }
  void integer_unless_zero(std::string_view key, int64_t value) {
    if (value != 0) field(key, std::to_string(value));
  }
  void source(const Machine::Table& table) { text("source", table.source); }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void print(Printer& out, const Machine::Sites& table) {
  out.header("[sites]");
  out.field("count", table.count ? std::to_string(*table.count) : toml_text("any"));
  out.integer_unless_zero("memory", table.memory_bytes);
  out.number("hbm", table.hbm_gbps);
  out.number_unless_zero("kernel_latency_us", table.kernel_latency_us);
  for (const auto& [dtype, rate] : table.flops) out.number("flops." + dtype, rate);
  out.source(table);
}

void print(Printer& out, const Machine::Compute& table) {
  out.header("[compute]");
  out.integer_unless_zero("workers", table.workers);
  out.field("handover", table.handover ? "true" : "false");
  out.number_unless_zero("handover_us", table.handover_us);
  out.source(table);
}

void print(Printer& out, const Machine::Link& table) {
  out.header("[[link]]");
  if (table.pairs.size() == 1) {
    out.field("sites", pair_text(table.pairs[0]));
  } else {
    out.field("pairs", pairs_text(table.pairs));
  }
  out.number("gbps", table.gbps);
  out.number_unless_zero("latency_us", table.latency_us);
  if (!table.both) out.field("both", "false");
  out.source(table);
}

void print_ports(Printer& out, double egress, double ingress, double latency_us) {
  out.number("egress", egress);
  out.number("ingress", ingress);
  out.number_unless_zero("latency_us", latency_us);
}

void print(Printer& out, const Machine::Switch& table) {
  out.header("[[switch]]");
  out.field("sites", sites_or_all(table.sites));
  print_ports(out, table.egress_gbps, table.ingress_gbps, table.latency_us);
  out.source(table);
}

void print(Printer& out, const Machine::Bus& table) {
  out.header("[[bus]]");
  out.text("name", table.name);
  out.number("gbps", table.gbps);
  out.number_unless_zero("latency_us", table.latency_us);
  if (table.unlinked) out.text("pairs", "unlinked");
  if (!table.pairs.empty()) out.field("pairs", pairs_text(table.pairs));
  out.source(table);
}

void print(Printer& out, const Machine::Node& table) {
  out.header("[[node]]");
  out.field("sites", sites_text(table.sites));
  out.source(table);
}

void print(Printer& out, const Machine::Nic& table) {
  out.header("[[nic]]");
  if (table.sites.size() == 1) {
    out.field("site", std::to_string(table.sites[0]));
  } else {
    out.field("sites", sites_or_all(table.sites));
  }
  if (table.shared) out.field("shared", "true");
  print_ports(out, table.egress_gbps, table.ingress_gbps, table.latency_us);
  out.source(table);
}

void print(Printer& out, const Machine::Way& table) {
  out.header("[[route]]");
  out.field("from", site_or_sites(table.from));
  out.field("to", site_or_sites(table.to));
  std::vector<std::string> via;
  for (const std::string& text : table.via) via.push_back(toml_text(text));
  out.field("via", '[' + join(via, ", ") + ']');
  if (table.latency_us) out.number("latency_us", *table.latency_us);
  if (table.both) out.field("both", "true");
  out.source(table);
}

void print(Printer& out, const Machine::Fraction& table) {
  out.header("[[efficiency]]");
  out.text("op", table.efficiency.op);
  out.text("dtype", table.efficiency.dtype);
  out.field("shape", sites_text(table.efficiency.shape));
  out.number("fraction", table.efficiency.fraction);
  out.source(table);
}

template <class T>
void print_all(Printer& out, const std::vector<T>& tables) {
  for (const T& table : tables) print(out, table);
}

}  // namespace

std::string print(const Machine& machine) {
  Printer out;
  out.field("version", "1");
  out.text("name", machine.name);
  out.text("source", machine.source);
  print(out, machine.sites);
  if (machine.compute) print(out, *machine.compute);
  print_all(out, machine.links);
  print_all(out, machine.switches);
  print_all(out, machine.buses);
  print_all(out, machine.nodes);
  print_all(out, machine.nics);
  print_all(out, machine.routes);
  print_all(out, machine.efficiencies);
  return out.take();
}

}  // namespace einsummable
