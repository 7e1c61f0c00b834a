// How do chosen columns of a segment become CSV text?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/tables/decoded_columns.hpp"
#include "container/table_parts.hpp"
#include "rows/cells/text_blocks.hpp"

namespace floe::tables {

class RowsText {
 public:
  /// `columns`: by index, in the order in which they are printed. `header` and `columns` must outlive it.
  RowsText(const TableHeader& header, std::span<const std::size_t> columns)
      : header_(header), columns_(columns), separator_(header.source == TableSource::csv ? header.dialect.separator : ',') {}

  /// A line with the names of the columns, in quotes where they need them.
  [[nodiscard]] std::string names() const;
  /// Decodes the columns of a segment, whose stored bytes these are. Errors: corrupt_frame, out_of_memory.
  Status open(const SegmentHead& head, std::span<const std::vector<std::uint8_t>> stored, const DecodeOptions& options);
  /// Prints rows of the segment. Errors: those of `sink`.
  Status print(std::uint32_t first, std::uint32_t end, std::uint32_t threads, const Sink& sink) const;

 private:
  void print_row(std::uint32_t row, TextBuffer& to) const;

  const TableHeader& header_;
  std::span<const std::size_t> columns_;
  char separator_;
  DecodedColumns decoded_;
  std::size_t longest_row_bytes_ = 0;
};

}  // namespace floe::tables
