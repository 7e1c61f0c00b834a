// Writes chosen columns of a segment as binary records.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/cells/column_printer.hpp"

namespace floe::rows {

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
