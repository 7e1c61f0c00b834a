// Chosen columns of a segment, ready to be read row by row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/cells/column_printer.hpp"
#include "container/table_parts.hpp"

namespace floe::tables {

struct DecodedColumns {
  std::vector<ColumnContent> contents;
  std::vector<ColumnPrinter> printers;  ///< Of the contents.

  /// Decodes columns of a segment, by index, whose stored bytes these are. Errors: corrupt_frame, out_of_memory.
  Status open(const SegmentHead& head, std::span<const std::size_t> columns, std::span<const std::vector<std::uint8_t>> stored,
              const DecodeOptions& options);
};

}  // namespace floe::tables
