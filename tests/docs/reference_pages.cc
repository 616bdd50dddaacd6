// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/reference_pages.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "einsummable/base/text.h"
#include "einsummable/ops/functions.h"
#include "einsummable/ops/registry.h"

namespace einsummable {
namespace {

constexpr std::string_view kOperatorsHead = R"(# Operators

Generated from the registry by `scripts/docs`; a test compares. The scalar functions
([functions.md](functions.md)) are operators too, one each.

Signatures are those of the registry: inputs, then attributes with their defaults. Python's are the
same, but for `clip`, `einsum`, `gelu`, `pad` and `split`, which are written as in NumPy or
PyTorch, and for `slice`, which is written `x[a:b:c]`; `help(es.einsum)` shows them. Every operator
also takes `name=`.

"Cut" shows one random sample of the operator and the index notation that its join-agg specs come
from:

| notation | meaning |
|---|---|
| `i` | an index, which may be cut into any number of intervals |
| `4h` | four elements for each unit of index `h` |
| `d*` | never cut |
| `7*` | an axis of 7 that every cell reads whole |
| `1` | an axis of extent 1 |
| `(h k)` | two indices on one axis; `k` is cut only where `h` is in units |
| `i+2`, `i[3]` | the index shifted by 2; the interval widened to a width of 3 |
| `<i`, `i>` | the interval starts, ends, at a listed position, such as the start of a sequence |
| `#i` | one element for each listed position of the index |

An index that is missing on the right is aggregated there, by the merge that is named. `query:` and
`key:` are further ways to cut, asked for where the usual one cannot give the number of devices.
)";

constexpr std::string_view kFunctionsHead = R"(# Scalar functions

Generated from `einsummable/ops/functions.def` by `scripts/docs`; a test compares. Each is an operator
of that name, applied element by element with broadcasting; those of two operands also combine in
`einsum`. One expression serves as the float64 reference and as the SIMD kernel.

Operands: `any` dtype, or `numbers`, which excludes bool. Result: `same` as the operands' dtype,
`floating` (other operands become float32 first), or `boolean`. `a` is a parameter, with its default.

| name | operands | result | a | expression | meaning |
|---|---|---|---|---|---|
)";

struct ValueText {
  std::string operator()(None) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(const std::string& value) const { return quote(value); }
  std::string operator()(DType value) const { return quote(long_name(value)); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::vector<std::string> parts;
    for (const T& value : values) parts.push_back((*this)(value));
    return "[" + join(parts, ", ") + "]";
  }
};

std::string default_text(const AttributeInfo& attribute) {
  return attribute.required ? "" : "=" + std::visit(ValueText{}, attribute.default_value);
}

// As python/einsummable/registry.py makes it: attributes of an operator of one input may be given
// by position, those of others by name only.
std::string signature_text(const OperatorInfo& info) {
  std::vector<std::string> plain, by_name;
  for (const InputInfo& input : info.inputs) {
    const bool optional = input.arity == InputInfo::Arity::optional;
    (optional ? by_name : plain).push_back(std::string(input.name) + (optional ? "=None" : ""));
  }
  for (const AttributeInfo& attribute : info.attributes) {
    (info.inputs.size() <= 1 ? plain : by_name)
        .push_back(std::string(attribute.name) + default_text(attribute));
  }
  if (!by_name.empty()) plain.push_back("*");
  plain.insert(plain.end(), by_name.begin(), by_name.end());
  return std::string(info.name) + "(" + join(plain, ", ") + ")";
}

// What a reader can see in a sample: no axis of extent 0 or 1, all signatures, two inputs where
// there may be so many, indices that are cut and some that are kept, and few axes and attributes.
auto worth(const Operator& op) {
  bool plain = true;
  int64_t axes = 0;
  for (const auto* types : {&op.inputs(), &op.outputs()}) {
    for (const TensorType& type : *types) {
      axes += type.rank();
      for (int64_t extent : type.shape()) plain = plain && extent > 1;
    }
  }
  const auto signatures = op.signatures();
  const auto cuttable = std::ranges::count_if(
      signatures[0].indices, [](const Index& i) { return i.cut != Index::Cut::never; });
  int64_t rank = 2;
  for (const TensorType& type : op.inputs()) rank = std::min(rank, type.rank());
  return std::tuple(plain, std::ssize(signatures), std::min<int64_t>(std::ssize(op.inputs()), 2),
                    rank, std::min<int64_t>(op.outputs()[0].rank(), 1),
                    std::min<int64_t>(cuttable, 3), -axes, -std::ssize(text(op.attributes())));
}

std::shared_ptr<const Operator> best_sample(const OperatorInfo& info) {
  Random random(3);
  std::shared_ptr<const Operator> best;
  for (int draw = 0; draw < 300; ++draw) {
    const auto op = make_operator(info, info.sample(random).call);
    if (!best || worth(*op) > worth(*best)) best = op;
  }
  return best;
}

// The merges of the outputs that lack an index which may be cut.
std::set<std::string> merges(const Operator& op, const Signature& signature) {
  std::set<std::string> out;
  for (size_t o = 0; o < signature.outputs.size(); ++o) {
    std::set<int32_t> present;
    for (const AxisMap& axis : signature.outputs[o].axes) {
      for (const Term& term : axis.terms) present.insert(term.index);
    }
    for (size_t i = 0; i < signature.indices.size(); ++i) {
      if (signature.indices[i].cut == Index::Cut::never) continue;
      if (!present.contains(static_cast<int32_t>(i))) {
        out.insert(std::string(name(op.partial(o).merge)));
      }
    }
  }
  return out;
}

std::string types_text(const std::vector<TensorType>& types) {
  std::vector<std::string> parts;
  for (const TensorType& type : types) parts.push_back(describe(type));
  return join(parts, ", ");
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string cut_text(const Operator& op) {
  const std::string attributes = text(op.attributes());
  std::string out = trimmed(types_text(op.inputs()) + " -> " + types_text(op.outputs()));
  out += (attributes.empty() ? "" : "; " + attributes) + "\n";
  for (const Signature& signature : op.signatures()) {
    const auto merged = merges(op, signature);
    out += (signature.name.empty() ? "cut" : signature.name) + ": " + trimmed(text(signature));
    if (!merged.empty()) out += "; merged by " + join({merged.begin(), merged.end()}, ", ");
    out += "\n";
  }
  return out;
}

std::string attributes_table(const OperatorInfo& info) {
  if (info.attributes.empty()) return "";
  std::string out = "\n| attribute | takes | default |\n|---|---|---|\n";
  for (const AttributeInfo& attribute : info.attributes) {
    out += "| `" + std::string(attribute.name) + "` | " + std::string(describe(attribute.kind)) +
           " | " +
           (attribute.required ? "required"
                               : "`" + std::visit(ValueText{}, attribute.default_value) + "`") +
           " |\n";
  }
  return out;
}

// A capital, unless the phrase begins with a symbol or a formula.
std::string sentence(std::string_view doc) {
  std::string out(doc);
  const std::string first = out.substr(0, out.find(' '));
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (first.size() > 1 && std::ranges::all_of(first, letter)) {
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  }
  return out.ends_with('.') ? out : out + ".";
}

// Text as a cell of a table.
std::string cell_text(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string_view operands_text(const ScalarFunction& function) {
  return function.operands == Operands::any ? "any" : "numbers";
}

std::string_view result_text(const ScalarFunction& function) {
  switch (function.result) {
    case Result::same:
      return "same";
    case Result::floating:
      return "floating";
    case Result::boolean:
      return "boolean";
  }
  return "";
}

}  // namespace

std::string operators_page() {
  std::string out(kOperatorsHead);
  for (const OperatorInfo& info : operators()) {
    if (find_function(info.name)) continue;
    out += "\n## " + std::string(info.name) + "\n\n" + sentence(info.doc) + "\n\n```python\n" +
           signature_text(info) + "\n```\n" + attributes_table(info);
    if (info.outputs.size() > 1) {
      out += "\nOutputs: ";
      for (size_t o = 0; o < info.outputs.size(); ++o) {
        out += (o ? ", `" : "`") + std::string(info.outputs[o]) + "`";
      }
      out += ".\n";
    }
    out += "\n```\n" + cut_text(*best_sample(info)) + "```\n";
  }
  return out;
}

std::string functions_page() {
  constexpr std::string_view operands[] = {"x", "x, y", "x, y, z"};
  std::string out(kFunctionsHead);
  for (const ScalarFunction& function : scalar_functions()) {
    out += "| `" + std::string(function.name) + "` | " + std::string(operands[function.arity - 1]) +
           ": " + std::string(operands_text(function)) + " | " +
           std::string(result_text(function)) + " | " +
           (function.parameter ? float_text(*function.parameter) : "") + " | `" +
           cell_text(function.expression) + "` | " + cell_text(function.doc) + " |\n";
  }
  return out;
}

}  // namespace einsummable
