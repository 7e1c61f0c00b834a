// What can be seen of a CSV text from its first lines: separator, line ends, number of columns and their
// names.
#pragma once

#include <string>
#include <string_view>

#include "floe/table.hpp"
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

/// `begin`: the first shape_probe_bytes of the text, or all of it. Errors: invalid_argument if no line has as
/// many cells as the schema columns.
Result<CsvShape> detect_shape(std::string_view begin, const TableOptions& options);

}  // namespace floe::rows
