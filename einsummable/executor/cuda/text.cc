// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"

namespace einsummable::cuda {
namespace {

// An exact literal of a finite double.
std::string hexadecimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

// The largest offset plus one of a block, or the number of elements, whichever is more.
int64_t reach(const Axes& axes) {
  int64_t most = axes.elements();
  for (const auto& strides : axes.strides) {
    int64_t last = 1;
    for (size_t i = 0; i < strides.size(); ++i) {
      last = checked_add(last, checked_multiply(axes.extents[i] - 1, std::abs(strides[i])));
    }
    most = std::max(most, last);
  }
  return most;
}

// "i0 * 16 + i1", or "0".
std::string sum_of(std::string_view index, const std::vector<int64_t>& strides) {
  std::vector<std::string> terms;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 0) continue;
    std::string term = std::string(index) + std::to_string(i);
    if (strides[i] != 1) term += " * " + std::to_string(strides[i]);
    terms.push_back(std::move(term));
  }
  return terms.empty() ? "0" : join(terms, " + ");
}

}  // namespace

std::string element_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float";
    case DType::f64:
      return "double";
    case DType::f16:
      return "Half";
    case DType::bf16:
      return "Bfloat";
    case DType::i32:
      return "int";
    case DType::i64:
      return "long long";
    case DType::boolean:
      return "Boolean";
  }
  throw InternalError("unknown dtype");
}

std::string constant(DType dtype, double value) {
  if (!is_float(dtype)) return integer_constant(static_cast<int64_t>(value));
  const std::string type = dtype == DType::f64 ? "double" : "float";
  std::string number = "Real<" + type + ">(";
  if (std::isnan(value)) return number + "not_a_number<" + type + ">())";
  if (std::isinf(value)) return number + (value < 0 ? "-" : "") + "infinity<" + type + ">())";
  return number + hexadecimal(value) + ")";
}

std::string integer_constant(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "Integer(-9223372036854775807LL - 1)";
  return "Integer(" + std::to_string(value) + "LL)";
}

std::string parameters(std::span<const Block> reads, std::span<const Block> writes) {
  std::vector<std::string> out;
  for (size_t i = 0; i < reads.size(); ++i) {
    out.push_back("ES_READ(" + element_type(reads[i].dtype) + ") in" + std::to_string(i));
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    out.push_back("ES_WRITE(" + element_type(writes[i].dtype) + ") out" + std::to_string(i));
  }
  return join(out, ", ");
}

std::vector<Argument> arguments(size_t reads, size_t writes) {
  std::vector<Argument> out;
  for (size_t i = 0; i < reads; ++i) {
    out.push_back({.of = Argument::Of::read, .index = static_cast<int32_t>(i)});
  }
  for (size_t i = 0; i < writes; ++i) {
    out.push_back({.of = Argument::Of::write, .index = static_cast<int32_t>(i)});
  }
  return out;
}

int64_t Axes::elements() const {
  int64_t n = 1;
  for (int64_t extent : extents) n = checked_multiply(n, extent);
  return n;
}

Axes collapse(const Shape& shape, std::vector<std::vector<int64_t>> strides) {
  Axes axes;
  axes.strides.resize(strides.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const bool joins =
        !axes.extents.empty() && std::ranges::all_of(strides, [&](const auto& block) {
          const auto& outer = axes.strides[static_cast<size_t>(&block - strides.data())];
          return outer.back() == block[i] * shape[i];
        });
    if (joins) {
      axes.extents.back() *= shape[i];
    } else {
      axes.extents.push_back(shape[i]);
    }
    for (size_t b = 0; b < strides.size(); ++b) {
      if (joins) axes.strides[b].pop_back();
      axes.strides[b].push_back(strides[b][i]);
    }
  }
  return axes;
}

int64_t group_of(const Axes& axes, std::span<const Block> blocks) {
  constexpr int64_t kBytes = 16, kMost = 8;
  if (axes.extents.empty()) return 1;
  int64_t widest = 1;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const int64_t last = axes.strides[b].back();
    if (last != 0 && last != 1) return 1;
    if (last == 1) widest = std::max(widest, size_of(blocks[b].dtype));
  }
  const auto fits = [&](int64_t group) {
    if (axes.extents.back() % group != 0) return false;
    for (size_t b = 0; b < blocks.size(); ++b) {
      const std::vector<int64_t>& strides = axes.strides[b];
      if (strides.back() == 0) continue;
      if (blocks[b].alignment % (group * size_of(blocks[b].dtype)) != 0) return false;
      for (size_t i = 0; i + 1 < strides.size(); ++i) {
        if (strides[i] % group != 0) return false;
      }
    }
    return true;
  };
  int64_t group = std::min(kBytes / widest, kMost);
  while (group > 1 && !fits(group)) group /= 2;
  return group;
}

Axes in_groups(Axes axes, int64_t group) {
  if (group == 1) return axes;
  axes.extents.back() /= group;
  for (std::vector<int64_t>& strides : axes.strides) strides.back() *= group;
  return axes;
}

std::string offsets(const Axes& axes, std::string_view index, std::span<const std::string> names) {
  const bool small = reach(axes) <= std::numeric_limits<int32_t>::max();
  const std::string type = small ? "int" : "long long", of(index);
  std::string text;
  std::string rest = small ? "static_cast<int>(" + of + ")" : of;
  for (size_t i = axes.extents.size(); i-- > 0;) {
    const std::string axis = of + std::to_string(i);
    if (i == 0) {
      text += "const " + type + " " + axis + " = " + rest + ";\n";
      break;
    }
    // Of no elements nothing runs, but a compiler would see a division by 0.
    const std::string extent = std::to_string(std::max<int64_t>(axes.extents[i], 1));
    const std::string left = of + "_" + std::to_string(i);
    text += "const " + type + " " + axis + " = " + rest + " % " + extent + ", " + left + " = " +
            rest + " / " + extent + ";\n";
    rest = left;
  }
  for (size_t b = 0; b < names.size(); ++b) {
    text += "const " + type + " " + names[b] + " = " + sum_of(index, axes.strides[b]) + ";\n";
  }
  return text;
}

std::string position(const Shape& shape, std::string_view index, std::string_view prefix) {
  std::string text, rest(index);
  for (size_t i = shape.size(); i-- > 0;) {
    const std::string axis = std::string(prefix) + std::to_string(i);
    const std::string extent = std::to_string(std::max<int64_t>(shape[i], 1));
    const std::string left = axis + "_rest";
    text += "const long long " + axis + " = ";
    if (i == 0) return text + rest + ";\n";
    text += rest + " % " + extent + ", " + left + " = " + rest + " / " + extent + ";\n";
    rest = left;
  }
  return text;
}

std::string place(std::span<const int64_t> strides, std::string_view prefix, int64_t constant) {
  const std::string sum = sum_of(prefix, {strides.begin(), strides.end()});
  return constant == 0 ? sum : sum + " + " + std::to_string(constant);
}

GeneratedKernel loop_kernel(std::span<const Block> reads, std::span<const Block> writes,
                            int64_t elements, const std::string& body) {
  KernelSource source{.parameters = parameters(reads, writes),
                      .body = "ES_LOOP(i, " + std::to_string(elements) + ") {\n" + body + "}\n"};
  const int64_t blocks = blocks_for(elements, source.threads);
  return {std::move(source), blocks, arguments(reads.size(), writes.size())};
}

int64_t blocks_for(int64_t elements, int32_t threads) {
  constexpr int64_t most = 16384;
  return std::clamp<int64_t>((elements + threads - 1) / threads, 1, most);
}

}  // namespace einsummable::cuda
