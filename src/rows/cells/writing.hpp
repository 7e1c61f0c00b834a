// In which way are the cells of a column written? With that and the values the same text comes back: docs/format/series/table.md section 5.
#pragma once

#include <cstdint>

#include "floe/error.hpp"
#include "core/byte_io.hpp"
#include "rows/cells/decimal_text.hpp"
#include "rows/cells/float_text.hpp"
#include "rows/cells/time_text.hpp"

namespace floe::tables {

/// The numbers are part of the format: append, never renumber.
enum class WritingKind : std::uint8_t {
  native = 0,        ///< No text: the column came as values.
  decimal = 1,       ///< Decimals with a number of digits that is the same for all, but for zeros at the end that may be left out.
  free_decimal = 2,  ///< Decimals, each with its own number of digits behind the point.
  f32 = 3,           ///< Floating-point numbers.
  f64 = 4,
  time = 5,   ///< Dates and times.
  words = 6,  ///< Any texts, each stored once.
  text = 7,   ///< Any texts.
};
inline constexpr std::uint8_t last_writing_kind = 7;

struct Writing {
  WritingKind kind = WritingKind::native;
  bool is_quoted = false;            ///< All cells stand in quotes, which belong to the way of writing.
  std::uint8_t decimals = 0;         ///< decimal: the most digits behind the point.
  std::uint8_t least_decimals = 0;   ///< decimal: zeros at the end are left out down to this number of digits.
  std::uint8_t scale = 0;            ///< decimal: the numbers stored are the values times 10^scale; at most `decimals`.
  FloatWriting floats;               ///< f32, f64
  TimeWriting times;                 ///< time
  bool has_marks = false;            ///< Some cells are written in other ways.
  std::uint8_t marked_literals = 0;  ///< How many literals have a mark of their own.
  friend bool operator==(const Writing&, const Writing&) = default;
};

/// Marks of cells: 0 a value; 1 to 254 the literal of that number; 255 the next literal that has no mark of its own.
inline constexpr std::uint8_t value_mark = 0, last_literal_mark = 254, unmarked_literal = 255;

inline constexpr std::size_t writing_bytes = 16;
void put_writing(format::FieldWriter& out, const Writing& writing);
/// Reads and checks. Errors: corrupt_frame.
Result<Writing> get_writing(format::FieldReader& in);

/// Whether the cells of a kind are numbers, which can be marked and quoted.
constexpr bool has_numbers(WritingKind kind) noexcept { return kind <= WritingKind::time; }

}  // namespace floe::tables
