// The positions of the cells in a piece of CSV text, and the lines that are no rows.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rows/cells/column_content.hpp"

namespace floe::rows {

/// How rows and cells are told apart in a CSV text.
struct Dialect {
  char separator = ',';
  bool crlf = false;  ///< Lines end in CR LF instead of LF.
  friend bool operator==(const Dialect&, const Dialect&) = default;
};

/// Bytes between rows that are no row of the table: blank lines, lines with too many or too few cells. They
/// are kept as they are.
struct MalformedLine {
  std::uint32_t before_row = 0;  ///< Rows of this piece that stand before it.
  std::uint32_t begin = 0, end = 0;
  std::uint64_t line_index = 0;  ///< Lines of this piece that stand before it.
  std::uint32_t cell_count = 0;
};

/// The cells of the rows of a text of less than 4 GiB. A cell is everything between two separators, with its
/// quotes.
class CellIndex {
 public:
  /// A quote whose partner is farther away is a character like any other, so that one lost quote costs no
  /// more than this.
  static constexpr std::size_t longest_quoted_bytes = std::size_t{1} << 20;

  /// Finds at most `row_limit` rows. `is_last`: nothing follows this text, so its last line may lack its end.
  void build(std::string_view text, const Dialect& dialect, std::uint32_t column_count,
             std::uint32_t row_limit, bool is_last);

  /// The same text lies elsewhere now.
  void text_moved_to(std::string_view text) noexcept { text_ = text; }

  [[nodiscard]] std::uint32_t row_count() const noexcept {
    return static_cast<std::uint32_t>(row_begins_.size());
  }
  [[nodiscard]] std::uint32_t column_count() const noexcept { return column_count_; }
  [[nodiscard]] std::string_view cell(std::uint32_t row, std::uint32_t column) const noexcept {
    const std::uint32_t* ends = ends_.data() + std::size_t{row} * column_count_;
    const std::uint32_t begin = column == 0 ? row_begins_[row] : ends[column - 1] + 1;
    return {text_.data() + begin, ends[column] - begin};
  }
  [[nodiscard]] const std::vector<MalformedLine>& malformed() const noexcept { return malformed_; }
  /// Bytes of the text that were cut into rows and malformed lines: up to the end of a line, unless this is
  /// the last piece.
  [[nodiscard]] std::size_t consumed_bytes() const noexcept { return consumed_bytes_; }
  /// Lines that were consumed.
  [[nodiscard]] std::uint64_t line_count() const noexcept { return line_count_; }
  /// Whether the last row of the last piece has no line end behind it.
  [[nodiscard]] bool lacks_last_line_end() const noexcept { return lacks_last_line_end_; }

 private:
  friend class CellScanner;
  std::string_view text_;
  std::uint32_t column_count_ = 0;
  std::vector<std::uint32_t> row_begins_;
  std::vector<std::uint32_t> ends_;
  std::vector<MalformedLine> malformed_;
  std::size_t consumed_bytes_ = 0;
  std::uint64_t line_count_ = 0;
  bool lacks_last_line_end_ = false;
};

/// Such lines, or bytes behind the last whole record, as streams: the rows before each of them, their
/// lengths, and all their bytes; no streams if there are none.
std::vector<Words> malformed_words(std::string_view text, const std::vector<MalformedLine>& lines);

}  // namespace floe::rows
