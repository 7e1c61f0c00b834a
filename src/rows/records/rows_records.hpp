// How do chosen columns of a segment become binary records?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/tables/decoded_columns.hpp"

namespace floe::tables {

/// Rows as their values one behind the other, little-endian.
class RowsRecords {
 public:
  /// `columns`: by index, none of them of texts, in the order in which their values stand. Both must outlive it.
  RowsRecords(const Schema& schema, std::span<const std::size_t> columns);

  /// Decodes the columns of a segment, whose stored bytes these are. Errors: corrupt_frame, out_of_memory.
  Status open(const SegmentHead& head, std::span<const std::vector<std::uint8_t>> stored, const DecodeOptions& options) {
    return decoded_.open(head, columns_, stored, options);
  }
  /// Writes rows of the segment, up to the first with a cell that has no value and whose type has none for that: it is then in `missing`,
  /// with its row in the segment. Errors: invalid_argument in this case, corrupt_frame, those of `sink`.
  Status write(std::uint32_t first, std::uint32_t end, std::uint32_t threads, const Sink& sink, MissingValue& missing) const;

 private:
  /// The first row without a value, or `end`. Errors: as convert_values.
  Result<std::uint32_t> put_column(std::size_t i, std::uint32_t first, std::uint32_t end, std::span<std::uint8_t> values,
                                   std::uint8_t* to) const;

  const Schema& schema_;
  std::span<const std::size_t> columns_;
  std::vector<std::size_t> offsets_;  ///< Of the columns in a record.
  std::size_t record_bytes_ = 0;
  DecodedColumns decoded_;
};

}  // namespace floe::tables
