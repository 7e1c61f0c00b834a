// The parts of a frame: header, segments, which list their streams, and footer. docs/format/container.md
// sections 2 to 4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "container/cell_format.hpp"
#include "container/layout.hpp"
#include "container/value_range.hpp"
#include "floe/floe.hpp"

namespace floe::container {

/// What a header says of a table.
struct TableDescription {
  TableSource source = TableSource::csv;
  char separator = '\0';   ///< Of cells of CSV text; else 0.
  bool crlf = false;       ///< Rows of CSV text end in CR LF.
  bool keeps_text = true;  ///< All cells of CSV text come back as they were written.
  std::uint32_t padding_bytes = 0;
  Schema schema;
};

struct Header {
  Content content = Content::array;
  DType dtype = DType::u8;                                 ///< Of an array.
  std::uint32_t rank = 1;                                  ///< Of an array.
  std::array<std::uint64_t, max_rank - 1> inner_extent{};  ///< rank - 1 of them
  bool checksums = true;
  std::uint64_t max_segment_length = 1;  ///< Elements or rows.
  std::vector<std::uint8_t> prefix;      ///< Of an array; the text before the first row of a table.
  TableDescription table;

  [[nodiscard]] std::size_t column_count() const noexcept {
    return content == Content::table ? table.schema.size() : 1;
  }
};

/// The header's bytes. Precondition: a header that parse_header would return, but for its length.
std::vector<std::uint8_t> write_header(const Header& header);
/// What write_header() makes of the header of an array has so many bytes.
std::uint64_t array_header_bytes(const Header& header) noexcept;

/// The length of a header, from its first fixed_header_bytes bytes. Errors: corrupt_frame (no frame),
/// unsupported_version.
Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes);

/// Reads a whole header, of exactly header_length bytes. Errors: corrupt_frame, unsupported_version.
Result<Header> parse_header(std::span<const std::uint8_t> bytes);

/// The CRC-32C at the end of a part of a frame. That of the header ties the other parts to it.
std::uint32_t crc_of_part(std::span<const std::uint8_t> part) noexcept;

/// Where a segment lies, and what it begins with.
struct IndexEntry {
  std::uint64_t offset = 0;  ///< In the frame.
  std::uint64_t first = 0;   ///< Element or row.
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

struct Footer {
  std::uint64_t outer_size = 0;     ///< Of the outermost dimension; rows of a table.
  std::uint64_t element_count = 0;  ///< Elements, or rows.
  std::uint64_t digest = 0;
  std::vector<IndexEntry> segments;
};

std::vector<std::uint8_t> write_footer(const Footer& footer, std::uint32_t header_crc);

/// The length of a footer of `segment_count` segments, from its first 8 bytes. Errors: corrupt_frame.
Result<std::uint64_t> footer_length_from_start(std::span<const std::uint8_t> first_bytes,
                                               std::uint64_t frame_offset, std::uint64_t segment_count);
/// The length of the footer, from the last footer_end_bytes bytes of a frame of `frame_bytes` bytes. Errors:
/// truncated_frame, corrupt_frame.
Result<std::uint64_t> footer_length(std::span<const std::uint8_t> last_bytes, std::uint64_t frame_bytes);

/// Reads a footer that begins at `frame_offset` and fills `bytes`, and holds it against the header. Errors:
/// corrupt_frame, unsupported_version.
Result<Footer> parse_footer(std::span<const std::uint8_t> bytes, std::uint64_t frame_offset,
                            const Header& header, std::uint32_t header_crc);

/// The shape that header and footer of an array give together.
Extent extent_of(const Header& header, const Footer& footer);

struct StreamEntry {
  DType type = DType::u8;  ///< Of the words.
  std::uint32_t count = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t digest = 0;

  [[nodiscard]] std::uint64_t words_bytes() const noexcept { return count * size_of(type); }
};

/// The column that the numbers of another one are stored as differences from: a number is its word +
/// ⌊number of the base · multiplier / divisor⌋ (docs/format/container.md, section 3.5).
struct BaseColumn {
  std::uint32_t index = 0;
  std::int32_t multiplier = 1;  ///< Not 0.
  std::int32_t divisor = 1;     ///< At least 1.
  friend bool operator==(const BaseColumn&, const BaseColumn&) = default;
};

/// A column of a table. An array is one column of native cells.
struct ColumnEntry {
  CellFormat format;
  ValueRange range;
  std::vector<StreamEntry> streams;
  std::optional<BaseColumn> base = {};
};

/// Whether a column can have a base column, or be one: its first stream has an integer for each row.
bool has_whole_numbers(CellKind kind, DType words) noexcept;

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
