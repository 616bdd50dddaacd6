// SPDX-License-Identifier: Apache-2.0
#include "einsummable/topology/machine_file.h"

#include <algorithm>
#include <cmath>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/topology/toml_guard.h"

// The one source that compiles toml++, all of it, without exceptions. Its assertions are wrong:
// "[[" and a blank line fails one that the parser goes on to report as an error. Under NDEBUG they
// would be assumptions.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

namespace einsummable {
namespace {

using Limits = MachineLimits;

constexpr std::string_view kTables[] = {"sites", "compute", "link",  "switch",    "bus",
                                        "node",  "nic",     "route", "efficiency"};
constexpr std::string_view kDtypes[] = {"float16", "bfloat16", "float32", "float64",
                                        "int32",   "int64",    "bool"};
constexpr size_t kMostShape = 16;

[[noreturn]] void fail(std::string_view file, uint32_t line, const std::string& reason) {
  std::string place(file);
  if (line > 0) place += (place.empty() ? "line " : ":") + std::to_string(line);
  throw TopologyError(place + (place.empty() ? "" : ": ") + reason);
}

std::string_view type_name(const toml::node& node) {
  if (node.is_string()) return "a text";
  if (node.is_boolean()) return "true or false";
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number";
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

struct Range {
  double least, most;
};
constexpr Range kBandwidth = {Limits::least_gbps, Limits::gbps};
constexpr Range kLatency = {0, Limits::latency_us};

// One table of the file. What is never asked for is unknown, and finish() says so.
class Reader {
 public:
  Reader(const toml::table& table, std::string what, std::string_view file)
      : table_(table), what_(std::move(what)), file_(file) {}

  // Null if the field is left out.
  const toml::node* find(std::string_view key) {
    fields_.push_back(key);
    return table_.get(key);
  }

  const toml::node& require(std::string_view key) {
    if (const toml::node* node = find(key)) return *node;
    fail_here("has no field " + quote(key));
  }

  double number(std::string_view key, const toml::node& node, Range range) {
    const auto value = node.value<double>();
    if (!value || !node.is_number()) wrong_type(key, node, "a number");
    if (!(*value >= range.least && *value <= range.most)) {
      fail_at(node, std::string(key) + " = " + figure_text(*value) + " is not from " +
                        figure_text(range.least) + " to " + figure_text(range.most));
    }
    return *value;
  }
  double number(std::string_view key, Range range) { return number(key, require(key), range); }
  double number_or(std::string_view key, Range range, double otherwise) {
    const toml::node* node = find(key);
    return node ? number(key, *node, range) : otherwise;
  }

  // Also as 40e9.
  int64_t integer(std::string_view key, const toml::node& node, int64_t least, int64_t most) {
    const double value = number(key, node, {static_cast<double>(least), static_cast<double>(most)});
    if (node.is_integer()) return node.value<int64_t>().value_or(0);
    if (value != std::floor(value)) wrong_type(key, node, "an integer");
    return static_cast<int64_t>(value);
  }
  int64_t integer_or(std::string_view key, int64_t least, int64_t most, int64_t otherwise) {
    const toml::node* node = find(key);
    return node ? integer(key, *node, least, most) : otherwise;
  }

  bool boolean_or(std::string_view key, bool otherwise) {
    const toml::node* node = find(key);
    if (!node) return otherwise;
    if (!node->is_boolean()) wrong_type(key, *node, "true or false");
    return node->value_or(otherwise);
  }

  std::string text(std::string_view key, const toml::node& node) {
    if (!node.is_string()) wrong_type(key, node, "a text");
    std::string out = node.value_or(std::string());
    if (out.empty()) fail_at(node, std::string(key) + " is empty");
    const auto foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
    if (std::ranges::any_of(out, foreign)) fail_at(node, std::string(key) + " is not ASCII");
    return out;
  }
  std::string text(std::string_view key) { return text(key, require(key)); }
  std::string text_or_empty(std::string_view key) {
    const toml::node* node = find(key);
    return node ? text(key, *node) : std::string();
  }

  const toml::array& list(std::string_view key, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (!array) wrong_type(key, node, "a list");
    if (array->empty()) fail_at(node, std::string(key) + " is an empty list");
    return *array;
  }

  std::vector<int64_t> integers(std::string_view key, const toml::node& node, int64_t least,
                                int64_t most) {
    std::vector<int64_t> out;
    for (const toml::node& each : list(key, node)) out.push_back(integer(key, each, least, most));
    return out;
  }
  std::vector<int64_t> sites(std::string_view key, const toml::node& node) {
    std::vector<int64_t> out = integers(key, node, 0, Limits::sites - 1);
    if (out.size() > static_cast<size_t>(Limits::sites)) {
      fail_at(node, std::string(key) + ": more sites than a machine may have");
    }
    return out;
  }
  // A list of sites, or "all", which gives an empty one.
  std::vector<int64_t> sites_or_all(std::string_view key, const toml::node& node) {
    return node.is_string() && text(key, node) == "all" ? std::vector<int64_t>() : sites(key, node);
  }
  // A site or several.
  std::vector<int64_t> site_or_sites(std::string_view key) {
    const toml::node& node = require(key);
    if (node.is_array()) return sites(key, node);
    return {integer(key, node, 0, Limits::sites - 1)};
  }

  std::vector<Machine::Pair> pairs(std::string_view key, const toml::node& node) {
    std::vector<Machine::Pair> out;
    for (const toml::node& each : list(key, node)) out.push_back(pair(key, each));
    return out;
  }
  Machine::Pair pair(std::string_view key, const toml::node& node) {
    const std::vector<int64_t> both = integers(key, node, 0, Limits::sites - 1);
    if (both.size() != 2) fail_at(node, std::string(key) + ": a pair has two sites");
    return {both[0], both[1]};
  }

  // Reads `source`, and complains of fields that were not asked for.
  Machine::Table finish(Sources sources) {
    Machine::Table out = {.source = text_or_empty("source"),
                          .line = static_cast<int>(table_.source().begin.line)};
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(fields_, key.str()) != fields_.end()) continue;
      fail_at(node, "there is no field " + excerpt(key.str()) + "; there are " +
                        join({fields_.begin(), fields_.end()}, ", "));
    }
    if (sources == Sources::required && out.source.empty()) {
      fail_here("has no source: say where its figures come from");
    }
    return out;
  }

  [[noreturn]] void fail_here(const std::string& reason) const {
    fail(file_, table_.source().begin.line, what_ + (what_.empty() ? "the file " : " ") + reason);
  }
  [[noreturn]] void fail_at(const toml::node& node, const std::string& reason) const {
    fail(file_, node.source().begin.line, what_ + (what_.empty() ? "" : " ") + reason);
  }
  [[noreturn]] void wrong_type(std::string_view key, const toml::node& node,
                               std::string_view wanted) const {
    fail_at(node, std::string(key) + " is " + std::string(type_name(node)) + ", not " +
                      std::string(wanted));
  }

 private:
  const toml::table& table_;
  std::string what_;
  std::string_view file_;
  std::vector<std::string_view> fields_;
};

template <class T>
T finished(T value, Reader& reader, Sources sources) {
  static_cast<Machine::Table&>(value) = reader.finish(sources);
  return value;
}

Machine::Sites read_sites(Reader& in, std::string_view file, Sources sources) {
  Machine::Sites out;
  const toml::node& count = in.require("count");
  if (count.is_string()) {
    if (in.text("count", count) != "any") in.fail_at(count, "count is a number or \"any\"");
  } else {
    out.count = in.integer("count", count, 1, Limits::sites);
  }
  out.memory_bytes = in.integer_or("memory", 1, Limits::memory_bytes, 0);
  out.hbm_gbps = in.number("hbm", kBandwidth);
  out.kernel_latency_us = in.number_or("kernel_latency_us", kLatency, 0);
  if (const toml::node* node = in.find("flops")) {
    if (!node->is_table()) in.wrong_type("flops", *node, "a table of dtypes");
    Reader flops(*node->as_table(), "[sites] flops:", file);
    for (std::string_view dtype : kDtypes) {
      const toml::node* rate = flops.find(dtype);
      if (!rate) continue;
      out.flops[std::string(dtype)] =
          flops.number(dtype, *rate, {Limits::least_flops, Limits::flops});
    }
    flops.finish(Sources::optional);
  }
  return finished(std::move(out), in, sources);
}

Machine::Compute read_compute(Reader& in, Sources sources) {
  Machine::Compute out;
  out.workers = in.integer_or("workers", 1, Limits::sites, 0);
  out.handover = in.boolean_or("handover", false);
  out.handover_us = in.number_or("handover_us", kLatency, 0);
  return finished(std::move(out), in, sources);
}

Machine::Link read_link(Reader& in, Sources sources) {
  Machine::Link out;
  const toml::node* sites = in.find("sites");
  const toml::node* pairs = in.find("pairs");
  if (!sites == !pairs) in.fail_here("has either sites = [0, 1] or pairs = [[0, 1], [0, 2]]");
  out.pairs = sites ? std::vector{in.pair("sites", *sites)} : in.pairs("pairs", *pairs);
  out.gbps = in.number("gbps", kBandwidth);
  out.latency_us = in.number_or("latency_us", kLatency, 0);
  out.both = in.boolean_or("both", true);
  return finished(std::move(out), in, sources);
}

Machine::Switch read_switch(Reader& in, Sources sources) {
  Machine::Switch out;
  out.sites = in.sites_or_all("sites", in.require("sites"));
  out.egress_gbps = in.number("egress", kBandwidth);
  out.ingress_gbps = in.number("ingress", kBandwidth);
  out.latency_us = in.number_or("latency_us", kLatency, 0);
  return finished(std::move(out), in, sources);
}

Machine::Bus read_bus(Reader& in, Sources sources) {
  Machine::Bus out;
  out.name = in.text("name");
  out.gbps = in.number("gbps", kBandwidth);
  out.latency_us = in.number_or("latency_us", kLatency, 0);
  if (const toml::node* pairs = in.find("pairs")) {
    out.unlinked = pairs->is_string() && in.text("pairs", *pairs) == "unlinked";
    if (!out.unlinked) out.pairs = in.pairs("pairs", *pairs);
  }
  return finished(std::move(out), in, sources);
}

Machine::Node read_node(Reader& in, Sources sources) {
  Machine::Node out;
  out.sites = in.sites("sites", in.require("sites"));
  return finished(std::move(out), in, sources);
}

Machine::Nic read_nic(Reader& in, Sources sources) {
  Machine::Nic out;
  const toml::node* site = in.find("site");
  const toml::node* sites = in.find("sites");
  if (!site == !sites) in.fail_here("has either site = 0 or sites = [0, 1]");
  out.sites = site ? std::vector{in.integer("site", *site, 0, Limits::sites - 1)}
                   : in.sites_or_all("sites", *sites);
  out.shared = in.boolean_or("shared", false);
  out.egress_gbps = in.number("egress", kBandwidth);
  out.ingress_gbps = in.number("ingress", kBandwidth);
  out.latency_us = in.number_or("latency_us", kLatency, 0);
  return finished(std::move(out), in, sources);
}

Machine::Way read_route(Reader& in, Sources sources) {
  Machine::Way out;
  out.from = in.site_or_sites("from");
  out.to = in.site_or_sites("to");
  const toml::node& via = in.require("via");
  for (const toml::node& each : in.list("via", via)) out.via.push_back(in.text("via", each));
  if (const toml::node* latency = in.find("latency_us")) {
    out.latency_us = in.number("latency_us", *latency, kLatency);
  }
  out.both = in.boolean_or("both", false);
  return finished(std::move(out), in, sources);
}

Machine::Fraction read_efficiency(Reader& in, Sources sources) {
  Machine::Fraction out;
  out.efficiency.op = in.text("op");
  out.efficiency.dtype = in.text("dtype");
  const toml::node& shape = in.require("shape");
  out.efficiency.shape = in.integers("shape", shape, 1, int64_t{1} << 48);
  if (out.efficiency.shape.size() > kMostShape) {
    in.fail_at(shape, "shape has more than " + std::to_string(kMostShape) + " extents");
  }
  out.efficiency.fraction = in.number("fraction", {1e-9, 1});
  return finished(std::move(out), in, sources);
}

// Reads each [[name]] of the file.
template <class T>
std::vector<T> read_all(Reader& file_reader, std::string_view name, std::string_view file,
                        Sources sources, T (*read)(Reader&, Sources)) {
  std::vector<T> out;
  const toml::node* node = file_reader.find(name);
  if (!node) return out;
  const std::string what = "[[" + std::string(name) + "]]";
  for (const toml::node& each : file_reader.list(name, *node)) {
    if (!each.is_table()) file_reader.wrong_type(name, each, "a table " + what);
    Reader reader(*each.as_table(), what, file);
    out.push_back(read(reader, sources));
  }
  return out;
}

const toml::table& table_of(Reader& in, std::string_view name, const toml::node& node) {
  if (!node.is_table()) in.wrong_type(name, node, "a table [" + std::string(name) + "]");
  return *node.as_table();
}

Machine read_machine(const toml::table& table, std::string_view file, Sources sources) {
  Reader in(table, "", file);
  Machine out;
  const toml::node& version = in.require("version");
  if (in.integer("version", version, 1, Limits::memory_bytes) != 1) {
    in.fail_at(version, "version is not 1, the only one there is");
  }
  out.name = in.text("name");
  Reader sites(table_of(in, "sites", in.require("sites")), "[sites]", file);
  out.sites = read_sites(sites, file, sources);
  if (const toml::node* compute = in.find("compute")) {
    Reader reader(table_of(in, "compute", *compute), "[compute]", file);
    out.compute = read_compute(reader, sources);
  }
  out.links = read_all(in, "link", file, sources, read_link);
  out.switches = read_all(in, "switch", file, sources, read_switch);
  out.buses = read_all(in, "bus", file, sources, read_bus);
  out.nodes = read_all(in, "node", file, sources, read_node);
  out.nics = read_all(in, "nic", file, sources, read_nic);
  out.routes = read_all(in, "route", file, sources, read_route);
  out.efficiencies = read_all(in, "efficiency", file, sources, read_efficiency);
  out.source = in.finish(Sources::optional).source;
  return out;
}

}  // namespace

Machine parse_machine(std::string_view text, std::string_view file, Sources sources) {
  if (text.size() > Limits::text_bytes) {
    fail(file, 0, "a machine file has at most " + std::to_string(Limits::text_bytes) + " bytes");
  }
  if (const auto refused = refuse_toml(text, kTables)) {
    fail(file, static_cast<uint32_t>(refused->line), std::string(refused->reason));
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    constexpr size_t most = 200;
    fail(file, error.source().begin.line,
         std::string(error.description().substr(0, most)) +
             (error.description().size() > most ? "..." : ""));
  }
  Machine machine = read_machine(parsed.table(), file, sources);
  verify(machine, file);
  return machine;
}

}  // namespace einsummable
