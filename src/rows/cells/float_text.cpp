#include "rows/cells/float_text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace floe::rows {
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
