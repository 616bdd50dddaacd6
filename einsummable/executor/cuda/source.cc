// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cuda/source.h"

#include "einsummable/executor/cuda/device_code.h"
#include "einsummable/ops/functions.h"

namespace einsummable::cuda {
namespace {

// FNV-1a.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string hexadecimal(uint64_t value) {
  std::string digits(16, '0');
  for (size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

std::string make_prelude() {
  std::string text(prelude_text());
  text += "\n// The scalar functions, by name; what they do not have is not read.\n";
  for (const ScalarFunction& function : scalar_functions()) {
    text += "template <class T>\nES_DEVICE auto function_" + std::string(function.name) +
            "(T x, T y, T z, T a) {\n  return (" + std::string(function.expression) + ");\n}\n";
  }
  return text;
}

}  // namespace

std::string kernel_name(const KernelSource& source) {
  return "es_" + hexadecimal(hash_of(std::to_string(source.threads) + "\n" + source.parameters +
                                     "\n" + source.body));
}

const std::string& prelude() {
  static const std::string text = make_prelude();
  return text;
}

std::string definition(const KernelSource& source) {
  return "ES_KERNEL(" + kernel_name(source) + ", " + std::to_string(source.threads) + ", " +
         source.parameters + ") {\n" + source.body + "}\n";
}

std::string unit(const KernelSource& source) {
  return std::string(words_text()) + "\n" + prelude() + "\n" + definition(source);
}

}  // namespace einsummable::cuda
