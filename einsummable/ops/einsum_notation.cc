// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/einsum_notation.h"

#include <cctype>
#include <map>

#include "einsummable/base/text.h"
#include "einsummable/ops/operator.h"

namespace einsummable {
namespace {

// The letters of one operand and where "..." stands among them.
struct Subscripts {
  std::string letters;
  std::optional<size_t> ellipsis;  // letters before it
};

struct Subscript {
  std::vector<Subscripts> inputs;
  std::optional<Subscripts> output;  // none without "->"
};

Subscript read(std::string_view notation) {
  const std::string shown = "the notation " + quote(notation);
  Subscript read;
  Subscripts* side = &read.inputs.emplace_back();
  for (size_t i = 0; i < notation.size(); ++i) {
    const char c = notation[i];
    if (c == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(c))) {
      side->letters += c;
    } else if (c == ',') {
      require(!read.output, shown + " has more than one output");
      side = &read.inputs.emplace_back();
    } else if (notation.substr(i, 2) == "->") {
      require(!read.output, shown + " has more than one '->'");
      side = &read.output.emplace();
      ++i;
    } else {
      require(notation.substr(i, 3) == "...",
              shown + " may hold letters, spaces, ',', '->' and '...', not " +
                  quote(first_character(notation.substr(i))));
      require(!side->ellipsis, shown + " has '...' twice in one operand");
      side->ellipsis = side->letters.size();
      i += 2;
    }
  }
  return read;
}

class Labels {
 public:
  Labels(std::string_view notation, std::span<const std::string> names)
      : shown_("the notation " + quote(notation)), names_(names) {}

  void add_inputs(const std::vector<Subscripts>& inputs, std::span<const Shape> shapes) {
    require(inputs.size() == shapes.size(), shown_ + " names " + std::to_string(inputs.size()) +
                                                " operands, but " + std::to_string(shapes.size()) +
                                                " are given");
    for (size_t i = 0; i < inputs.size(); ++i) check_rank(inputs[i], i, shapes[i].size());
    declare_ellipsis(inputs, shapes);
    for (size_t i = 0; i < inputs.size(); ++i) add_input(inputs[i], i, shapes[i]);
  }

  void add_output(const Subscript& subscript) {
    if (!subscript.output) return add_implicit_output(subscript.inputs);
    const Subscripts& output = *subscript.output;
    require(output.ellipsis || batch_ == 0, shown_ + " needs '...' in the output too");
    for (size_t at = 0; at <= output.letters.size(); ++at) {
      if (output.ellipsis == at) add_batch_to_output();
      if (at == output.letters.size()) break;
      const char letter = output.letters[at];
      require(letters_.contains(letter),
              shown_ + " has the letter " + letter + " in the output that no input has");
      require(output.letters.find(letter) == at,
              shown_ + " has the letter " + letter + " twice in the output");
      result_.output.push_back(letters_.at(letter).label);
    }
  }

  EinsumNotation result() && { return std::move(result_); }

 private:
  struct Letter {
    int32_t label = 0;
    size_t input = 0;  // where it occurred first
  };

  void check_rank(const Subscripts& input, size_t i, size_t rank) const {
    const size_t letters = input.letters.size();
    require(input.ellipsis ? letters <= rank : letters == rank,
            shown_ + " names " + std::to_string(letters) + " axes of " + names_[i] +
                ", which has " + std::to_string(rank));
  }

  // One label for each axis under "...", with the extent that the inputs broadcast to.
  void declare_ellipsis(const std::vector<Subscripts>& inputs, std::span<const Shape> shapes) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].ellipsis)
        batch_ = std::max(batch_, shapes[i].size() - inputs[i].letters.size());
    }
    for (size_t b = 0; b < batch_; ++b) {
      result_.labels.push_back({"batch" + std::to_string(b), 1});
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].ellipsis) continue;
      const size_t own = shapes[i].size() - inputs[i].letters.size();
      for (size_t b = 0; b < own; ++b) {
        int64_t& extent = result_.labels[batch_ - own + b].extent;
        const int64_t given = shapes[i][*inputs[i].ellipsis + b];
        require(given == extent || given == 1 || extent == 1,
                shown_ + " has axes of " + std::to_string(extent) + " and " +
                    std::to_string(given) + " (in " + names_[i] +
                    ") under '...', which do not broadcast");
        if (given != 1) extent = given;
      }
    }
  }

  void add_input(const Subscripts& input, size_t i, const Shape& shape) {
    std::vector<int32_t>& axes = result_.inputs.emplace_back();
    const size_t under = shape.size() - input.letters.size();
    for (size_t at = 0; at <= input.letters.size(); ++at) {
      for (size_t b = 0; input.ellipsis == at && b < under; ++b) {
        const size_t label = batch_ - under + b;
        const bool repeated = shape[axes.size()] != result_.labels[label].extent;
        axes.push_back(repeated ? EinsumNotation::kBroadcast : static_cast<int32_t>(label));
      }
      if (at < input.letters.size()) {
        axes.push_back(label_of(input.letters[at], i, shape[axes.size()]));
      }
    }
  }

  int32_t label_of(char letter, size_t i, int64_t extent) {
    const auto next = static_cast<int32_t>(result_.labels.size());
    const auto [place, added] = letters_.try_emplace(letter, Letter{next, i});
    if (added) result_.labels.push_back({std::string(1, letter), extent});
    const Letter& first = place->second;
    const int64_t known = result_.labels[static_cast<size_t>(first.label)].extent;
    require(known == extent, std::string("the letter ") + letter + " is " + std::to_string(known) +
                                 " in " + names_[first.input] + " and " + std::to_string(extent) +
                                 " in " + names_[i] + "; extents of one letter must agree");
    return first.label;
  }

  void add_batch_to_output() {
    for (size_t b = 0; b < batch_; ++b) result_.output.push_back(static_cast<int32_t>(b));
  }

  void add_implicit_output(const std::vector<Subscripts>& inputs) {
    add_batch_to_output();
    std::string all;
    for (const Subscripts& input : inputs) all += input.letters;
    for (const auto& [letter, entry] : letters_) {
      if (std::ranges::count(all, letter) == 1) result_.output.push_back(entry.label);
    }
  }

  std::string shown_;
  std::span<const std::string> names_;
  EinsumNotation result_;
  std::map<char, Letter> letters_;
  size_t batch_ = 0;  // axes under "..."
};

}  // namespace

bool EinsumNotation::aggregates(int32_t label) const {
  return std::ranges::find(output, label) == output.end();
}

EinsumNotation parse_einsum(std::string_view notation, std::span<const Shape> shapes,
                            std::span<const std::string> names) {
  const Subscript subscript = read(notation);
  Labels labels(notation, names);
  labels.add_inputs(subscript.inputs, shapes);
  labels.add_output(subscript);
  return std::move(labels).result();
}

}  // namespace einsummable
