// Reads the cells of a column as numbers, and finds the cell format that brings their text back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "rows/cells/column_content.hpp"
#include "rows/csv/cell_index.hpp"

namespace floe::rows {

/// Bytes that some words take when they are encoded. Decides between cell formats that fit equally well.
using WordsCost = std::function<std::uint64_t(const Words&)>;

struct ReadOptions {
  bool keep_text = true;  ///< Every cell comes back as it was written; otherwise numbers may come back in the
                          ///< cell format of the column.
  WordsCost cost;
};

/// Reads one column of a piece of text. Cells that do not fit the cell format of the column are kept as
/// exceptions, so that nothing is lost. Throws std::bad_alloc.
ColumnContent read_column(const CellIndex& cells, std::uint32_t column, const ReadOptions& options);

/// The cells of one column.
class ColumnCells {
 public:
  ColumnCells(const CellIndex& cells, std::uint32_t column, bool is_quoted = false)
      : cells_(cells), column_(column), is_quoted_(is_quoted) {}
  [[nodiscard]] std::uint32_t count() const noexcept { return cells_.row_count(); }
  [[nodiscard]] std::string_view raw(std::uint32_t row) const noexcept { return cells_.cell(row, column_); }
  /// Without the quotes of a quoted column; empty, which is no number, if the cell lacks them.
  [[nodiscard]] std::string_view value(std::uint32_t row) const noexcept {
    const std::string_view cell = raw(row);
    if (!is_quoted_) return cell;
    const bool has_quotes = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    return has_quotes ? cell.substr(1, cell.size() - 2) : std::string_view{};
  }

 private:
  const CellIndex& cells_;
  std::uint32_t column_;
  bool is_quoted_;
};

}  // namespace floe::rows
