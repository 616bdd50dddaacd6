// SPDX-License-Identifier: Apache-2.0
#include "einsummable/ops/registry.h"

#include <algorithm>

#include "einsummable/ops/elementwise.h"

namespace einsummable {

#define ES_OPERATOR(name) OperatorInfo name##_operator();
#include "einsummable/ops/operators.def"
#undef ES_OPERATOR

namespace {

std::vector<OperatorInfo> all_operators() {
  std::vector<OperatorInfo> all = {
#define ES_OPERATOR(name) name##_operator(),
#include "einsummable/ops/operators.def"
#undef ES_OPERATOR
  };
  for (OperatorInfo& info : elementwise_operators()) all.push_back(std::move(info));
  std::ranges::sort(all, {}, &OperatorInfo::name);
  return all;
}

// The entry of the input at position i: a variadic last input covers all that follow.
const InputInfo& input_info(const OperatorInfo& info, size_t i) {
  return info.inputs[std::min(i, info.inputs.size() - 1)];
}

void check_inputs(const OperatorInfo& info, size_t given) {
  size_t least = 0, most = info.inputs.size();
  for (const InputInfo& input : info.inputs) {
    if (input.arity != InputInfo::Arity::optional) ++least;
    if (input.arity == InputInfo::Arity::variadic) most = SIZE_MAX;
  }
  const std::string legal = most == SIZE_MAX ? std::to_string(least) + " or more"
                            : least == most  ? std::to_string(least)
                                            : std::to_string(least) + " to " + std::to_string(most);
  require(
      least <= given && given <= most,
      "takes " + legal + (legal == "1" ? " input" : " inputs") + ", not " + std::to_string(given));
}

std::string legal_names(const OperatorInfo& info) {
  std::vector<std::string> names;
  for (const AttributeInfo& attribute : info.attributes) names.emplace_back(attribute.name);
  return names.empty() ? "it has none" : "it has " + join(names, ", ");
}

// The given attributes in the order of the registry, defaults filled in.
Attributes complete(const OperatorInfo& info, const Attributes& given) {
  for (const auto& [name, value] : given.entries()) {
    const bool known = std::ranges::any_of(
        info.attributes, [&](const AttributeInfo& attribute) { return attribute.name == name; });
    require(known, "has no attribute '" + name + "'; " + legal_names(info));
  }
  Attributes out;
  for (const AttributeInfo& attribute : info.attributes) {
    Attribute value = attribute.default_value;
    for (const auto& [name, set] : given.entries()) {
      if (name == attribute.name && !std::holds_alternative<None>(set)) value = set;
    }
    if (attribute.kind == AttributeKind::real && std::holds_alternative<int64_t>(value)) {
      value = static_cast<double>(std::get<int64_t>(value));
    }
    if (attribute.kind == AttributeKind::integers && std::holds_alternative<int64_t>(value)) {
      value = std::vector<int64_t>{std::get<int64_t>(value)};
    }
    if (std::holds_alternative<None>(value)) {
      require(!attribute.required, "needs the attribute '" + std::string(attribute.name) + "'");
    }
    require(is_of(value, attribute.kind), "the attribute '" + std::string(attribute.name) +
                                              "' must be " + std::string(describe(attribute.kind)));
    out.set(attribute.name, std::move(value));
  }
  return out;
}

// The names the user gave, then the operator's own words: "w"; "x0", "x1" of a variadic input.
std::vector<std::string> complete_names(const OperatorInfo& info, const OperatorCall& call) {
  std::vector<std::string> names = call.names;
  for (size_t i = names.size(); i < call.inputs.size(); ++i) {
    const InputInfo& input = input_info(info, i);
    names.emplace_back(input.name);
    if (input.arity == InputInfo::Arity::variadic) {
      names.back() += std::to_string(i - info.inputs.size() + 1);
    }
  }
  return names;
}

}  // namespace

std::span<const OperatorInfo> operators() {
  static const std::vector<OperatorInfo> all = all_operators();
  return all;
}

const OperatorInfo* find_operator(std::string_view name) {
  const auto all = operators();
  const auto place = std::ranges::lower_bound(all, name, {}, &OperatorInfo::name);
  return place != all.end() && place->name == name ? &*place : nullptr;
}

std::shared_ptr<const Operator> make_operator(const OperatorInfo& info, OperatorCall call) {
  check_inputs(info, call.inputs.size());
  call.attributes = complete(info, call.attributes);
  call.names = complete_names(info, call);
  return info.make(call);
}

std::vector<DType> promoted_dtypes(const OperatorInfo& info, std::span<const TensorType> inputs) {
  const auto meets = [&](size_t i) {
    const Promotion promotion = input_info(info, i).promotion;
    return promotion != Promotion::none &&
           (promotion != Promotion::floats || is_float(inputs[i].dtype));
  };
  std::vector<DType> result, common;
  bool to_float = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(inputs[i].dtype);
    if (meets(i)) common.push_back(inputs[i].dtype);
    to_float = to_float || input_info(info, i).promotion == Promotion::floating;
  }
  if (common.empty()) return result;
  const DType met = to_float ? floating(promote(common)) : promote(common);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (meets(i)) result[i] = met;
  }
  return result;
}

}  // namespace einsummable
