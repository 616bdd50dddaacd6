// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/entry_reader.h"

#include <charconv>

#include "einsummable/base/error.h"
#include "einsummable/exchange/size.h"

namespace einsummable::exchange {

EntryReader::EntryReader(std::string_view text, const Limits& bounds)
    : scan(text), limits(bounds), site_named_(site_number_limit, false) {}

AggregateId EntryReader::aggregate(Atoms atoms) {
  const int line = scan.token().line;
  scratch_.clear();
  do {
    scratch_.push_back(atom(atoms));
  } while (scan.accept("+"));
  try {
    const AggregateId id = program.aggregate(scratch_);
    aggregate_lines_.resize(program.aggregate_count(), line);
    return id;
  } catch (const ExchangeError& error) {
    fail(error.what());
  }
}

AtomId EntryReader::known_atom() { return atom(Atoms::known); }

AtomId EntryReader::atom(Atoms atoms) {
  if (!scan.is_name()) fail("expected the name of an atom, not " + scan.shown());
  const auto found = atoms_.find(scan.token().text);
  AtomId id;
  if (found != atoms_.end()) {
    id = found->second;
  } else {
    const std::string name(scan.token().text);
    if (atoms == Atoms::known) fail("there is no atom " + name_text(name) + "; IN declares atoms");
    if (static_cast<int64_t>(program.atoms().size()) == limits.atoms) {
      fail("a program has at most " + std::to_string(limits.atoms) + " atoms and pieces");
    }
    id = program.add_atom({.name = name});
    atoms_.emplace(name, id);
  }
  scan.advance();
  return id;
}

int64_t EntryReader::count(std::string_view what) {
  const std::string_view text = scan.token().text;
  int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (scan.token().kind != Scanner::Kind::number || read.ec != std::errc() ||
      read.ptr != text.data() + text.size()) {
    fail(std::string(what) + " is a whole number, not " + scan.shown());
  }
  scan.advance();
  return value;
}

SiteId EntryReader::site() {
  const int line = scan.token().line;
  const int64_t number = count("a site");
  const auto refuse = [&](const std::string& why) {
    throw SyntaxFault{line, "site " + std::to_string(number) + why};
  };
  if (number >= site_number_limit) refuse(": sites are numbered 0 to 65535");
  if (!site_named_[static_cast<size_t>(number)]) {
    if (sites_closed_) refuse(" is not one of GPUS");
    if (++sites_seen_ > limits.sites)
      refuse(": a program has at most " + std::to_string(limits.sites) + " sites");
    site_named_[static_cast<size_t>(number)] = true;
  }
  return SiteId(number);
}

Place EntryReader::place() {
  if (!scan.is_name()) return site();
  const auto found = partitions_.find(scan.token().text);
  if (found == partitions_.end()) {
    fail("there is no partition " + name_text(scan.token().text) + "; PARTITIONS declares them");
  }
  scan.advance();
  return found->second;
}

int64_t EntryReader::size() {
  if (scan.token().kind != Scanner::Kind::number)
    fail("expected a size, as 1.5 GB, not " + scan.shown());
  const std::string number(scan.token().text);
  scan.advance();
  if (scan.token().kind != Scanner::Kind::name) {
    fail("expected a unit of size (B, kB, MB, GB, KiB, MiB, GiB) after " + number + ", not " +
         scan.shown());
  }
  std::string reason;
  const auto bytes = bytes_of(number, scan.token().text, reason);
  if (!bytes) fail(reason);
  scan.advance();
  return *bytes;
}

void EntryReader::name_partition(const std::string& name, PartitionId id) {
  partitions_.emplace(name, id);
  partition_lines_.push_back(scan.token().line);
}

void EntryReader::name_piece(AtomId piece) {
  const std::string& name = program.atom(piece).name;
  if (!atoms_.emplace(name, piece).second) {
    fail("a piece would be named " + name_text(name) + ", a name already taken");
  }
}

void EntryReader::close_sites() { sites_closed_ = true; }

std::vector<SiteId> EntryReader::named_sites() const {
  std::vector<SiteId> sites;
  for (int64_t s = 0; s < site_number_limit; ++s) {
    if (site_named_[static_cast<size_t>(s)]) sites.emplace_back(s);
  }
  return sites;
}

}  // namespace einsummable::exchange
