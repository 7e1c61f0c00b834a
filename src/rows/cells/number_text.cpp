#include "rows/cells/cell_text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace floe::rows {
namespace {

constexpr auto two_digits = [] {
  std::array<char, 200> digits{};
  for (std::size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

/// Writes the digits of `value` so that they end at `end`, at least `min_digits` of them; returns where they
/// begin.
char* print_digits_before(char* end, std::uint64_t value, unsigned min_digits) noexcept {
  char* at = end;
  while (value >= 100) {
    at -= 2;
    std::memcpy(at, two_digits.data() + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    at -= 2;
    std::memcpy(at, two_digits.data() + 2 * value, 2);
  } else if (value != 0) {
    *--at = static_cast<char>('0' + value);
  }
  while (end - at < static_cast<std::ptrdiff_t>(min_digits)) *--at = '0';
  return at;
}

}  // namespace

char* print_decimal(char* to, std::int64_t mantissa, unsigned decimals) noexcept {
  auto magnitude = static_cast<std::uint64_t>(mantissa);
  if (mantissa < 0) {
    *to++ = '-';
    magnitude = 0 - magnitude;
  }
  char digits[longest_decimal_bytes];
  char* const end = digits + sizeof digits;
  const char* const begin = print_digits_before(end, magnitude, decimals + 1);
  const std::size_t whole = static_cast<std::size_t>(end - begin) - decimals;
  std::memcpy(to, begin, whole);
  to += whole;
  if (decimals == 0) return to;
  *to++ = '.';
  std::memcpy(to, begin + whole, decimals);
  return to + decimals;
}

char* print_stripped_decimal(char* to, std::int64_t mantissa, unsigned decimals,
                             unsigned min_decimals) noexcept {
  while (decimals > min_decimals && mantissa % 10 == 0) {
    mantissa /= 10;
    --decimals;
  }
  return print_decimal(to, mantissa, decimals);
}

bool parse_decimal_without_zero(std::string_view text, Decimal& decimal) noexcept {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() == sign || text[sign] != '.')
    return text.substr(sign, 2) != "0." && parse_decimal(text, decimal);
  if (text.size() > sign + 1 + max_decimals) return false;
  char full[longest_decimal_bytes] = "-0";
  text.copy(full + 2, text.size() - sign, sign);
  return parse_decimal({full + 1 - sign, text.size() + 1}, decimal);
}

char* omit_zero(char* begin, char* end) noexcept {
  char* const zero = begin + (*begin == '-');
  if (zero[0] != '0' || end - zero == 1) return end;
  std::memmove(zero, zero + 1, static_cast<std::size_t>(end - zero - 1));
  return end - 1;
}

double decimal_value(std::int64_t mantissa, unsigned decimals) noexcept {
  // Both numbers are exact below these bounds, and so a single division rounds once.
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (mantissa >= -exact && mantissa <= exact)
    return static_cast<double>(mantissa) / static_cast<double>(powers_of_ten[decimals]);
  char text[longest_decimal_bytes];
  const char* const end = print_decimal(text, mantissa, decimals);
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

namespace {

/// Python's repr(): digits and exponent from the shortest scientific form, laid out by the size of the
/// exponent.
template <class Float>
char* print_repr(char* to, Float value) noexcept {
  if (!std::isfinite(value)) return std::to_chars(to, to + longest_float_bytes, value).ptr;
  char scientific[64];
  const char* const end =
      std::to_chars(scientific, scientific + sizeof scientific, value, std::chars_format::scientific).ptr;
  const char* e = end - 1;
  while (*e != 'e') --e;
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  if (exponent < -4 || exponent >= 16) {
    std::memcpy(to, scientific, static_cast<std::size_t>(end - scientific));
    return to + (end - scientific);
  }
  char* const fixed_end = std::to_chars(to, to + longest_float_bytes, value, std::chars_format::fixed).ptr;
  if (std::memchr(to, '.', static_cast<std::size_t>(fixed_end - to)) != nullptr) return fixed_end;
  std::memcpy(fixed_end, ".0", 2);
  return fixed_end + 2;
}

}  // namespace

template <class Float>
bool parse_float(std::string_view text, Float& value) noexcept {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

template <class Float>
char* print_float(char* to, Float value, const FloatFormat& format) noexcept {
  char* const end = to + longest_float_bytes;
  switch (format.style) {
    case FloatStyle::shortest:
      break;
    case FloatStyle::repr:
      return print_repr(to, value);
    case FloatStyle::general:
      return std::to_chars(to, end, value, std::chars_format::general, format.digits).ptr;
    case FloatStyle::scientific:
      return std::to_chars(to, end, value, std::chars_format::scientific, format.digits).ptr;
    case FloatStyle::fixed:
      return std::to_chars(to, end, value, std::chars_format::fixed, format.digits).ptr;
  }
  return std::to_chars(to, end, value).ptr;
}

template <class Float>
bool parse_float_exactly(std::string_view text, const FloatFormat& format, Float& value) noexcept {
  if (!parse_float(text, value)) return false;
  char printed[longest_float_bytes];
  return std::string_view(printed, static_cast<std::size_t>(print_float(printed, value, format) - printed)) ==
         text;
}

template bool parse_float(std::string_view, float&) noexcept;
template bool parse_float(std::string_view, double&) noexcept;
template char* print_float(char*, float, const FloatFormat&) noexcept;
template char* print_float(char*, double, const FloatFormat&) noexcept;
template bool parse_float_exactly(std::string_view, const FloatFormat&, float&) noexcept;
template bool parse_float_exactly(std::string_view, const FloatFormat&, double&) noexcept;

}  // namespace floe::rows
