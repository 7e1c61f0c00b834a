// Header, segment heads and footer of a table: docs/format/series/table.md. Which bytes stand where, and are they intact?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "floe/series.hpp"
#include "core/type.hpp"
#include "rows/csv/cell_index.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::tables {

inline constexpr std::uint32_t header_magic = 0x42544C46;   // "FLTB"
inline constexpr std::uint32_t segment_magic = 0x47535446;  // "FTSG"
inline constexpr std::uint32_t footer_magic = 0x444E5446;   // "FTND"
inline constexpr std::uint32_t end_magic = 0x444E4554;      // "TEND"

inline constexpr std::uint32_t most_segment_rows = std::uint32_t{1} << 20;
inline constexpr std::uint32_t most_columns = std::uint32_t{1} << 16;
inline constexpr std::uint32_t most_name_bytes = std::uint32_t{1} << 16;
inline constexpr std::uint32_t most_preamble_bytes = std::uint32_t{1} << 20;
inline constexpr std::uint64_t most_header_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t most_segment_head_bytes = std::uint64_t{64} << 20;

inline constexpr std::size_t fixed_header_bytes = 32, fixed_segment_head_bytes = 56, fixed_footer_bytes = 48;

struct TableHeader {
  TableSource source = TableSource::csv;
  Dialect dialect;
  bool keeps_text = true;
  std::uint32_t padding_bytes = 0;
  Schema schema;
  std::string preamble;
};

/// Errors of all readers: corrupt_frame, unsupported_version.
std::vector<std::uint8_t> write_header(const TableHeader& header);
/// The length of a header from its first fixed_header_bytes.
Result<std::uint32_t> header_length(std::span<const std::uint8_t> begin);
Result<TableHeader> read_header(std::span<const std::uint8_t> bytes);
/// The last four bytes of a header, which tie segments and footer to it.
std::uint32_t checksum_of(std::span<const std::uint8_t> part);

/// What a head says of a stream.
struct StreamEntry {
  DType type = DType::u8;
  std::uint32_t checksum = 0;  ///< CRC-32C of the stored bytes
  std::uint64_t count = 0;
  std::uint64_t stored_bytes = 0;
};

struct ColumnEntry {
  Writing writing;
  ValueRange range;
  std::vector<StreamEntry> streams;
};

struct SegmentHead {
  std::uint64_t index = 0;
  std::uint64_t first_row = 0;
  std::uint32_t row_count = 0;
  bool lacks_last_line_end = false;
  std::vector<StreamEntry> strays;   ///< Rows before them, lengths, bytes; or none.
  std::vector<StreamEntry> padding;  ///< The bytes behind the records; none if all are zero.
  std::vector<ColumnEntry> columns;

  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
};

std::vector<std::uint8_t> write_segment_head(const SegmentHead& head, std::uint32_t header_checksum);
/// The length of a head from its first eight bytes.
Result<std::uint32_t> segment_head_length(std::span<const std::uint8_t> begin);
Result<SegmentHead> read_segment_head(std::span<const std::uint8_t> bytes, const TableHeader& header, std::uint32_t header_checksum);

struct SegmentPlace {
  std::uint64_t offset = 0;
  std::uint64_t first_row = 0;
};

struct TableFooter {
  std::uint64_t row_count = 0;
  std::vector<SegmentPlace> segments;
};

std::vector<std::uint8_t> write_footer(const TableFooter& footer, std::uint32_t header_checksum);
/// The length of a footer from the last 16 bytes of a table.
Result<std::uint64_t> footer_length(std::span<const std::uint8_t> end);
Result<TableFooter> read_footer(std::span<const std::uint8_t> bytes, std::uint32_t header_checksum);

}  // namespace floe::tables
