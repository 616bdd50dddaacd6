// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/attributes.h"

#include <array>

#include "einsummable/base/error.h"

namespace einsummable {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <class T, class Read>
std::vector<T> parse_list(Lexer& lexer, const Read& read) {
  std::vector<T> values;
  lexer.expect("[");
  while (!lexer.accept("]")) {
    if (!values.empty()) lexer.expect(",");
    values.push_back(read());
  }
  return values;
}

template <class T, class Print>
std::string list_text(const std::vector<T>& values, const Print& print) {
  std::vector<std::string> parts;
  for (const T& value : values) parts.push_back(print(value));
  return "[" + join(parts, ", ") + "]";
}

}  // namespace

void Attributes::set(std::string_view name, Attribute value) {
  for (auto& [key, old] : entries_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  entries_.emplace_back(name, std::move(value));
}

const Attribute* Attributes::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return std::holds_alternative<None>(value) ? nullptr : &value;
  }
  return nullptr;
}

template <class T>
const T& Attributes::get(std::string_view name) const {
  const Attribute* found = find(name);
  ensure(found && std::holds_alternative<T>(*found),
         "attribute " + std::string(name) + " is missing or of another kind");
  return std::get<T>(*found);
}

template const bool& Attributes::get<bool>(std::string_view) const;
template const int64_t& Attributes::get<int64_t>(std::string_view) const;
template const double& Attributes::get<double>(std::string_view) const;
template const std::string& Attributes::get<std::string>(std::string_view) const;
template const std::vector<int64_t>& Attributes::get<std::vector<int64_t>>(std::string_view) const;
template const std::vector<double>& Attributes::get<std::vector<double>>(std::string_view) const;
template const DType& Attributes::get<DType>(std::string_view) const;

std::string text(const Attribute& attribute) {
  return std::visit(Overloaded{
                        [](None) { return std::string("none"); },
                        [](bool v) { return std::string(v ? "true" : "false"); },
                        [](int64_t v) { return std::to_string(v); },
                        [](double v) { return float_text(v); },
                        [](const std::string& v) { return quote(v); },
                        [](const std::vector<int64_t>& v) {
                          return list_text(v, [](int64_t x) { return std::to_string(x); });
                        },
                        [](const std::vector<double>& v) { return list_text(v, float_text); },
                        [](DType v) { return std::string(short_name(v)); },
                    },
                    attribute);
}

std::string text(const Attributes& attributes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attributes.entries()) {
    if (!std::holds_alternative<None>(value)) parts.push_back(name + "=" + text(value));
  }
  return join(parts, ", ");
}

Attribute parse_attribute(Lexer& lexer, AttributeKind kind) {
  if (lexer.accept("none")) return None{};
  switch (kind) {
    case AttributeKind::boolean:
      if (lexer.accept("true")) return true;
      lexer.expect("false");
      return false;
    case AttributeKind::integer:
      return lexer.integer("an integer");
    case AttributeKind::real:
      return lexer.real("a number");
    case AttributeKind::string:
      return lexer.string("a string");
    case AttributeKind::integers:
      return parse_list<int64_t>(lexer, [&] { return lexer.integer("an integer"); });
    case AttributeKind::reals:
      return parse_list<double>(lexer, [&] { return lexer.real("a number"); });
    case AttributeKind::dtype: {
      const auto dtype = dtype_from_name(lexer.peek().text);
      if (!dtype) lexer.fail("expected a dtype before '" + lexer.peek().text + "'");
      lexer.next();
      return *dtype;
    }
  }
  throw InternalError("unknown kind of attribute");
}

bool is_of(const Attribute& attribute, AttributeKind kind) {
  if (std::holds_alternative<None>(attribute)) return true;
  switch (kind) {
    case AttributeKind::boolean:
      return std::holds_alternative<bool>(attribute);
    case AttributeKind::integer:
      return std::holds_alternative<int64_t>(attribute);
    case AttributeKind::real:
      return std::holds_alternative<double>(attribute);
    case AttributeKind::string:
      return std::holds_alternative<std::string>(attribute);
    case AttributeKind::integers:
      return std::holds_alternative<std::vector<int64_t>>(attribute);
    case AttributeKind::reals:
      return std::holds_alternative<std::vector<double>>(attribute);
    case AttributeKind::dtype:
      return std::holds_alternative<DType>(attribute);
  }
  return false;
}

std::string_view describe(AttributeKind kind) {
  static constexpr std::array<std::string_view, 7> names = {
      "true or false",      "an integer",        "a number", "a string",
      "a list of integers", "a list of numbers", "a dtype"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace einsummable
