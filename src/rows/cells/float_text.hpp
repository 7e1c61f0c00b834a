// How do floating-point numbers become bits and the same text again?
#pragma once

#include <cstdint>
#include <string_view>

namespace floe::tables {

enum class FloatStyle : std::uint8_t {
  shortest = 0,    ///< The fewest characters that read back the same: 0.1, 1e+23.
  repr = 1,        ///< The fewest digits, as Python writes them: 1.0, 1e-05, 1e+16.
  general = 2,     ///< printf's %.{digits}g.
  scientific = 3,  ///< printf's %.{digits}e.
  fixed = 4,       ///< printf's %.{digits}f.
};

struct FloatWriting {
  FloatStyle style = FloatStyle::shortest;
  std::uint8_t digits = 0;  ///< At most 40; only for the styles of printf.
  friend bool operator==(const FloatWriting&, const FloatWriting&) = default;
};

inline constexpr unsigned most_float_digits = 40;
inline constexpr unsigned longest_float_bytes = 400;

bool is_valid(const FloatWriting& writing) noexcept;

/// Reads all of `text` as a number, with "inf" and "nan" as C writes them. False if it is none. `Float` is float or double.
template <class Float>
bool parse_float(std::string_view text, Float& value) noexcept;
/// Returns the end of what it wrote.
template <class Float>
char* print_float(char* to, Float value, const FloatWriting& writing) noexcept;
/// Reads a number and says whether print_float gives the same text again.
template <class Float>
bool parse_float_exactly(std::string_view text, const FloatWriting& writing, Float& value) noexcept;

}  // namespace floe::tables
