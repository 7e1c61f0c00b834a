// How do dates and times become integers and the same text again?
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace floe::tables {

enum class TimeLayout : std::uint8_t {
  date = 0,     ///< 2013-04-03: days
  minutes = 1,  ///< 2013-04-03 09:30: minutes
  seconds = 2,  ///< 2013-04-03 09:30:00, with digits of the second where there are: units of 10^-fraction_digits seconds
  ctime = 3,    ///< Wed Apr  3 09:30:00 2013: seconds
};

/// How all times of a column are written. Numbers count from 1970-01-01 00:00:00 in the time zone of the text.
struct TimeWriting {
  TimeLayout layout = TimeLayout::seconds;
  char date_separator = '-';         ///< '-' or '/'; not for ctime.
  char time_separator = 'T';         ///< 'T', 't', ' ' or '_'; only for minutes and seconds.
  std::uint8_t fraction_digits = 0;  ///< 0 to 9; only for seconds.
  std::uint8_t zone = 0;             ///< 0: nothing follows. 1: "Z". 2 to 127: an offset in quarters of an hour, 64 for +00:00.
  bool zone_colon = true;            ///< +01:00 rather than +0100; only for zone >= 2.
  friend bool operator==(const TimeWriting&, const TimeWriting&) = default;
};

inline constexpr unsigned longest_time_bytes = 48;

/// The way in which `text` is written; nothing if it is no time.
std::optional<TimeWriting> recognize_time(std::string_view text) noexcept;
/// Reads a time that is written exactly so. False for any other text, and for dates that do not exist.
bool parse_time(std::string_view text, const TimeWriting& writing, std::int64_t& value) noexcept;
/// Whether print_time can write it: the years 0 to 9999.
bool is_printable_time(std::int64_t value, const TimeWriting& writing) noexcept;
/// Writes a time for which is_printable_time holds; returns the end.
char* print_time(char* to, std::int64_t value, const TimeWriting& writing) noexcept;
/// The seconds since 1970 of a value, rounded down.
std::int64_t whole_seconds(std::int64_t value, const TimeWriting& writing) noexcept;
/// Whether the fields of a writing that was read from a file make sense.
bool is_valid(const TimeWriting& writing) noexcept;

}  // namespace floe::tables
