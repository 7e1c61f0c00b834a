// Prints chosen columns of a segment as CSV text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "container/segment.hpp"
#include "rows/cells/column_printer.hpp"
#include "rows/cells/text_blocks.hpp"

namespace floe::rows {

class RowsText {
 public:
  /// `columns`: by index, in the order in which they are printed. `table` and `columns` must outlive it.
  RowsText(const TableDescription& table, std::span<const std::size_t> columns)
      : table_(table),
        columns_(columns),
        separator_(table.source == TableSource::csv ? table.separator : ',') {}

  /// A line with the names of the columns, in quotes where they need them.
  [[nodiscard]] std::string names() const;
  /// Prints rows of a segment, whose columns these are. Errors: those of `sink`.
  Status print(const ColumnsOfSegment& segment, std::uint32_t first, std::uint32_t end,
               core::Workers& workers, const Sink& sink) const;

 private:
  void print_row(const ColumnsOfSegment& segment, std::uint32_t row, std::size_t max_row_bytes,
                 TextBuffer& to) const;

  const TableDescription& table_;
  std::span<const std::size_t> columns_;
  char separator_;
};

}  // namespace floe::rows
