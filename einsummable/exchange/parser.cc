// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/parser.h"

#include <unordered_map>

#include "einsummable/base/error.h"
#include "einsummable/exchange/entry_reader.h"
#include "einsummable/exchange/repetitions.h"
#include "einsummable/exchange/size.h"
#include "einsummable/exchange/well_formed.h"

namespace einsummable::exchange {
namespace {

enum class Section { none, sites, partitions, in, out, split, body };

struct Attributes {
  std::optional<int64_t> bytes;
  std::optional<int64_t> grain;
};

class Parser {
 public:
  Parser(std::string_view text, const Limits& limits) : read_(text, limits) {}

  Program run();

 private:
  [[noreturn]] void fail(std::string reason) const { read_.fail(std::move(reason)); }
  void check(const std::optional<Fault>& fault) const;
  void check_aggregates() const;

  void version();
  void section();
  void begin(Section next, const std::string& name);
  bool next_entry();
  void end_entry(std::string_view what);
  void sites();
  void partitions();
  void partition();
  void in_entry();
  void out_entry();
  void finish_in();
  void split_entry();
  void finish_split();
  void body_entry();
  void relay(AggregateId aggregate, SiteId source);
  void add_action(Action action);
  Attributes attributes();
  void charge(AggregateId aggregate, int64_t& counter, int64_t limit, std::string_view what);

  EntryReader read_;
  Scanner& scan_ = read_.scan;
  Program& program_ = read_.program;
  const Limits& limits_ = read_.limits;
  Section at_ = Section::none;
  std::vector<Attributes> stated_;  // of each atom
  std::unordered_map<int32_t, int64_t> out_bytes_;
  Repetitions seen_{program_};
  int64_t in_count_ = 0, out_count_ = 0, action_count_ = 0, named_atoms_ = 0;
};

void Parser::check(const std::optional<Fault>& fault) const {
  if (!fault) return;
  int line = scan_.token().line;
  if (fault->aggregate.valid()) line = read_.line_of(fault->aggregate);
  if (fault->partition.valid()) line = read_.line_of(fault->partition);
  throw SyntaxFault{line, fault->reason};
}

void Parser::check_aggregates() const {
  for (size_t i = 0; i < program_.aggregate_count(); ++i) {
    check(unlike_atoms(program_, AggregateId(static_cast<int64_t>(i))));
  }
}

Program Parser::run() {
  version();
  for (;;) {
    while (scan_.token().kind == Scanner::Kind::newline || scan_.at(";")) scan_.advance();
    if (scan_.token().kind == Scanner::Kind::end) break;
    if (scan_.token().section) {
      section();
    } else if (at_ >= Section::out) {
      at_ = Section::body;
      body_entry();
    } else {
      fail("expected a section (GPUS:, PARTITIONS:, IN:, OUT:), not " + scan_.shown() +
           "; a section goes on to the next line only after ';' or ','");
    }
  }
  if (at_ < Section::in) fail("the program has no IN:");
  if (at_ < Section::out) fail("the program has no OUT:");
  if (program_.sites().empty()) program_.set_sites(read_.named_sites());
  check(ill_formed_partitions(program_));
  return std::move(program_);
}

void Parser::version() {
  scan_.skip_newlines();
  if (!scan_.at("exprog") || scan_.token().section) return;
  scan_.advance();
  if (scan_.token().kind != Scanner::Kind::number || scan_.token().text != "1") {
    fail("version " + scan_.shown() + " is not known; this reads exprog 1");
  }
  scan_.advance();
  end_entry("the version");
}

void Parser::begin(Section next, const std::string& name) {
  if (next == at_) fail("there is a second " + name + ":");
  if (next < at_) {
    fail(name + ": comes too late; the order is GPUS, PARTITIONS, IN, OUT, SPLIT, BODY");
  }
  if (next > Section::in && at_ < Section::in) fail("the program has no IN: before " + name + ":");
  if (next > Section::out && at_ < Section::out) {
    fail("the program has no OUT: before " + name + ":");
  }
  at_ = next;
  scan_.advance();
  scan_.expect(":", "after the name of a section");
}

void Parser::section() {
  const std::string name(scan_.token().text);
  if (name == "GPUS" || name == "SITES") {
    begin(Section::sites, name);
    sites();
  } else if (name == "PARTITIONS") {
    begin(Section::partitions, name);
    partitions();
  } else if (name == "IN") {
    begin(Section::in, name);
    while (next_entry()) in_entry();
    finish_in();
  } else if (name == "OUT") {
    begin(Section::out, name);
    while (next_entry()) out_entry();
    check_aggregates();
    check(nested_complete(program_));
  } else if (name == "SPLIT") {
    begin(Section::split, name);
    while (next_entry()) split_entry();
    finish_split();
  } else if (name == "BODY") {
    begin(Section::body, name);
  } else {
    fail("there is no section " + name + ":; GPUS, SITES, PARTITIONS, IN, OUT, SPLIT and BODY are");
  }
}

// Whether another entry of this section follows; it may do so on the next line after a ';'.
bool Parser::next_entry() {
  while (scan_.accept(";")) scan_.skip_newlines();
  return !scan_.at_line_end() && !scan_.token().section;
}

void Parser::end_entry(std::string_view what) {
  if (scan_.at_line_end() || scan_.at(";")) return;
  fail("expected ';' or the end of the line after " + std::string(what) + ", not " + scan_.shown());
}

void Parser::sites() {
  if (scan_.at_line_end()) fail("GPUS: names no site");
  read_.list([&] { read_.site(); });
  end_entry("the sites");
  program_.set_sites(read_.named_sites());
  read_.close_sites();
}

void Parser::partitions() {
  for (;;) {
    while (scan_.token().kind == Scanner::Kind::newline || scan_.at(";") || scan_.at(",")) {
      scan_.advance();
    }
    if (!scan_.is_name() || scan_.token().section) return;
    partition();
  }
}

void Parser::partition() {
  const std::string name(scan_.token().text);
  if (static_cast<int64_t>(program_.partitions().size()) == limits_.sites) {
    fail("a program has at most " + std::to_string(limits_.sites) + " partitions");
  }
  scan_.advance();
  scan_.expect("{", "after the name of a partition");
  PartitionId id;
  if (scan_.accept("size")) {
    const int64_t size = read_.count("the size of a partition");
    if (size > limits_.sites) {
      fail("a program has at most " + std::to_string(limits_.sites) + " sites");
    }
    id = program_.add_open_partition(name, size);
  } else {
    std::vector<SiteId> members;
    if (!scan_.at("}")) read_.list([&] { members.push_back(read_.site()); });
    id = program_.add_partition(name, std::move(members));
  }
  read_.name_partition(name, id);
  scan_.expect("}", "after the sites of a partition");
}

// (size: 1.5 GB, grain: 4 KiB), in any order, or nothing.
Attributes Parser::attributes() {
  Attributes found;
  if (scan_.accept("(")) {
    read_.list([&] {
      const bool grain = scan_.at("grain");
      if (!grain && !scan_.at("size")) fail("expected 'size' or 'grain', not " + scan_.shown());
      scan_.advance();
      scan_.expect(":", grain ? "after 'grain'" : "after 'size'");
      auto& slot = grain ? found.grain : found.bytes;
      if (slot) fail(grain ? "the grain is there twice" : "the size is there twice");
      slot = read_.size();
    });
    scan_.expect(")", "after a size");
  }
  end_entry("an entry");
  return found;
}

void Parser::in_entry() {
  const AggregateId what = read_.aggregate(EntryReader::Atoms::declared_here);
  scan_.expect("@", "after an aggregate");
  read_.list([&] {
    const Place where = read_.place();
    if (!where.is_site()) {
      fail("IN places aggregates at sites, and " + place_text(program_, where) + " is a partition");
    }
    charge(what, in_count_, limits_.entries, "entries in IN");
    if (seen_.new_in_entry(what, where)) program_.give(what, where.site);
  });
  // A size holds for all atoms of the entry. It may be stated again, but not otherwise.
  const Attributes now = attributes();
  stated_.resize(program_.atoms().size());
  const auto state = [&](AtomId atom, std::string_view kind, auto& old, const auto& value) {
    if (value && old && *value != *old) {
      fail("atom " + name_text(program_.atom(atom).name) + " has two " + std::string(kind) + "s, " +
           size_text(*old) + " and " + size_text(*value));
    }
    if (value) old = value;
  };
  for (AtomId a : program_.atoms(what)) {
    state(a, "size", stated_[a.index()].bytes, now.bytes);
    state(a, "grain", stated_[a.index()].grain, now.grain);
  }
}

void Parser::finish_in() {
  for (size_t a = 0; a < stated_.size(); ++a) {
    program_.set_atom_size(AtomId(static_cast<int64_t>(a)),
                           stated_[a].bytes.value_or(default_atom_bytes), stated_[a].grain);
  }
  check(ill_formed_atoms(program_));
  check_aggregates();
}

void Parser::out_entry() {
  const AggregateId what = read_.aggregate(EntryReader::Atoms::known);
  scan_.expect("@", "after an aggregate");
  read_.list([&] {
    const Place where = read_.place();
    charge(what, out_count_, limits_.entries, "entries in OUT");
    if (seen_.new_out_entry(what, where)) program_.require(what, where);
  });
  if (scan_.at("->")) {
    fail("OUT has no arrows; it goes on after a line that ends in ';' or ','");
  }
  const Attributes stated = attributes();
  if (stated.grain) fail("a grain stands in IN, not in OUT");
  if (!stated.bytes) return;
  const auto [old, fresh] = out_bytes_.try_emplace(what.value, *stated.bytes);
  if (old->second != *stated.bytes) {
    fail(aggregate_text(program_, what) + " has two OUT sizes, " + size_text(old->second) +
         " and " + size_text(*stated.bytes));
  }
  if (fresh) program_.set_complete_bytes(what, *stated.bytes);
}

void Parser::split_entry() {
  std::vector<AtomId> atoms;
  read_.list([&] { atoms.push_back(read_.known_atom()); });
  scan_.expect("into", "after the atoms to split");
  const int64_t number = read_.count("the number of pieces");
  std::vector<int64_t> sizes;
  if (scan_.accept("(")) {
    read_.list([&] { sizes.push_back(read_.size()); });
    scan_.expect(")", "after the sizes of pieces");
    if (static_cast<int64_t>(sizes.size()) != number) {
      fail("into " + std::to_string(number) + " pieces, but " + std::to_string(sizes.size()) +
           " sizes");
    }
  }
  end_entry("a split");
  for (AtomId atom : atoms) {
    if (number > limits_.atoms - static_cast<int64_t>(program_.atoms().size())) {
      fail("a program has at most " + std::to_string(limits_.atoms) + " atoms and pieces");
    }
    try {
      program_.add_split(atom, sizes.empty() ? equal_pieces(program_.atom(atom), number) : sizes);
    } catch (const Error& error) {
      fail(error.what());
    }
    const Split split = program_.splits().back();
    for (int32_t k = 0; k < split.count; ++k) read_.name_piece(split.piece(k));
  }
}

void Parser::finish_split() {
  check_aggregates();
  in_count_ = out_count_ = named_atoms_ = 0;
  for (const Given& g : program_.given()) {
    charge(g.aggregate, in_count_, limits_.entries, "entries in IN");
  }
  for (const Requirement& r : program_.required()) {
    charge(r.aggregate, out_count_, limits_.entries, "entries in OUT");
  }
}

void Parser::body_entry() {
  const size_t known = program_.aggregate_count();
  const AggregateId what = read_.aggregate(EntryReader::Atoms::known);
  if (program_.aggregate_count() > known) check(unlike_atoms(program_, what));
  scan_.expect("@", "after an aggregate");
  std::vector<Place> sources;
  read_.list([&] { sources.push_back(read_.place()); });
  if (!scan_.at("->")) {
    for (Place source : sources) add_action({what, source, {}});
  } else if (sources.size() > 1) {
    fail("an action with an arrow has one source");
  } else if (!sources[0].is_site()) {
    fail("the source of an arrow is one site, and " + place_text(program_, sources[0]) +
         " is a partition");
  } else {
    relay(what, sources[0].site);
  }
  end_entry("an action");
}

void Parser::relay(AggregateId what, SiteId source) {
  while (scan_.accept("->")) {
    std::vector<Place> destinations;
    read_.list([&] { destinations.push_back(read_.place()); });
    const bool one_site = destinations.size() == 1 && destinations[0].is_site();
    if (scan_.at("->") && !one_site) fail("a relay passes through one site at a time");
    const SiteId next = destinations[0].site;
    add_action({what, source, std::move(destinations)});
    source = next;
  }
}

void Parser::add_action(Action action) {
  charge(action.aggregate, action_count_, limits_.actions, "actions");
  program_.add_action(std::move(action));
  if (!seen_.new_action(program_.body().size() - 1)) program_.drop_last_action();
}

// Counts an entry or an action, once a piece, before it is made.
void Parser::charge(AggregateId aggregate, int64_t& counter, int64_t limit, std::string_view what) {
  const Split* split = program_.split(aggregate);
  const int64_t pieces = split == nullptr ? 1 : split->count;
  counter += pieces;
  if (counter > limit) {
    fail("a program has at most " + std::to_string(limit) + " " + std::string(what));
  }
  named_atoms_ += pieces * static_cast<int64_t>(program_.atoms(aggregate).size());
  if (named_atoms_ > limits_.named_atoms) {
    fail("the entries and actions name more than " + std::to_string(limits_.named_atoms) +
         " atoms");
  }
}

}  // namespace

ParseVerdict parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.text_bytes) {
    return {.reason = "the text has " + std::to_string(text.size()) + " bytes; at most " +
                      std::to_string(limits.text_bytes) + " are read"};
  }
  try {
    return {.ok = true, .program = Parser(text, limits).run()};
  } catch (const SyntaxFault& fault) {
    return {.line = fault.line, .reason = fault.reason};
  }
}

}  // namespace einsummable::exchange
