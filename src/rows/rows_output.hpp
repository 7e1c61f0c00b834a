// Rows printed by several threads and written in their order: chosen columns of a segment as CSV text, or as
// binary records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/parts.hpp"
#include "core/bits.hpp"
#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "rows/cells/column_printer.hpp"

namespace floe::rows {

/// A text that grows by cells.
class TextBuffer {
 public:
  void clear() { size_ = 0; }
  /// Room for `bytes` more; add_until says how many were used.
  char* room(std::size_t bytes) {
    if (text_.size() - size_ < bytes) text_.resize(std::max(2 * text_.size(), size_ + bytes));
    return text_.data() + size_;
  }
  void add_until(const char* end) { size_ = static_cast<std::size_t>(end - text_.data()); }
  void add(std::string_view text) {
    char* to = room(text.size());
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    size_ += text.size();
  }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(text_).first(size_));
  }

 private:
  std::vector<char> text_;
  std::size_t size_ = 0;
};

/// Rows that are printed by one thread at a time.
inline constexpr std::uint32_t block_rows = 4096;

/// Calls print(first, end, buffer) for blocks of the rows from `first` up to `end`, for one empty block if
/// there are none, and gives the buffers to `sink` in their order. A few blocks at a time, so that memory
/// does not grow with the rows. `print` is called by several threads and must not throw anything but
/// std::bad_alloc.
template <class Print>
Status print_in_blocks(std::uint32_t first, std::uint32_t end, core::Workers& workers, const Sink& sink,
                       const Print& print) {
  const std::uint32_t blocks =
      std::max(static_cast<std::uint32_t>(core::divide_up(end - first, block_rows)), 1u);
  const std::uint32_t at_once = std::min(blocks, workers.max_tasks());
  std::vector<TextBuffer> buffers(at_once);
  for (std::uint32_t done = 0; done < blocks; done += at_once) {
    const std::uint32_t count = std::min(at_once, blocks - done);
    core::for_each_task(workers, count, [&](std::uint32_t i) {
      const std::uint32_t from = first + (done + i) * block_rows;
      buffers[i].clear();
      print(from, end - from < block_rows ? end : from + block_rows, buffers[i]);
    });
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const Status status = sink(buffers[i].bytes()); !status.ok()) return status;
    }
  }
  return {};
}

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

/// Rows as their values one behind the other, little-endian.
class RowsRecords {
 public:
  /// `columns`: by index, none of them of texts, in the order in which their values stand. Both must outlive
  /// it.
  RowsRecords(const Schema& schema, std::span<const std::size_t> columns);

  /// Writes rows of a segment, whose columns these are, up to the first with a cell that has no value and
  /// whose type has none for that: it is then in `missing`, with its row in the segment. Errors:
  /// invalid_argument in this case, corrupt_frame, those of `sink`.
  Status write(const ColumnsOfSegment& segment, std::uint32_t first, std::uint32_t end,
               core::Workers& workers, const Sink& sink, MissingValue& missing) const;

 private:
  /// The first row without a value, or `end`. Errors: as convert_values.
  Result<std::uint32_t> put_column(const ColumnsOfSegment& segment, std::size_t i, std::uint32_t first,
                                   std::uint32_t end, std::span<std::uint8_t> values, std::uint8_t* to) const;

  const Schema& schema_;
  std::span<const std::size_t> columns_;
  std::vector<std::size_t> offsets_;  ///< Of the columns in a record.
  std::size_t record_bytes_ = 0;
};

}  // namespace floe::rows
