// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "einsummable/base/text.h"
#include "einsummable/tensor/dtype.h"

namespace einsummable {

// "None" of Python: an attribute left out that has no other default.
struct None {
  bool operator==(const None&) const = default;
};

using Attribute = std::variant<None, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, DType>;

enum class AttributeKind : uint8_t { boolean, integer, real, string, integers, reals, dtype };

// Named values that make an operator what it is: eps, axes, causal. Ordered as they were set.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, Attribute>> entries)
      : entries_(entries) {}

  const std::vector<std::pair<std::string, Attribute>>& entries() const { return entries_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }  // set and not None
  void set(std::string_view name, Attribute value);

  // The value. Throws InternalError if it is missing or of another kind: the registry has checked.
  bool boolean(std::string_view name) const { return get<bool>(name); }
  int64_t integer(std::string_view name) const { return get<int64_t>(name); }
  double real(std::string_view name) const { return get<double>(name); }
  const std::string& string(std::string_view name) const { return get<std::string>(name); }
  const std::vector<int64_t>& integers(std::string_view name) const {
    return get<std::vector<int64_t>>(name);
  }
  const std::vector<double>& reals(std::string_view name) const {
    return get<std::vector<double>>(name);
  }
  DType dtype(std::string_view name) const { return get<DType>(name); }

  bool operator==(const Attributes&) const = default;

 private:
  const Attribute* find(std::string_view name) const;
  template <class T>
  const T& get(std::string_view name) const;

  std::vector<std::pair<std::string, Attribute>> entries_;
};

// "eps=1e-05, causal=true, ends=[3, 7]"; a None is not printed.
std::string text(const Attributes& attributes);
std::string text(const Attribute& attribute);

// One value of `kind` (or `none`) from the text of an attribute. Throws SyntaxError.
Attribute parse_attribute(Lexer& lexer, AttributeKind kind);

// Whether the value is of `kind`, or None.
bool is_of(const Attribute& attribute, AttributeKind kind);

// "an integer", "a list of integers", for messages.
std::string_view describe(AttributeKind kind);

}  // namespace einsummable
