// Reads dates and times as integers and prints the same text again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include "rows/cells/formats.hpp"

namespace floe::rows {

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
