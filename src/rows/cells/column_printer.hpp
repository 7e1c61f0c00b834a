// Prints the streams of a column as its cells.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/workers.hpp"
#include "floe/types.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::rows {

/// Texts one behind the other, with where each begins.
class TextTable {
 public:
  /// Errors: corrupt_frame if the lengths are not those of the bytes.
  Status build(const Words& lengths, const Words& bytes);
  [[nodiscard]] std::size_t count() const noexcept { return begins_.empty() ? 0 : begins_.size() - 1; }
  [[nodiscard]] std::string_view text(std::size_t index) const noexcept {
    return {bytes_ + begins_[index], static_cast<std::size_t>(begins_[index + 1] - begins_[index])};
  }
  [[nodiscard]] std::size_t longest_bytes() const noexcept { return longest_bytes_; }

 private:
  std::vector<std::uint64_t> begins_;
  const char* bytes_ = nullptr;
  std::size_t longest_bytes_ = 0;
};

/// Prints the cells of a column that was decoded. Const functions are thread-safe.
class ColumnPrinter {
 public:
  /// Checks the streams, whose numbers may be anything. `content` must outlive the printer. Errors:
  /// corrupt_frame.
  Status open(const ColumnContent& content, std::uint32_t row_count);

  /// No cell is longer.
  [[nodiscard]] std::size_t longest_bytes() const noexcept { return longest_bytes_; }
  /// Writes a cell; returns the end.
  [[nodiscard]] char* print(char* to, std::uint32_t row) const noexcept;
  /// Whether the cell has a number of its own, and if not, its text.
  [[nodiscard]] bool is_exception(std::uint32_t row) const noexcept {
    return !exception_codes_.empty() && exception_codes_[row] != no_exception;
  }
  [[nodiscard]] std::string_view exception(std::uint32_t row) const noexcept;
  /// The text of a column of texts.
  [[nodiscard]] std::string_view text(std::uint32_t row) const noexcept;

 private:
  Status open_exceptions(std::uint32_t row_count);
  Status check_values(std::uint32_t row_count) const;
  char* print_value(char* to, std::uint32_t row) const noexcept;

  const ColumnContent* content_ = nullptr;
  TextTable texts_;
  TextTable exceptions_;
  std::span<const std::uint8_t> exception_codes_;
  std::vector<std::uint32_t> unlisted_rows_;  ///< Rows with exceptions that have no code of their own.
  std::int64_t power_ = 1;                    ///< decimal: from the numbers stored to those with all digits
  std::size_t longest_bytes_ = 0;
};

struct ColumnsOfSegment {
  std::vector<ColumnContent> contents;
  std::vector<ColumnPrinter> printers;  ///< Of the contents.

  /// Opens the printers. Errors: corrupt_frame. Throws std::bad_alloc.
  Status open(std::uint32_t row_count, core::Workers& workers) {
    printers.assign(contents.size(), {});
    std::vector<Status> outcomes(contents.size());
    core::for_each_task(workers, static_cast<std::uint32_t>(contents.size()),
                        [&](std::uint32_t i) { outcomes[i] = printers[i].open(contents[i], row_count); });
    for (const Status& outcome : outcomes) {
      if (!outcome.ok()) return outcome;
    }
    return {};
  }
};

}  // namespace floe::rows
