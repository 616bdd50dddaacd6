// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/canonical.h"

#include <gtest/gtest.h>

#include <numeric>

#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "tests/exchange/brute_force.h"
#include "tests/exchange/program_files.h"

namespace einsummable::exchange {
namespace {

using Random = std::mt19937_64;

Program program(const std::string& text) {
  ParseVerdict verdict = parse(text);
  EXPECT_TRUE(verdict.ok) << verdict.line << ": " << verdict.reason;
  return std::move(verdict.program);
}

std::string text(const std::string& source) { return canonical(program(source)).text; }

TEST(Canonical, ForgetsNamesAndTheOrderOfEntries) {
  const std::string one = text("IN: A @ 0; B @ 1; C @ 1\nOUT: A+B @ 0, 1; C @ 0");
  EXPECT_EQ(one, text("IN: Z @ 0; X @ 1; Y @ 1\nOUT: Y @ 0; X+Z @ 1, 0"));
  EXPECT_NE(one, text("IN: A @ 0; B @ 1; C @ 1\nOUT: A+B @ 0, 1; C @ 0, 1"));
  EXPECT_NE(one, text("IN: A @ 0; B @ 1; C @ 0\nOUT: A+B @ 0, 1; C @ 0"));
  EXPECT_NE(one, text("IN: A @ 0; B @ 1; C @ 1 (size: 2 GB)\nOUT: A+B @ 0, 1; C @ 0"));
  EXPECT_NE(one, text("IN: A @ 0; B @ 1; C @ 1\nOUT: A+B @ 0, 1 (size: 1 MB); C @ 0"));
}

// Every atom of either ring is in two sums at one site: refinement alone cannot tell them apart.
TEST(Canonical, TellsRingsOfSumsApart) {
  const std::string in = "IN: A @ 0; B @ 0; C @ 0; D @ 0; E @ 0; F @ 0\nOUT: ";
  const std::string six = text(in + "A+B @ 1; B+C @ 1; C+D @ 1; D+E @ 1; E+F @ 1; A+F @ 1");
  const std::string threes = text(in + "A+B @ 1; B+C @ 1; A+C @ 1; D+E @ 1; E+F @ 1; D+F @ 1");
  EXPECT_NE(six, threes);
  EXPECT_EQ(six, text(in + "A+D @ 1; D+B @ 1; B+E @ 1; E+C @ 1; C+F @ 1; F+A @ 1"));
  EXPECT_EQ(threes, text(in + "A+D @ 1; D+E @ 1; A+E @ 1; B+C @ 1; C+F @ 1; B+F @ 1"));
}

// The same program with other names, its atoms and entries in another order.
Program renamed(const Program& from, Random& random) {
  std::vector<size_t> order(from.atoms().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::shuffle(order, random);
  Program to;
  to.set_sites(from.sites());
  for (const Partition& p : from.partitions()) {
    const std::string name = "part" + std::to_string(random() % 1000) + p.name;
    p.open() ? to.add_open_partition(name, p.size) : to.add_partition(name, p.members);
  }
  std::vector<AtomId> image(order.size());
  for (size_t k : order) {
    Atom atom = from.atoms()[k];
    atom.name = "x" + std::to_string(random() % 1'000'000) + "_" + std::to_string(k);
    image[k] = to.add_atom(atom);
  }
  const auto mapped = [&](AggregateId aggregate) {
    std::vector<AtomId> atoms;
    for (AtomId a : from.atoms(aggregate)) atoms.push_back(image[a.index()]);
    return to.aggregate(atoms);
  };
  std::vector<Given> given = from.given();
  std::ranges::shuffle(given, random);
  for (const Given& g : given) to.give(mapped(g.aggregate), g.site);
  std::vector<Requirement> required = from.required();
  std::ranges::shuffle(required, random);
  for (const Requirement& r : required) to.require(mapped(r.aggregate), r.place);
  for (const Action& a : from.body())
    to.add_action({mapped(a.aggregate), a.source, a.destinations});
  return to;
}

TEST(Canonical, RenamingsOfAProgramHaveOneText) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Program original = random_program({.atoms = 6,
                                             .sites = 2,
                                             .actions = static_cast<int>(seed % 4),
                                             .partitions = static_cast<int>(seed % 3),
                                             .open = seed % 2 == 0},
                                            random);
    const Canonical expected = canonical(original);
    ASSERT_TRUE(expected.complete);
    for (int k = 0; k < 3; ++k) {
      const Program other = renamed(original, random);
      ASSERT_EQ(canonical(other).text, expected.text) << print(original) << "\nand\n"
                                                      << print(other);
    }
  }
}

// Whether two programs are the same up to the names of their atoms, by trying all.
bool same_up_to_names(const Program& a, const Program& b) {
  if (a.atoms().size() != b.atoms().size()) return false;
  std::vector<size_t> image(a.atoms().size());
  std::iota(image.begin(), image.end(), size_t{0});
  do {
    Program named;
    named.set_sites(a.sites());
    for (size_t k = 0; k < image.size(); ++k) {
      Atom atom = a.atoms()[k];
      atom.name = b.atoms()[image[k]].name;
      named.add_atom(atom);
    }
    const auto mapped = [&](AggregateId aggregate) {
      const auto atoms = a.atoms(aggregate);
      return named.aggregate(atoms);
    };
    for (const Given& g : a.given()) named.give(mapped(g.aggregate), g.site);
    for (const Requirement& r : a.required()) named.require(mapped(r.aggregate), r.place);
    const auto entries = [](const Program& p) {
      std::set<std::string> all;
      for (const Given& g : p.given())
        all.insert("in " + aggregate_text(p, g.aggregate) + std::to_string(g.site.value));
      for (const Requirement& r : p.required())
        all.insert("out " + aggregate_text(p, r.aggregate) + place_text(p, r.place));
      return all;
    };
    if (entries(named) == entries(b)) return true;
  } while (std::ranges::next_permutation(image).found);
  return false;
}

TEST(Canonical, PreamblesThatDifferHaveDifferentTexts) {
  int same = 0, different = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const auto preamble = [&] {
      Program p;
      p.set_sites(2);
      std::vector<AtomId> atoms;
      for (const char* name : {"A", "B", "C", "D", "E"}) {
        atoms.push_back(p.add_atom({.name = name}));
        p.give(p.aggregate(atoms.back()), SiteId(random() % 8 == 0 ? 1 : 0));
      }
      for (int k = 0; k < 4; ++k) {
        std::ranges::shuffle(atoms, random);
        p.require(p.aggregate(std::span(atoms).first(2)), SiteId(1));
      }
      return p;
    };
    const Program a = preamble(), b = preamble();
    const bool equal = same_up_to_names(a, b);
    (equal ? same : different) += 1;
    ASSERT_EQ(canonical(a).text == canonical(b).text, equal)
        << print(a) << print(b) << canonical(a).text << canonical(b).text;
  }
  EXPECT_GT(same, 10);
  EXPECT_GT(different, 100);
}

TEST(Canonical, NumbersAtomsSoThatWhatIsFoundForOneServesTheOther) {
  const Program a = program("IN: A @ 0; B @ 1; C @ 1\nOUT: A+B @ 0; C @ 0");
  const Program b = program("IN: P @ 1; Q @ 0; R @ 1\nOUT: P @ 0; R+Q @ 0");
  const Canonical first = canonical(a), second = canonical(b);
  std::map<std::string, std::string> names;
  for (size_t k = 0; k < first.atoms.size(); ++k) {
    names[a.atom(first.atoms[k]).name] = b.atom(second.atoms[k]).name;
  }
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"A", "Q"}, {"B", "R"}, {"C", "P"}}));
}

TEST(Canonical, TakesSitesThatAreAlikeForOneAnother) {
  const Program a = program("GPUS: 0, 1, 2\nIN: A @ 0\nOUT: A @ 1");
  const Program b = program("GPUS: 0, 1, 2\nIN: A @ 1\nOUT: A @ 2");
  std::vector<std::vector<int32_t>> all;
  std::vector<int32_t> sites = {0, 1, 2};
  do {
    all.push_back(sites);
  } while (std::ranges::next_permutation(sites).found);
  EXPECT_NE(canonical(a).text, canonical(b).text);
  const Canonical one = canonical(a, {.symmetries = all});
  const Canonical two = canonical(b, {.symmetries = all});
  EXPECT_EQ(one.text, two.text);
  // The site of A in IN, and of A in OUT, are the same site of the text.
  EXPECT_EQ(one.sites[0], two.sites[1]);
  EXPECT_EQ(one.sites[1], two.sites[2]);
}

TEST(Canonical, CountsPiecesAndTheOrderOfTheBody) {
  const std::string in = "IN: A @ 0; B @ 0\nOUT: A @ 1\n";
  EXPECT_EQ(text(in + "SPLIT: A into 2\nA @ 0 -> 1"),
            text("IN: P @ 0; Q @ 0\nOUT: Q @ 1\nSPLIT: Q into 2\nQ @ 0 -> 1"));
  EXPECT_NE(text(in + "SPLIT: A into 2\nA @ 0 -> 1"), text(in + "A @ 0 -> 1"));
  EXPECT_NE(text(in + "SPLIT: A into 2\nA.0 @ 0 -> 1; A.1 @ 0 -> 1"),
            text(in + "SPLIT: A into 2\nA.1 @ 0 -> 1; A.0 @ 0 -> 1"));
  EXPECT_NE(text(in + "A @ 0 -> 1; B @ 0 -> 1"), text(in + "B @ 0 -> 1; A @ 0 -> 1"));
}

TEST(Canonical, OfManyAtomsThatLookAlikeTakesNoLong) {
  std::string in = "IN: A0 @ 0", sum = "A0";
  for (int k = 1; k < 500; ++k) {
    in += ", A" + std::to_string(k) + " @ 0";
    sum += "+A" + std::to_string(k);
  }
  // ',' parts sites in IN, so entries are parted by ';'.
  for (size_t at = in.find(", A"); at != std::string::npos; at = in.find(", A"))
    in.replace(at, 1, ";");
  EXPECT_TRUE(canonical(program(in + "\nOUT: " + sum + " @ 1")).complete);
}

}  // namespace
}  // namespace einsummable::exchange
