// Reads floating-point numbers and prints the same text again.
#pragma once

#include <cstdint>
#include <string_view>

#include "rows/cells/formats.hpp"

namespace floe::rows {

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
