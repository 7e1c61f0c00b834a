// The values that the cells of a column have by its type.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "container/parts.hpp"
#include "floe/floe.hpp"
#include "rows/cells/column_printer.hpp"

namespace floe::rows {

/// Writes the values of `count` rows from `first`; a cell that is no value of the type is 0, and 0 in
/// `valid`, which may be empty. Numbers are those of the text, correctly rounded; times become seconds since
/// 1970.
Status convert_values(const ColumnContent& content, const ColumnPrinter& printer, std::uint32_t first,
                      std::uint32_t count, DType type, std::span<std::uint8_t> out,
                      std::span<std::uint8_t> valid);

/// A value of a column that never was text, as the schema says: floating-point numbers with its decimals,
/// times as 2013-04-03 09:30:00.
std::string native_text(const ColumnContent& content, std::uint32_t row, const Column& column);

/// Least and greatest value of a column, rounded outwards. Times are in the units in which they are stored.
ValueBounds numeric_range(const ColumnEntry& column);

/// For people: "decimal, 2 digits".
std::string describe_format(const CellFormat& format);

}  // namespace floe::rows
