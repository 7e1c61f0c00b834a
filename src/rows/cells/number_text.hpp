// Reads plain decimals such as -61800.20 as integers, and floating-point numbers, and prints the same text
// again.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rows/cells/formats.hpp"

namespace floe::rows {

/// The most digits that a decimal may have; not all numbers of 19 digits fit 64 bits with their sign.
inline constexpr unsigned max_digits = 19;
/// The most digits behind the point.

inline constexpr std::array<std::int64_t, max_decimals + 1> powers_of_ten = [] {
  std::array<std::int64_t, max_decimals + 1> powers{};
  std::int64_t power = 1;
  for (auto& each : powers) {
    each = power;
    power = each < 1000000000000000000 ? each * 10 : each;
  }
  return powers;
}();

/// The number mantissa / 10^decimals, and that it was written with so many digits behind the point.
struct Decimal {
  std::int64_t mantissa = 0;
  std::uint8_t decimals = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// Reads a number that is written in the one plain way: an optional minus, digits without needless zeros in
/// front, and optionally a point with digits behind it, in all a signed 64-bit number, and no minus before
/// zero. False for any other text. So print_decimal() gives the same text again.
inline bool parse_decimal(std::string_view text, Decimal& decimal) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  at += negative;
  const char* const first = at;
  std::uint64_t value = 0;
  while (at != end && static_cast<unsigned char>(*at - '0') < 10)
    value = value * 10 + static_cast<unsigned char>(*at++ - '0');
  const std::ptrdiff_t whole_digits = at - first;
  if (whole_digits == 0 || whole_digits > static_cast<std::ptrdiff_t>(max_digits) ||
      (whole_digits > 1 && *first == '0'))
    return false;
  std::ptrdiff_t decimals = 0;
  if (at != end) {
    if (*at++ != '.') return false;
    decimals = end - at;
    if (decimals == 0 || decimals > static_cast<std::ptrdiff_t>(max_decimals) ||
        whole_digits + decimals > static_cast<std::ptrdiff_t>(max_digits))
      return false;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10)
      value = value * 10 + static_cast<unsigned char>(*at++ - '0');
    if (at != end) return false;
  }
  if (value > static_cast<std::uint64_t>(INT64_MAX) || (negative && value == 0)) return false;
  decimal.mantissa = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  decimal.decimals = static_cast<std::uint8_t>(decimals);
  return true;
}

/// The most bytes that print_decimal writes: 20 digits, sign, point, and a zero before the point.
inline constexpr unsigned longest_decimal_bytes = 2 + 20 + max_decimals;

/// Writes mantissa / 10^decimals with exactly that many digits behind the point; returns the end. decimals <=
/// max_decimals.
char* print_decimal(char* to, std::int64_t mantissa, unsigned decimals) noexcept;
/// The same without the zeros at the end, but with at least `min_decimals` digits behind the point.
char* print_stripped_decimal(char* to, std::int64_t mantissa, unsigned decimals,
                             unsigned min_decimals) noexcept;

/// mantissa / 10^decimals, correctly rounded.
double decimal_value(std::int64_t mantissa, unsigned decimals) noexcept;

inline constexpr unsigned longest_float_bytes = 400;

/// Reads all of `text` as a number, with "inf" and "nan" as C writes them. False if it is none. `Float` is
/// float or double.
template <class Float>
bool parse_float(std::string_view text, Float& value) noexcept;
/// Returns the end of what it wrote.
template <class Float>
char* print_float(char* to, Float value, const FloatFormat& format) noexcept;
/// Reads a number and says whether print_float gives the same text again.
template <class Float>
bool parse_float_exactly(std::string_view text, const FloatFormat& format, Float& value) noexcept;

}  // namespace floe::rows
