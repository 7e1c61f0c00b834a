// What can be seen of a CSV text from its first lines: separator, line ends, number of columns and their
// names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"
#include "rows/csv/cell_index.hpp"

namespace floe::rows {

/// As much of a text is looked at, if there is as much.
inline constexpr std::size_t shape_probe_bytes = std::size_t{256} << 10;

struct CsvShape {
  Dialect dialect;
  std::uint32_t column_count = 1;
  std::size_t preamble_bytes = 0;  ///< Up to the end of the row of names; 0 without such a row.
  std::vector<std::string> names;  ///< One for each column: of the row of names, else column1, column2 ...
};

/// The first lines of a text, without their ends.
std::vector<std::string_view> first_lines(std::string_view text, std::size_t max_lines);
std::uint32_t count_cells(std::string_view line, char separator);

/// The number of cells that most lines have, and how many lines these are.
struct UsualCount {
  std::uint32_t cell_count = 1, lines = 0;
};
UsualCount usual_count(std::span<const std::string_view> lines, char separator);

/// The separator with which most lines have the same number of cells, more than one.
char detect_separator(std::span<const std::string_view> lines);

/// A text without the blanks around it.
std::string_view trimmed(std::string_view text);
/// A cell without the quotes around it.
std::string_view without_quotes(std::string_view cell);

/// `begin`: the first shape_probe_bytes of the text, or all of it. Errors: invalid_argument if no line has as
/// many cells as the schema columns.
Result<CsvShape> detect_shape(std::string_view begin, const TableOptions& options);

}  // namespace floe::rows
