// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/einsum_path.h"

#include <bit>
#include <bitset>
#include <limits>

#include "einsummable/ops/einsum_notation.h"

namespace einsummable {
namespace {

// By label: 52 letters and at most as many axes under "..." as a tensor may have.
using Labels = std::bitset<128>;

struct Operand {
  Labels labels;
  std::string text;
};

bool is_letter(const EinsumNotation& notation, int32_t label) {
  return label != EinsumNotation::kBroadcast &&
         notation.labels[static_cast<size_t>(label)].name.size() == 1;
}

Operand operand_of(const EinsumNotation& notation, const std::vector<int32_t>& axes) {
  Operand operand;
  bool under_ellipsis = false;
  for (int32_t label : axes) {
    if (label != EinsumNotation::kBroadcast) operand.labels.set(static_cast<size_t>(label));
    if (is_letter(notation, label)) {
      operand.text += notation.labels[static_cast<size_t>(label)].name;
    } else if (!under_ellipsis) {
      operand.text += "...";
      under_ellipsis = true;
    }
  }
  return operand;
}

// The number of points of the space of all these labels.
double points(const EinsumNotation& notation, const Labels& labels) {
  double points = 1;
  for (size_t label = 0; label < notation.labels.size(); ++label) {
    if (labels[label]) points *= static_cast<double>(notation.labels[label].extent);
  }
  return points;
}

// The operands that are left, and the contractions that led to them.
class Path {
 public:
  explicit Path(const EinsumNotation& notation)
      : notation_(notation), output_(operand_of(notation, notation.output)) {
    for (const std::vector<int32_t>& input : notation.inputs) {
      left_.push_back(operand_of(notation, input));
    }
  }

  const std::vector<Operand>& left() const { return left_; }
  std::vector<Contraction> contractions() && { return std::move(contractions_); }

  // The labels of the product of two operands that the others or the output need.
  Labels product(size_t a, size_t b) const {
    Labels needed = output_.labels;
    for (size_t i = 0; i < left_.size(); ++i) {
      if (i != a && i != b) needed |= left_[i].labels;
    }
    return (left_[a].labels | left_[b].labels) & needed;
  }

  void contract(size_t a, size_t b) {
    Operand result = left_.size() == 2 ? output_ : intermediate(a, b);
    contractions_.push_back({a, b, left_[a].text + "," + left_[b].text + "->" + result.text});
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
    left_.push_back(std::move(result));
  }

 private:
  Operand intermediate(size_t a, size_t b) const {
    Operand result{product(a, b), ""};
    for (size_t i : {a, b}) {
      if (left_[i].text.find('.') != std::string::npos) result.text = "...";
    }
    for (size_t label = 0; label < notation_.labels.size(); ++label) {
      if (result.labels[label] && is_letter(notation_, static_cast<int32_t>(label))) {
        result.text += notation_.labels[label].name;
      }
    }
    return result;
  }

  const EinsumNotation& notation_;
  Operand output_;
  std::vector<Operand> left_;
  std::vector<Contraction> contractions_;
};

using Subset = uint32_t;  // of the operands, a bit each

// The best way to make the product of a subset: from the products of `first` and of the rest.
struct Split {
  double cost = std::numeric_limits<double>::infinity();
  Subset first = 0;
  Labels labels;
};

// Dynamic program over all subsets.
std::vector<Split> best_splits(const EinsumNotation& notation) {
  const size_t count = notation.inputs.size();
  const Subset all = (Subset{1} << count) - 1;
  std::vector<Labels> any(all + 1);  // the labels that occur in a subset
  for (Subset subset = 1; subset <= all; ++subset) {
    const auto lowest = static_cast<size_t>(std::countr_zero(subset));
    any[subset] = any[subset & (subset - 1)] | operand_of(notation, notation.inputs[lowest]).labels;
  }
  const Labels output = operand_of(notation, notation.output).labels;
  std::vector<Split> best(all + 1);
  for (Subset subset = 1; subset <= all; ++subset) {
    Split& split = best[subset];
    const Subset lowest = subset & (~subset + 1);
    if (subset == lowest) {
      split = {0, subset, any[subset]};
      continue;
    }
    split.labels = any[subset] & (output | any[all & ~subset]);
    for (Subset rest = (subset - 1) & subset; rest > 0; rest = (rest - 1) & subset) {
      if (rest & lowest) continue;  // each split once: the lowest operand is not in the rest
      const Split &a = best[subset & ~rest], &b = best[rest];
      const double cost = a.cost + b.cost + points(notation, a.labels | b.labels);
      if (cost < split.cost || split.first == 0) {
        split.cost = cost;
        split.first = subset & ~rest;
      }
    }
  }
  return best;
}

// Contracts the operands of `subset` as `best` says; `left` holds the subset that each operand of
// the path is the product of.
void follow(const std::vector<Split>& best, Subset subset, std::vector<Subset>& left, Path& path) {
  const Subset first = best[subset].first;
  if (first == subset) return;
  follow(best, first, left, path);
  follow(best, subset & ~first, left, path);
  const auto place = [&](Subset part) {
    return static_cast<size_t>(std::ranges::find(left, part) - left.begin());
  };
  path.contract(place(first), place(subset & ~first));
  std::erase(left, first);
  std::erase(left, subset & ~first);
  left.push_back(subset);
}

void contract_exactly(const EinsumNotation& notation, Path& path) {
  const std::vector<Split> best = best_splits(notation);
  std::vector<Subset> left;
  for (size_t i = 0; i < notation.inputs.size(); ++i) left.push_back(Subset{1} << i);
  follow(best, static_cast<Subset>(best.size() - 1), left, path);
}

void contract_greedily(const EinsumNotation& notation, Path& path) {
  while (path.left().size() > 1) {
    size_t left = 0, right = 1;
    double least = std::numeric_limits<double>::infinity();
    for (size_t b = 1; b < path.left().size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        const double growth = points(notation, path.product(a, b)) -
                              points(notation, path.left()[a].labels) -
                              points(notation, path.left()[b].labels);
        if (growth < least) {
          least = growth;
          left = a;
          right = b;
        }
      }
    }
    path.contract(left, right);
  }
}

}  // namespace

std::vector<Contraction> contraction_path(std::string_view notation, std::span<const Shape> shapes,
                                          std::span<const std::string> names) {
  const EinsumNotation parsed = parse_einsum(notation, shapes, names);
  Path path(parsed);
  if (shapes.size() <= kExactOperands) {
    contract_exactly(parsed, path);
  } else {
    contract_greedily(parsed, path);
  }
  return std::move(path).contractions();
}

}  // namespace einsummable
