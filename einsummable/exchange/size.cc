// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/size.h"

#include <algorithm>
#include <limits>

namespace einsummable::exchange {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  int64_t bytes;
};

constexpr Unit units[] = {{"GB", 1'000'000'000},     {"MB", 1'000'000}, {"kB", 1'000},   {"B", 1},
                          {"GiB", int64_t{1} << 30}, {"MiB", 1 << 20},  {"KiB", 1 << 10}};

// `bytes` in this unit, exactly, if nine decimals suffice; else empty.
std::string exact_text(int64_t bytes, const Unit& unit) {
  constexpr int64_t scale = 1'000'000'000;
  const Wide scaled = static_cast<Wide>(bytes % unit.bytes) * scale;
  if (scaled % static_cast<Wide>(unit.bytes) != 0) return {};
  std::string decimals =
      std::to_string(static_cast<int64_t>(scaled / static_cast<Wide>(unit.bytes)));
  decimals.insert(0, 9 - decimals.size(), '0');
  decimals.erase(decimals.find_last_not_of('0') + 1);
  std::string text = std::to_string(bytes / unit.bytes);
  if (!decimals.empty()) text += '.' + decimals;
  return text + ' ' + std::string(unit.name);
}

}  // namespace

std::optional<int64_t> bytes_of(std::string_view number, std::string_view unit,
                                std::string& reason) {
  const auto* found = std::find_if(std::begin(units), std::end(units),
                                   [&](const Unit& u) { return u.name == unit; });
  if (found == std::end(units)) {
    reason = "'" + std::string(unit) + "' is no unit of size; B, kB, MB, GB, KiB, MiB and GiB are";
    return std::nullopt;
  }
  const std::string shown = std::string(number) + ' ' + std::string(unit);
  const size_t point = std::min(number.find('.'), number.size());
  std::string digits(number.substr(0, point));
  std::string decimals(number.substr(std::min(point + 1, number.size())));
  decimals.erase(decimals.find_last_not_of('0') + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.size() > 24) {
    reason = shown + " is too large";
    return std::nullopt;
  }
  if (decimals.size() > 24) {
    reason = shown + " has more than 24 decimals";
    return std::nullopt;
  }
  Wide bytes = 0;
  Wide scale = 1;
  for (char c : digits) bytes = bytes * 10 + static_cast<Wide>(c - '0');
  bytes *= static_cast<Wide>(found->bytes);
  Wide part = 0;
  for (char c : decimals) {
    part = part * 10 + static_cast<Wide>(c - '0');
    scale *= 10;
  }
  part *= static_cast<Wide>(found->bytes);
  if (part % scale != 0) {
    reason = shown + " is not a whole number of bytes";
    return std::nullopt;
  }
  bytes += part / scale;
  if (bytes > static_cast<Wide>(std::numeric_limits<int64_t>::max())) {
    reason = shown + " is too large";
    return std::nullopt;
  }
  return static_cast<int64_t>(bytes);
}

std::string size_text(int64_t bytes) {
  std::string best;
  for (const Unit& unit : units) {
    const std::string text = exact_text(bytes, unit);
    if (!text.empty() && (best.empty() || text.size() < best.size())) best = text;
  }
  return best;
}

}  // namespace einsummable::exchange
