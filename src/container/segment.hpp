// The header of a segment, which lists its streams: docs/format/container.md section 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/cell_format.hpp"
#include "container/header.hpp"
#include "container/value_range.hpp"

namespace floe::container {

struct StreamEntry {
  DType type = DType::u8;  ///< Of the words.
  std::uint32_t count = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t digest = 0;

  [[nodiscard]] std::uint64_t words_bytes() const noexcept { return count * size_of(type); }
};

/// A column of a table. An array is one column of native cells.
struct ColumnEntry {
  CellFormat format;
  ValueRange range;
  std::vector<StreamEntry> streams;
};

struct SegmentHeader {
  std::uint64_t index = 0;
  std::uint64_t first = 0;  ///< Element or row.
  std::uint32_t count = 0;
  bool lacks_last_line_end = false;
  std::vector<StreamEntry> malformed;  ///< Rows before them, lengths, bytes; or none.
  std::vector<StreamEntry> padding;    ///< The bytes behind binary records; none if all are zero.
  std::vector<ColumnEntry> columns;

  /// All streams in the order of the file.
  template <class Use>
  void for_each_stream(const Use& use) const {
    for (const StreamEntry& stream : malformed) use(stream);
    for (const StreamEntry& stream : padding) use(stream);
    for (const ColumnEntry& column : columns) {
      for (const StreamEntry& stream : column.streams) use(stream);
    }
  }
  /// Of all streams with their padding.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
};

std::vector<std::uint8_t> write_segment_header(const SegmentHeader& segment, std::uint32_t header_crc);
/// The length of a segment header from its first eight bytes. Errors: corrupt_frame.
Result<std::uint32_t> segment_header_length(std::span<const std::uint8_t> begin, std::uint64_t frame_offset);
/// Reads a whole segment header that lies at `frame_offset`. Errors: corrupt_frame, unsupported_version.
Result<SegmentHeader> parse_segment_header(std::span<const std::uint8_t> bytes, const Header& header,
                                           std::uint32_t header_crc, std::uint64_t frame_offset);

}  // namespace floe::container
