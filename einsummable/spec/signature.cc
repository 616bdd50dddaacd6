// SPDX-License-Identifier: Apache-2.0
#include "einsummable/spec/signature.h"

#include <cctype>
#include <map>

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable {
namespace {

struct TermText {
  std::string name;
  int64_t factor = 1;
  bool never = false;
};
using AxisText = std::vector<TermText>;  // empty: a literal 1
struct OperandText {
  std::vector<AxisText> axes;
  int64_t ellipsis = -1;  // the number of axes before "...", -1 without
};

class NotationParser {
 public:
  explicit NotationParser(std::string_view text) : text_(text) {}

  void parse(std::vector<OperandText>& inputs, std::vector<OperandText>& outputs) {
    std::vector<OperandText>* side = &inputs;
    side->emplace_back();
    while (skip_spaces()) {
      if (take("->")) {
        side = &outputs;
        side->emplace_back();
      } else if (take(",")) {
        side->emplace_back();
      } else if (take("...")) {
        side->back().ellipsis = static_cast<int64_t>(side->back().axes.size());
      } else if (take("(")) {
        AxisText axis;
        while (skip_spaces() && !take(")")) axis.push_back(term());
        side->back().axes.push_back(std::move(axis));
      } else {
        const TermText one = term();
        side->back().axes.push_back(one.name.empty() ? AxisText{} : AxisText{one});
      }
    }
  }

 private:
  bool skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size();
  }
  bool take(std::string_view token) {
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  TermText term() {
    TermText out;
    const auto at = [&](auto is) {
      return position_ < text_.size() && is(static_cast<unsigned char>(text_[position_]));
    };
    const size_t start = position_;
    int64_t factor = 0;
    while (at([](int c) { return std::isdigit(c); }))
      factor = factor * 10 + (text_[position_++] - '0');
    if (position_ > start) out.factor = factor;
    while (at([](int c) { return std::isalnum(c) || c == '_'; })) out.name += text_[position_++];
    out.never = take("*");
    ensure(position_ > start, "unreadable index notation: " + std::string(text_));
    return out;
  }

  std::string_view text_;
  size_t position_ = 0;
};

std::string ellipsis_name(size_t i) { return "batch" + std::to_string(i); }

// Puts one index an axis in the place of "...".
void expand(OperandText& operand, size_t rank) {
  if (operand.ellipsis < 0) return;
  const size_t extra = rank - operand.axes.size();
  std::vector<AxisText> inserted;
  for (size_t i = 0; i < extra; ++i) inserted.push_back({TermText{.name = ellipsis_name(i)}});
  operand.axes.insert(operand.axes.begin() + operand.ellipsis, inserted.begin(), inserted.end());
}

class SignatureBuilder {
 public:
  void add_plain_axes(const OperandText& operand, const Shape& shape) {
    ensure(operand.axes.size() == shape.size(), "notation and shape differ in rank");
    for (size_t i = 0; i < shape.size(); ++i) {
      if (operand.axes[i].size() != 1) continue;
      const TermText& term = operand.axes[i][0];
      ensure(shape[i] % term.factor == 0, "an extent that its factor does not divide");
      Index& index = signature_.indices[static_cast<size_t>(declare(term))];
      ensure(index.extent < 0 || index.extent == shape[i] / term.factor,
             "index " + term.name + " has two extents");
      index.extent = shape[i] / term.factor;
      if (term.never) index.cut = Index::Cut::never;
    }
  }

  OperandMap map(const OperandText& operand, const Shape& shape) {
    OperandMap out;
    for (size_t i = 0; i < shape.size(); ++i) out.axes.push_back(axis(operand.axes[i], shape[i]));
    return out;
  }

  Signature& signature() { return signature_; }

 private:
  int32_t declare(const TermText& term) {
    const auto [place, added] =
        positions_.try_emplace(term.name, static_cast<int32_t>(signature_.indices.size()));
    if (added) signature_.indices.push_back({.name = term.name, .extent = -1});
    return place->second;
  }

  AxisMap axis(const AxisText& terms, int64_t extent) {
    AxisMap out{.extent = extent};
    if (terms.size() == 1) {
      out.terms = {{declare(terms[0]), terms[0].factor}};
      out.width = terms[0].factor;
      return out;
    }
    int64_t factor = 1;
    for (size_t i = terms.size(); i-- > 0;) {
      const int32_t position = declare(terms[i]);
      const int32_t outer = i > 0 ? declare(terms[i - 1]) : -1;
      Index& index = signature_.indices[static_cast<size_t>(position)];
      ensure(index.extent >= 0 || i == 0, "an inner index needs a plain axis elsewhere");
      if (index.extent < 0) index.extent = extent / std::max<int64_t>(factor, 1);
      if (terms[i].never) index.cut = Index::Cut::never;
      if (i > 0) index.within = outer;
      out.terms.insert(out.terms.begin(), {position, factor});
      factor = checked_multiply(factor, index.extent);
    }
    ensure(terms.empty() || factor == extent,
           "the indices of an axis do not multiply to its extent");
    return out;
  }

  Signature signature_;
  std::map<std::string, int32_t, std::less<>> positions_;
};

std::string axis_text(const Signature& signature, const AxisMap& axis) {
  if (axis.terms.empty()) return axis.extent == 1 ? "1" : std::to_string(axis.extent) + "*";
  std::vector<std::string> terms;
  for (const Term& term : axis.terms) {
    const Index& index = signature.indices[static_cast<size_t>(term.index)];
    const bool plain = axis.terms.size() > 1 || term.factor == 1;
    terms.push_back((plain ? "" : std::to_string(term.factor)) + index.name +
                    (index.cut == Index::Cut::never ? "*" : ""));
  }
  std::string out = terms.size() == 1 ? terms[0] : "(" + join(terms, " ") + ")";
  if (axis.shift != 0) out += (axis.shift > 0 ? "+" : "") + std::to_string(axis.shift);
  if (axis.width > 1 && axis.width != axis.terms.back().factor) {
    out += "[" + std::to_string(axis.width) + "]";
  }
  if (axis.counting) out = "#" + out;
  if (!axis.floor_at.empty()) out = "<" + out;
  if (!axis.ceiling_at.empty()) out += ">";
  return out;
}

std::string side_text(const Signature& signature, const std::vector<OperandMap>& operands) {
  std::vector<std::string> out;
  for (const OperandMap& operand : operands) {
    std::vector<std::string> axes;
    for (const AxisMap& axis : operand.axes) axes.push_back(axis_text(signature, axis));
    out.push_back(join(axes, " "));
  }
  return join(out, ", ");
}

}  // namespace

Interval AxisMap::operator()(std::span<const Interval> cell) const {
  if (terms.empty()) return {0, extent};
  int64_t lo = shift, hi = shift;
  bool nothing = false;
  for (const Term& term : terms) {
    const Interval x = cell[static_cast<size_t>(term.index)];
    nothing = nothing || x.empty();
    const int64_t first = term.factor * x.lo, last = term.factor * (x.hi - 1);
    lo += std::min(first, last);
    hi += std::max(first, last);
  }
  if (counting) {
    const auto rank = [&](int64_t position) {
      return std::ranges::upper_bound(*counting, position) - counting->begin();
    };
    return {rank(lo), nothing ? rank(lo) : std::max(rank(lo), rank(hi + width))};
  }
  lo = std::clamp<int64_t>(lo, 0, extent);
  if (nothing) return {lo, lo};
  hi = std::clamp<int64_t>(hi + width, lo, extent);
  if (hi > lo && !floor_at.empty()) {
    lo = *std::prev(std::ranges::upper_bound(floor_at, lo));
  }
  if (hi > lo && !ceiling_at.empty()) hi = *std::ranges::lower_bound(ceiling_at, hi);
  return {lo, hi};
}

Box OperandMap::operator()(std::span<const Interval> cell) const {
  Box box(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) box[i] = axes[i](cell);
  return box;
}

Signature parse_notation(std::string_view notation, std::span<const Shape> inputs,
                         std::span<const Shape> outputs) {
  std::vector<OperandText> left, right;
  NotationParser(notation).parse(left, right);
  ensure(left.size() == inputs.size() && right.size() == outputs.size(),
         "notation and operands differ in number");
  SignatureBuilder builder;
  for (size_t i = 0; i < left.size(); ++i) expand(left[i], inputs[i].size());
  for (size_t i = 0; i < right.size(); ++i) expand(right[i], outputs[i].size());
  for (size_t i = 0; i < left.size(); ++i) builder.add_plain_axes(left[i], inputs[i]);
  for (size_t i = 0; i < right.size(); ++i) builder.add_plain_axes(right[i], outputs[i]);
  Signature& signature = builder.signature();
  for (size_t i = 0; i < left.size(); ++i) {
    signature.inputs.push_back(builder.map(left[i], inputs[i]));
  }
  for (size_t i = 0; i < right.size(); ++i) {
    signature.outputs.push_back(builder.map(right[i], outputs[i]));
  }
  return signature;
}

int32_t find_index(const Signature& signature, std::string_view name) {
  for (size_t i = 0; i < signature.indices.size(); ++i) {
    if (signature.indices[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

std::string text(const Signature& signature) {
  return side_text(signature, signature.inputs) + " -> " + side_text(signature, signature.outputs);
}

}  // namespace einsummable
