// The cell format of a column: what turns its numbers into the text of its cells. docs/format/cells.md,
// "Cell formats".
#pragma once

#include <cstdint>
#include <string_view>

#include "core/byte_stream.hpp"
#include "floe/types.hpp"

namespace floe::container {

inline constexpr unsigned max_decimals = 18, max_float_digits = 40;

enum class FloatStyle : std::uint8_t {
  shortest = 0,    ///< The fewest characters that read back the same: 0.1, 1e+23.
  repr = 1,        ///< The fewest digits, as Python writes them: 1.0, 1e-05, 1e+16.
  general = 2,     ///< printf's %.{digits}g.
  scientific = 3,  ///< printf's %.{digits}e.
  fixed = 4,       ///< printf's %.{digits}f.
};

struct FloatFormat {
  FloatStyle style = FloatStyle::shortest;
  std::uint8_t digits = 0;  ///< At most 40; only for the styles of printf.
  friend bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

enum class TimeLayout : std::uint8_t {
  date = 0,     ///< 2013-04-03: days
  minutes = 1,  ///< 2013-04-03 09:30: minutes
  seconds = 2,  ///< 2013-04-03 09:30:00, with digits of the second where there are: units of
                ///< 10^-fraction_digits seconds
  ctime = 3,    ///< Wed Apr  3 09:30:00 2013: seconds
};

/// How all times of a column are written. Numbers count from 1970-01-01 00:00:00 in the time zone of the
/// text.
struct TimeFormat {
  TimeLayout layout = TimeLayout::seconds;
  char date_separator = '-';         ///< '-' or '/'; not for ctime.
  char time_separator = 'T';         ///< 'T', 't', ' ' or '_'; only for minutes and seconds.
  std::uint8_t fraction_digits = 0;  ///< 0 to 9; only for seconds.
  std::uint8_t zone =
      0;  ///< 0: nothing follows. 1: "Z". 2 to 127: an offset in quarters of an hour, 64 for +00:00.
  bool zone_colon = true;  ///< +01:00 rather than +0100; only for zone >= 2.
  friend bool operator==(const TimeFormat&, const TimeFormat&) = default;
};

/// The numbers are part of the format: append, never renumber.
enum class CellKind : std::uint8_t {
  native = 0,   ///< No text: the column came as values.
  decimal = 1,  ///< Decimals with a number of digits that is the same for all, but for zeros at the end that
                ///< may be left out.
  free_decimal = 2,  ///< Decimals, each with its own number of digits behind the point.
  f32 = 3,           ///< Floating-point numbers.
  f64 = 4,
  time = 5,   ///< Dates and times.
  words = 6,  ///< Any texts, each stored once.
  text = 7,   ///< Any texts.
};
inline constexpr std::uint8_t last_cell_kind = 7;

struct CellFormat {
  CellKind kind = CellKind::native;
  bool is_quoted = false;         ///< All cells stand in quotes, which belong to the format.
  std::uint8_t decimals = 0;      ///< decimal: the most digits behind the point.
  std::uint8_t min_decimals = 0;  ///< decimal: zeros at the end are left out down to this number of digits.
  std::uint8_t scale = 0;  ///< decimal: the numbers stored are the values times 10^scale; at most `decimals`.
  bool omits_zero = false;             ///< decimal, free_decimal: .5 instead of 0.5.
  FloatFormat floats;                  ///< f32, f64
  TimeFormat times;                    ///< time
  bool has_exceptions = false;         ///< Some cells are written in other ways.
  std::uint8_t listed_exceptions = 0;  ///< How many exceptions have a number of their own.
  friend bool operator==(const CellFormat&, const CellFormat&) = default;
};

/// Of each cell of a column with exceptions: 0 it has a number; 1 to 254 it is the exception of that number;
/// 255 it is the next exception that has no number of its own.
inline constexpr std::uint8_t no_exception = 0, max_listed_exceptions = 254, unlisted_exception = 255;

/// Whether the cells of a kind are numbers, among which there may be exceptions, and which can be quoted.
constexpr bool has_numbers(CellKind kind) noexcept { return kind <= CellKind::time; }

/// How many streams a column of this format has.
constexpr std::size_t stream_count(const CellFormat& format) noexcept {
  const std::size_t of_values = format.kind == CellKind::words                                           ? 3
                                : format.kind == CellKind::text || format.kind == CellKind::free_decimal ? 2
                                                                                                         : 1;
  return of_values + (format.has_exceptions ? 3 : 0);
}

inline constexpr std::size_t cell_format_bytes = 13;
void put_cell_format(core::ByteWriter& out, const CellFormat& format);
/// Reads and checks. Errors: corrupt_frame, unsupported_version; byte_offset is then a position of `in`.
Status get_cell_format(core::ByteReader& in, CellFormat& format);

bool is_valid(const FloatFormat& format) noexcept;
bool is_valid(const TimeFormat& format) noexcept;

}  // namespace floe::container
