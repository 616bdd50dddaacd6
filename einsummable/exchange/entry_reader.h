// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/scanner.h"

namespace einsummable::exchange {

// What the entries of all sections are made of: names, aggregates, places and sizes. Reads them
// from the text, knows what is declared so far, and where. Every failure throws SyntaxFault.
class EntryReader {
 public:
  EntryReader(std::string_view text, const Limits& limits);

  // Whether an aggregate may name atoms that are not known yet (in IN).
  enum class Atoms { known, declared_here };

  AggregateId aggregate(Atoms atoms);
  AtomId known_atom();
  SiteId site();
  Place place();
  int64_t size();
  int64_t count(std::string_view what);
  // Reads `read` once and again after each ','; a line may end after the ','.
  template <class Read>
  void list(Read read) {
    read();
    while (scan.accept(",")) {
      scan.skip_newlines();
      read();
    }
  }

  // Enters a name. Fails if it is taken.
  void name_partition(const std::string& name, PartitionId id);
  void name_piece(AtomId piece);
  // From here on only the sites named so far are sites.
  void close_sites();
  // The sites named so far, in order.
  std::vector<SiteId> named_sites() const;
  int line_of(AggregateId aggregate) const { return aggregate_lines_[aggregate.index()]; }
  int line_of(PartitionId partition) const { return partition_lines_[partition.index()]; }
  [[noreturn]] void fail(std::string reason) const { scan.fail(std::move(reason)); }

  Scanner scan;
  Program program;
  const Limits limits;

 private:
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  template <class T>
  using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

  AtomId atom(Atoms atoms);

  bool sites_closed_ = false;
  int64_t sites_seen_ = 0;
  std::vector<bool> site_named_;
  NameMap<AtomId> atoms_;
  NameMap<PartitionId> partitions_;
  std::vector<int> partition_lines_;
  std::vector<int> aggregate_lines_;
  std::vector<AtomId> scratch_;
};

}  // namespace einsummable::exchange
