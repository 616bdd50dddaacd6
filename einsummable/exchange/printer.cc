// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/printer.h"

#include <algorithm>

#include "einsummable/base/text.h"
#include "einsummable/exchange/size.h"

namespace einsummable::exchange {
namespace {

constexpr size_t line_width = 100;

// Writes a section: its entries one after another, on further lines where one gets too long.
class SectionWriter {
 public:
  SectionWriter(std::string& out, std::string_view name) : out_(out), line_start_(out.size()) {
    out_ += name;
    out_ += ':';
  }
  ~SectionWriter() { out_ += '\n'; }
  SectionWriter(const SectionWriter&) = delete;
  SectionWriter& operator=(const SectionWriter&) = delete;

  void entry(const std::string& text) {
    if (!first_) out_ += ';';
    if (!first_ && out_.size() - line_start_ + text.size() > line_width) {
      out_ += '\n';
      line_start_ = out_.size();
      out_ += "   ";
    }
    out_ += ' ';
    out_ += text;
    first_ = false;
  }

 private:
  std::string& out_;
  size_t line_start_;
  bool first_ = true;
};

std::string sites_text(const std::vector<SiteId>& sites) {
  std::vector<std::string> numbers;
  for (SiteId s : sites) numbers.push_back(std::to_string(s.value));
  return join(numbers, ", ");
}

void print_partitions(const Program& program, std::string& out) {
  if (program.partitions().empty()) return;
  SectionWriter section(out, "PARTITIONS");
  for (const Partition& g : program.partitions()) {
    const std::string sites = g.open() ? "size " + std::to_string(g.size) : sites_text(g.members);
    section.entry(name_text(g.name) + " {" + sites + "}");
  }
}

// "(size: 1.5 GB, grain: 4 KiB)" of the atoms an entry names first, or nothing.
std::string attributes_text(const Atom& atom) {
  std::vector<std::string> parts;
  if (atom.bytes != default_atom_bytes) parts.push_back("size: " + size_text(atom.bytes));
  if (atom.grain) parts.push_back("grain: " + size_text(*atom.grain));
  return parts.empty() ? std::string() : " (" + join(parts, ", ") + ")";
}

void print_in(const Program& program, std::string& out) {
  SectionWriter section(out, "IN");
  std::vector<bool> named(program.atoms().size(), false);
  const auto& given = program.given();
  for (size_t i = 0; i < given.size();) {
    const AggregateId what = given[i].aggregate;
    std::vector<SiteId> sites;
    for (; i < given.size() && given[i].aggregate == what; ++i) sites.push_back(given[i].site);
    std::string attributes;
    for (AtomId a : program.atoms(what)) {
      if (!named[a.index()]) attributes = attributes_text(program.atom(a));
      named[a.index()] = true;
    }
    section.entry(aggregate_text(program, what) + " @ " + sites_text(sites) + attributes);
  }
}

void print_out(const Program& program, std::string& out) {
  SectionWriter section(out, "OUT");
  const auto& required = program.required();
  std::vector<bool> named(program.aggregate_count(), false);
  for (size_t i = 0; i < required.size();) {
    const AggregateId what = required[i].aggregate;
    std::vector<std::string> places;
    for (; i < required.size() && required[i].aggregate == what; ++i) {
      places.push_back(place_text(program, required[i].place));
    }
    std::string text = aggregate_text(program, what) + " @ " + join(places, ", ");
    if (program.has_own_bytes(what) && !named[what.index()]) {
      text += " (size: " + size_text(program.bytes(what)) + ")";
    }
    named[what.index()] = true;
    section.entry(text);
  }
}

std::vector<int64_t> piece_sizes(const Program& program, const Split& split) {
  std::vector<int64_t> sizes;
  for (int32_t k = 0; k < split.count; ++k) sizes.push_back(program.atom(split.piece(k)).bytes);
  return sizes;
}

// " into 3", with the sizes unless they are those of equal pieces.
std::string pieces_text(const Program& program, const Split& split) {
  const std::string text = " into " + std::to_string(split.count);
  const std::vector<int64_t> sizes = piece_sizes(program, split);
  if (sizes == equal_pieces(program.atom(split.atom), split.count)) return text;
  std::vector<std::string> parts;
  for (int64_t size : sizes) parts.push_back(size_text(size));
  return text + " (" + join(parts, ", ") + ")";
}

void print_splits(const Program& program, std::string& out) {
  if (program.splits().empty()) return;
  SectionWriter section(out, "SPLIT");
  const auto& splits = program.splits();
  for (size_t i = 0; i < splits.size();) {
    const std::string pieces = pieces_text(program, splits[i]);
    std::vector<std::string> atoms;
    const int32_t cut = splits[i].cut;
    do {
      atoms.push_back(name_text(program.atom(splits[i++].atom).name));
    } while (i < splits.size() && splits[i].cut == cut &&
             pieces_text(program, splits[i]) == pieces);
    section.entry(join(atoms, ", ") + pieces);
  }
}

void print_body(const Program& program, std::string& out) {
  if (program.body().empty()) return;
  out += "BODY:\n";
  const auto& body = program.body();
  for (size_t i = 0; i < body.size();) {
    const Action& action = body[i];
    out += aggregate_text(program, action.aggregate) + " @ " + place_text(program, action.source);
    ++i;
    std::vector<std::string> places;
    for (Place d : action.destinations) places.push_back(place_text(program, d));
    if (!places.empty()) out += " -> " + join(places, ", ");
    // Local aggregations of one aggregate, one after another, are a list of sites.
    while (places.empty() && i < body.size() && body[i].aggregate == action.aggregate &&
           body[i].destinations.empty()) {
      out += ", " + place_text(program, body[i++].source);
    }
    out += '\n';
  }
}

}  // namespace

std::string print(const Program& program) {
  std::string out = "exprog 1\n";
  if (!program.sites().empty()) out += "GPUS: " + sites_text(program.sites()) + '\n';
  print_partitions(program, out);
  print_in(program, out);
  print_out(program, out);
  print_splits(program, out);
  print_body(program, out);
  return out;
}

}  // namespace einsummable::exchange
