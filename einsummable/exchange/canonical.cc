// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/canonical.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace einsummable::exchange {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }
int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

// Sorted by value; equal values have equal numbers, and lower values lower ones.
template <class T>
std::vector<int32_t> ranks(const std::vector<T>& values) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order,
                    [&](int32_t a, int32_t b) { return values[index(a)] < values[index(b)]; });
  std::vector<int32_t> rank(values.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const bool equal = k > 0 && values[index(order[k - 1])] == values[index(order[k])];
    rank[index(order[k])] = equal ? rank[index(order[k - 1])] : narrow(k);
  }
  return rank;
}

// A program as atoms with a text each, and groups of atoms (its aggregates of several) with a text
// each, which say all that the program says of them. Two programs are the same up to names if the
// atoms of one can be numbered so that atoms and groups have the same texts as the other's.
struct Shape {
  std::vector<AtomId> atoms;  // those that something names
  std::vector<std::string> atom_texts;
  std::vector<std::vector<int32_t>> groups;  // places in `atoms`
  std::vector<std::string> group_texts;
  std::string head;  // what has no atoms: sites and partitions
};

class ShapeMaker {
 public:
  ShapeMaker(const Program& program, const std::vector<int32_t>& image)
      : program_(program), image_(image) {}

  Shape run() {
    order_partitions();
    std::vector<std::string> said(program_.aggregate_count());
    std::vector<std::string> entries(program_.aggregate_count());
    for (const Given& g : program_.given()) add(entries, g.aggregate, "i" + site(g.site));
    for (const Requirement& r : program_.required())
      add(entries, r.aggregate, "o" + place(r.place));
    for (size_t a = 0; a < said.size(); ++a) said[a] = sorted(entries[a]);
    for (size_t k = 0; k < program_.body().size(); ++k) {
      const Action& action = program_.body()[k];
      std::string text = std::to_string(k) + "b" + place(action.source);
      std::string to;
      for (Place p : action.destinations) to += place(p) + ' ';
      add(said, action.aggregate, text + ">" + sorted(to));
    }
    std::vector<int32_t> place_of(program_.atoms().size(), -1);
    for (size_t a = 0; a < said.size(); ++a) {
      const AggregateId aggregate(static_cast<int64_t>(a));
      if (said[a].empty()) continue;
      if (program_.has_own_bytes(aggregate)) {
        said[a] += "w" + std::to_string(program_.bytes(aggregate));
      }
      std::vector<int32_t> group;
      for (AtomId atom : program_.atoms(aggregate)) group.push_back(take(atom, place_of));
      if (group.size() == 1) {
        shape_.atom_texts[index(group[0])] += " : " + said[a];
        continue;
      }
      shape_.groups.push_back(std::move(group));
      shape_.group_texts.push_back(std::move(said[a]));
    }
    add_splits(place_of);
    return std::move(shape_);
  }

 private:
  static void add(std::vector<std::string>& texts, AggregateId aggregate, const std::string& text) {
    texts[aggregate.index()] += text + ' ';
  }
  // The words of a text in order, each once.
  static std::string sorted(const std::string& text) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find(' ', begin);
      words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::string out;
    for (const std::string& word : words) out += word + ' ';
    return out;
  }

  std::string site(SiteId s) const {
    return std::to_string(s.index() < image_.size() ? image_[s.index()] : s.value);
  }
  std::string place(Place p) const {
    return p.is_site() ? site(p.site) : "g" + std::to_string(partition_[p.partition.index()]);
  }

  // Partitions are numbered by their members, those of the same size alone in their own order.
  void order_partitions() {
    std::vector<std::pair<std::string, int32_t>> keys;
    for (const Partition& p : program_.partitions()) {
      std::string text;
      for (SiteId s : p.members) text += site(s) + ' ';
      text = p.open() ? "size " + std::to_string(p.size) : sorted(text);
      keys.emplace_back(text, narrow(keys.size()));
    }
    std::ranges::sort(keys);
    partition_.resize(keys.size());
    std::string sites;
    for (SiteId s : program_.sites()) sites += site(s) + ' ';
    shape_.head = "sites " + sorted(sites) + '\n';
    for (size_t k = 0; k < keys.size(); ++k) {
      partition_[index(keys[k].second)] = narrow(k);
      shape_.head += "group " + keys[k].first + '\n';
    }
  }

  int32_t take(AtomId atom, std::vector<int32_t>& place_of) {
    int32_t& place = place_of[atom.index()];
    if (place >= 0) return place;
    place = narrow(shape_.atoms.size());
    shape_.atoms.push_back(atom);
    const Atom& a = program_.atom(atom);
    shape_.atom_texts.push_back(std::to_string(a.bytes) + ' ' +
                                std::to_string(a.grain.value_or(1)) +
                                (a.piece >= 0 ? " piece " + std::to_string(a.piece) : ""));
    return place;
  }

  // A split is a group of the atom and its pieces.
  void add_splits(std::vector<int32_t>& place_of) {
    for (const Split& split : program_.splits()) {
      std::vector<int32_t> group = {take(split.atom, place_of)};
      std::string text = "split";
      for (int32_t k = 0; k < split.count; ++k) {
        group.push_back(take(split.piece(k), place_of));
        text += ' ' + std::to_string(program_.atom(split.piece(k)).bytes);
      }
      shape_.groups.push_back(std::move(group));
      shape_.group_texts.push_back(std::move(text));
    }
  }

  const Program& program_;
  const std::vector<int32_t>& image_;
  std::vector<int32_t> partition_;  // the number of each
  Shape shape_;
};

// One connected part of a shape: no group reaches out of it.
struct Part {
  std::vector<int32_t> atoms;   // of the shape
  std::vector<int32_t> groups;  // of the shape
};

struct Numbered {
  std::string text;
  std::vector<int32_t> atoms;  // of the shape, in order of their numbers
};

// Numbers the atoms of a part. Atoms are told apart by what they are and what groups they are in,
// again and again; where some still look alike, each in turn is put first, and the least text wins.
// Once one of them gives the text that another gave, there is a symmetry between the two, and what
// the other led to need not be looked through again.
class Numbering {
 public:
  Numbering(const Shape& shape, const Part& part, int64_t& refinements)
      : shape_(shape), part_(part), refinements_(refinements) {
    std::vector<int32_t> local(shape.atoms.size(), -1);
    for (size_t k = 0; k < part.atoms.size(); ++k) local[index(part.atoms[k])] = narrow(k);
    groups_of_.resize(part.atoms.size());
    for (size_t g = 0; g < part.groups.size(); ++g) {
      auto& members = groups_.emplace_back();
      for (int32_t atom : shape.groups[index(part.groups[g])]) {
        members.push_back(local[index(atom)]);
        groups_of_[index(members.back())].push_back(narrow(g));
      }
    }
    std::vector<std::string> texts;
    for (int32_t g : part.groups) texts.push_back(shape.group_texts[index(g)]);
    group_colours_ = ranks(texts);
  }

  Numbered run() {
    std::vector<std::string> texts;
    for (int32_t a : part_.atoms) texts.push_back(shape_.atom_texts[index(a)]);
    return best(refined(ranks(texts)));
  }

 private:
  using Colours = std::vector<int32_t>;

  Colours refined(Colours colours) {
    --refinements_;
    for (int32_t before = -1;;) {
      std::vector<std::vector<int32_t>> group_keys;
      for (size_t g = 0; g < groups_.size(); ++g) {
        auto& key = group_keys.emplace_back();
        for (int32_t atom : groups_[g]) key.push_back(colours[index(atom)]);
        std::ranges::sort(key);
        key.insert(key.begin(), group_colours_[g]);
      }
      const Colours groups = ranks(group_keys);
      std::vector<std::vector<int32_t>> keys;
      for (size_t a = 0; a < colours.size(); ++a) {
        auto& key = keys.emplace_back();
        for (int32_t g : groups_of_[a]) key.push_back(groups[index(g)]);
        std::ranges::sort(key);
        key.insert(key.begin(), colours[a]);
      }
      colours = ranks(keys);
      const int32_t count = distinct(colours);
      if (count == before) return colours;
      before = count;
    }
  }

  static int32_t distinct(Colours colours) {
    std::ranges::sort(colours);
    return static_cast<int32_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
  }

  // The atoms of the first colour that several have.
  static std::vector<int32_t> alike(const Colours& colours) {
    std::vector<int32_t> count(colours.size(), 0), found;
    for (int32_t c : colours) ++count[index(c)];
    const auto first = std::ranges::find_if(count, [](int32_t n) { return n > 1; });
    if (first == count.end()) return found;
    for (size_t a = 0; a < colours.size(); ++a) {
      if (colours[a] == first - count.begin()) found.push_back(narrow(a));
    }
    return found;
  }

  Colours put_first(const Colours& colours, int32_t atom) {
    Colours after = colours;
    for (size_t a = 0; a < after.size(); ++a) {
      after[a] = 2 * after[a] + (colours[a] == colours[index(atom)] && narrow(a) != atom ? 1 : 0);
    }
    return refined(ranks(after));
  }

  // Atoms of one colour that are in the very same groups may change places: they are numbered as
  // they come. Whether these are.
  bool number_twins(Colours& colours, std::span<const int32_t> same) const {
    const auto& groups = groups_of_[index(same[0])];
    if (!std::ranges::all_of(same, [&](int32_t a) { return groups_of_[index(a)] == groups; })) {
      return false;
    }
    for (size_t k = 0; k < same.size(); ++k) colours[index(same[k])] += narrow(k);
    return true;
  }

  // The first way down from here.
  Numbered first_leaf(Colours colours) {
    for (auto same = alike(colours); !same.empty(); same = alike(colours)) {
      if (!number_twins(colours, same)) colours = put_first(colours, same[0]);
    }
    return leaf(colours);
  }

  Numbered best(Colours colours) {
    std::vector<int32_t> same = alike(colours);
    while (!same.empty() && number_twins(colours, same)) same = alike(colours);
    if (same.empty()) return leaf(colours);
    std::optional<Numbered> least;
    std::vector<std::string> seen;  // the first leaf of each that was looked through
    for (int32_t atom : same) {
      if (least && refinements_ <= 0) break;
      const Colours below = put_first(colours, atom);
      std::string first = first_leaf(below).text;
      if (std::ranges::find(seen, first) != seen.end()) continue;
      seen.push_back(std::move(first));
      Numbered found = best(below);
      if (!least || found.text < least->text) least = std::move(found);
    }
    return std::move(*least);
  }

  Numbered leaf(const Colours& colours) const {
    Numbered out;
    out.atoms.resize(colours.size());
    for (size_t a = 0; a < colours.size(); ++a) out.atoms[index(colours[a])] = part_.atoms[a];
    for (int32_t a : out.atoms) out.text += "atom " + shape_.atom_texts[index(a)] + '\n';
    std::vector<std::pair<std::vector<int32_t>, int32_t>> groups;
    for (size_t g = 0; g < groups_.size(); ++g) {
      std::vector<int32_t> numbers;
      for (int32_t a : groups_[g]) numbers.push_back(colours[index(a)]);
      std::ranges::sort(numbers);
      groups.emplace_back(std::move(numbers), part_.groups[g]);
    }
    std::ranges::sort(groups, {}, [&](const auto& g) {
      return std::pair(g.first, std::string_view(shape_.group_texts[index(g.second)]));
    });
    for (const auto& [numbers, g] : groups) {
      for (int32_t n : numbers) out.text += std::to_string(n) + ' ';
      out.text += ": " + shape_.group_texts[index(g)] + '\n';
    }
    return out;
  }

  const Shape& shape_;
  const Part& part_;
  int64_t& refinements_;
  std::vector<std::vector<int32_t>> groups_, groups_of_;  // of atoms; of each atom
  Colours group_colours_;
};

std::vector<Part> parts_of(const Shape& shape) {
  std::vector<int32_t> root(shape.atoms.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int32_t a) {
    while (root[index(a)] != a) a = root[index(a)] = root[index(root[index(a)])];
    return a;
  };
  for (const auto& group : shape.groups) {
    for (int32_t a : group) root[index(find(a))] = find(group[0]);
  }
  std::map<int32_t, Part> parts;
  for (size_t a = 0; a < root.size(); ++a) parts[find(narrow(a))].atoms.push_back(narrow(a));
  for (size_t g = 0; g < shape.groups.size(); ++g) {
    parts[find(shape.groups[g][0])].groups.push_back(narrow(g));
  }
  std::vector<Part> out;
  for (auto& [key, part] : parts) out.push_back(std::move(part));
  return out;
}

Canonical written(const Program& program, const std::vector<int32_t>& image, int64_t refinements) {
  const Shape shape = ShapeMaker(program, image).run();
  std::vector<Numbered> numbered;
  for (const Part& part : parts_of(shape)) {
    numbered.push_back(Numbering(shape, part, refinements).run());
  }
  std::ranges::stable_sort(numbered, {}, &Numbered::text);
  Canonical out;
  out.text = shape.head;
  out.complete = refinements > 0;
  for (const Numbered& part : numbered) {
    out.text += part.text;
    for (int32_t a : part.atoms) out.atoms.push_back(shape.atoms[index(a)]);
  }
  for (SiteId s : program.sites()) {
    out.sites.emplace_back(s.index() < image.size() ? image[s.index()] : s.value);
  }
  return out;
}

}  // namespace

Canonical canonical(const Program& program, const CanonicalOptions& options) {
  Canonical least = written(program, {}, options.refinements);
  for (const std::vector<int32_t>& image : options.symmetries) {
    Canonical next = written(program, image, options.refinements);
    next.complete = next.complete && least.complete;
    if (next.text < least.text) std::swap(least, next);
    least.complete = next.complete;
  }
  return least;
}

}  // namespace einsummable::exchange
