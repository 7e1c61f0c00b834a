// Read a column of decimals, or of floating-point numbers, in the format that fits it.
#pragma once

#include <optional>
#include <span>

#include "rows/cells/column_content.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::rows {

/// All cells of a column as decimals.
struct ParsedDecimals {
  static constexpr std::uint8_t no_decimal = 255;
  std::vector<std::int64_t> mantissas;
  std::vector<std::uint8_t> decimals;  ///< Digits behind the point, or no_decimal.
  bool omits_zero = false;             ///< .5 was read, and not 0.5.

  [[nodiscard]] bool is_decimal(std::uint32_t row) const noexcept { return decimals[row] != no_decimal; }
};

ParsedDecimals parse_decimals(const ColumnCells& cells, bool omits_zero, bool keep_text);

/// A decimal, read leniently: a plus sign, needless zeros and a missing digit before or behind the point do
/// not matter.
bool parse_any_decimal(std::string_view text, Decimal& decimal) noexcept;

/// Decimals between `min_decimals` and `decimals` digits behind the point, as few as zeros at the end allow.
struct DecimalShape {
  std::uint8_t decimals = 0, min_decimals = 0;
  std::uint64_t misfits =
      0;  ///< Cells that are not written so; with keep_text == false, that do not have such a value.
};

/// The shape with the fewest misfits. Nothing if no cell is a decimal.
std::optional<DecimalShape> best_shape(const ParsedDecimals& parsed, bool keep_text);
/// Whether a cell fits the shape, and the integer value times 10^shape.decimals if so.
bool fits_shape(std::int64_t mantissa, unsigned decimals, const DecimalShape& shape, bool keep_text,
                std::int64_t& scaled) noexcept;

/// The column in this shape.
ColumnContent decimals_in_shape(const ColumnCells& cells, const ParsedDecimals& parsed,
                                const DecimalShape& shape, bool is_quoted, bool keep_text);
/// The column with as many digits as every cell has.
ColumnContent free_decimals(const ColumnCells& cells, const ParsedDecimals& parsed, bool is_quoted);

struct FloatGuess {
  CellKind kind = CellKind::f64;  ///< f32 or f64
  FloatFormat format;
};

/// The type and style in which nearly all probed cells are written, the narrower type first. `rows` are some
/// rows of the column. Nothing if there is no such style.
std::optional<FloatGuess> guess_floats(const ColumnCells& cells, std::span<const std::uint32_t> rows,
                                       bool keep_text);

/// The column as floating-point numbers.
ColumnContent read_floats(const ColumnCells& cells, const FloatGuess& guess, bool is_quoted, bool keep_text);
/// Numbers of some rows only, for an estimate of what they cost.
Words sample_floats(const ColumnCells& cells, const FloatGuess& guess, std::span<const std::uint32_t> rows);

}  // namespace floe::rows
