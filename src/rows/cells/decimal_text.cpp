#include "rows/cells/decimal_text.hpp"

#include <charconv>

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

/// Writes the digits of `value` so that they end at `end`, at least `least` of them; returns where they
/// begin.
char* print_digits_before(char* end, std::uint64_t value, unsigned least) noexcept {
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
  while (end - at < static_cast<std::ptrdiff_t>(least)) *--at = '0';
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

}  // namespace floe::rows
