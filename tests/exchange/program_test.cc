// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/program.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/well_formed.h"

namespace einsummable::exchange {
namespace {

TEST(ExchangeProgram, EqualSetsOfAtomsAreOneAggregate) {
  Program program;
  std::vector<AtomId> atoms;
  for (int a = 0; a < 300; ++a)
    atoms.push_back(program.add_atom({.name = "a" + std::to_string(a)}));
  std::vector<AggregateId> ids;
  for (size_t a = 0; a + 2 < atoms.size(); ++a) {
    ids.push_back(program.aggregate(std::vector{atoms[a], atoms[a + 1], atoms[a + 2]}));
  }
  for (size_t a = 0; a + 2 < atoms.size(); ++a) {
    EXPECT_EQ(program.aggregate(std::vector{atoms[a + 2], atoms[a], atoms[a + 1]}), ids[a]);
  }
  EXPECT_EQ(program.aggregate(std::vector{atoms[7]}), program.aggregate(atoms[7]));
  EXPECT_EQ(program.aggregate_count(), 299u);
  EXPECT_EQ(aggregate_text(program, ids[9]), "a10+a11+a9");
  EXPECT_THROW(program.aggregate(std::vector<AtomId>{}), ExchangeError);
  EXPECT_THROW(program.aggregate(std::vector{atoms[1], atoms[0], atoms[1]}), ExchangeError);
}

TEST(ExchangeProgram, EqualityGoesByNamesNotByIds) {
  const auto build = [](bool turned, const std::string& last) {
    Program program;
    program.set_sites(2);
    const auto add = [&](const std::string& name) { return program.add_atom({.name = name}); };
    const AtomId first = add(turned ? last : "A");
    const AtomId second = add(turned ? "A" : last);
    const AtomId a = turned ? second : first;
    const AtomId b = turned ? first : second;
    program.give(program.aggregate(a), SiteId(0));
    program.give(program.aggregate(b), SiteId(1));
    program.require(program.aggregate(std::vector{a, b}), SiteId(1));
    program.add_action(program.aggregate(a), SiteId(0), SiteId(1));
    return program;
  };
  EXPECT_EQ(build(false, "B"), build(true, "B"));
  EXPECT_FALSE(build(false, "B") == build(false, "C"));
}

TEST(ExchangeProgram, EqualPiecesDifferByAGrainAtMost) {
  EXPECT_EQ(equal_pieces({.name = "A", .bytes = 10}, 3), (std::vector<int64_t>{4, 3, 3}));
  EXPECT_EQ(equal_pieces({.name = "A", .bytes = 40, .grain = 8}, 2),
            (std::vector<int64_t>{24, 16}));
  EXPECT_THROW(equal_pieces({.name = "A", .bytes = 16, .grain = 8}, 3), ExchangeError);
}

// What the functions that add do not check.
TEST(ExchangeProgram, IllFormedSaysWhatIsWrongWithABuiltProgram) {
  const auto fault = [](auto build) {
    Program program;
    program.set_sites(2);
    const AtomId a = program.add_atom({.name = "A"});
    const AtomId b = program.add_atom({.name = "B", .bytes = 7});
    build(program, a, b);
    const auto found = ill_formed(program);
    return found ? found->reason : "";
  };
  EXPECT_EQ(fault([](Program&, AtomId, AtomId) {}), "");
  EXPECT_EQ(fault([](Program& p, AtomId, AtomId) { p.add_atom({.name = "A"}); }),
            "the name A is taken twice");
  EXPECT_EQ(fault([](Program& p, AtomId a, AtomId b) {
              p.aggregate(std::vector{a, b});
            }),
            "A and B have different sizes (1 GB, 7 B); the atoms of an aggregate have one size");
  EXPECT_EQ(fault([](Program& p, AtomId a, AtomId) { p.set_atom_size(a, -1, {}); }),
            "atom A has a negative size");
  EXPECT_EQ(fault([](Program& p, AtomId a, AtomId) { p.give(p.aggregate(a), SiteId(2)); }),
            "A is at a site or partition that is not declared");
  EXPECT_EQ(fault([](Program& p, AtomId a, AtomId) { p.require(p.aggregate(a), PartitionId(0)); }),
            "A is at a site or partition that is not declared");
  EXPECT_EQ(fault([](Program& p, AtomId, AtomId) {
              p.add_partition("G", {SiteId(0), SiteId(5)});
            }),
            "partition G holds site 5, which GPUS does not declare");
  EXPECT_EQ(fault([](Program& p, AtomId a, AtomId) {
              p.add_partition("G", {SiteId(0), SiteId(1)});
              p.add_action({p.aggregate(a), PartitionId(0), {SiteId(1)}});
            }),
            "an action that sends has one site as its source");
}

}  // namespace
}  // namespace einsummable::exchange
