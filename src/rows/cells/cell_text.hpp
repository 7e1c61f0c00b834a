// Numbers and times as text, both ways: plain decimals such as -61800.20 are read as integers, dates and
// times, too, and the same text is printed again.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "container/cell_format.hpp"
#include "container/parts.hpp"

namespace floe::rows {

using container::CellFormat;
using container::CellKind;
using container::ColumnEntry;
using container::FloatFormat;
using container::FloatStyle;
using container::has_numbers;
using container::max_decimals;
using container::max_float_digits;
using container::max_listed_exceptions;
using container::no_exception;
using container::range_of;
using container::RangeKind;
using container::stream_count;
using container::StreamEntry;
using container::TableDescription;
using container::TimeFormat;
using container::TimeLayout;
using container::unlisted_exception;
using container::ValueRange;

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

/// The same of a number that has no zero before the point: .5 for 0.5, which is refused.
bool parse_decimal_without_zero(std::string_view text, Decimal& decimal) noexcept;

/// The most bytes that print_decimal writes: 20 digits, sign, point, and a zero before the point.
inline constexpr unsigned longest_decimal_bytes = 2 + 20 + max_decimals;

/// Writes mantissa / 10^decimals with exactly that many digits behind the point; returns the end. decimals <=
/// max_decimals.
char* print_decimal(char* to, std::int64_t mantissa, unsigned decimals) noexcept;
/// The same without the zeros at the end, but with at least `min_decimals` digits behind the point.
char* print_stripped_decimal(char* to, std::int64_t mantissa, unsigned decimals,
                             unsigned min_decimals) noexcept;

/// Takes the zero before the point off what these wrote to [begin, end); returns the end.
char* omit_zero(char* begin, char* end) noexcept;

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

inline constexpr unsigned longest_time_bytes = 48;

/// The way in which `text` is written; nothing if it is no time.
std::optional<TimeFormat> recognize_time(std::string_view text) noexcept;
/// Reads a time that is written exactly so. False for any other text, and for dates that do not exist.
bool parse_time(std::string_view text, const TimeFormat& format, std::int64_t& value) noexcept;
/// Whether print_time can write it: the years 0 to 9999.
bool is_printable_time(std::int64_t value, const TimeFormat& format) noexcept;
/// Writes a time for which is_printable_time holds; returns the end.
char* print_time(char* to, std::int64_t value, const TimeFormat& format) noexcept;
/// The seconds since 1970 of a value, rounded down.
std::int64_t whole_seconds(std::int64_t value, const TimeFormat& format) noexcept;

}  // namespace floe::rows
