// Reads a column of floating-point numbers in the format that fits it.
#pragma once

#include <optional>
#include <span>

#include "rows/cells/column_content.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::rows {

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
