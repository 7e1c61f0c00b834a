// Sources of rows: they take the bytes of a table and cut them into segments. One class for each kind of
// source.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "container/parts.hpp"
#include "floe/floe.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::rows {

/// The rows of one segment, ready to be read column by column. Const functions are thread-safe.
class SegmentRows {
 public:
  SegmentRows() = default;
  SegmentRows(const SegmentRows&) = delete;
  SegmentRows& operator=(const SegmentRows&) = delete;
  virtual ~SegmentRows() = default;
  [[nodiscard]] virtual std::uint32_t row_count() const = 0;
  [[nodiscard]] virtual bool lacks_last_line_end() const { return false; }
  /// May throw std::bad_alloc.
  [[nodiscard]] virtual ColumnContent column(std::uint32_t index) const = 0;
  [[nodiscard]] virtual std::vector<Words> malformed() const { return {}; }
  [[nodiscard]] virtual std::vector<Words> padding() const { return {}; }
  /// Of CSV: all of it as it came.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
  /// All bytes of the segment as they came.
  [[nodiscard]] virtual std::uint64_t source_bytes() const = 0;
  /// Those of a column: its values, or its cells with the separators behind them.
  [[nodiscard]] virtual std::uint64_t source_bytes(std::uint32_t column) const = 0;
};

/// Takes bytes and gives segments. Where segments end depends on the content alone, not on the pieces in
/// which it arrives.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;
  /// Takes bytes from the front, fewer than all if a segment is complete then. May throw std::bad_alloc.
  virtual Status take(std::span<const std::byte>& bytes) = 0;
  /// The next segment if it is complete, or if nothing follows and something is left; else null.
  virtual Result<std::unique_ptr<SegmentRows>> next_segment(bool is_last) = 0;
  /// Known after the first segment, and when nothing follows. Columns whose types are to be inferred are
  /// texts there.
  [[nodiscard]] virtual const TableDescription& description() const = 0;
  /// The text before the first row; likewise.
  [[nodiscard]] virtual std::string_view preamble() const { return {}; }
};

/// `cost`: see ReadOptions.
std::unique_ptr<RowSource> make_csv_source(const TableOptions& options, WordsCost cost);
std::unique_ptr<RowSource> make_record_source(const TableOptions& options);

/// The type that a column of CSV text seems to have, of the way in which its first segment is written.
DType inferred_type(const ColumnEntry& column);

/// A column of binary values: `stride_bytes` from one to the next.
ColumnContent native_column(const void* values, std::uint32_t row_count, std::size_t stride_bytes,
                            DType type);

}  // namespace floe::rows
