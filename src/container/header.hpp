// The header of a frame: docs/format/container.md section 2.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "container/layout.hpp"
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

/// The length of a header, from its first fixed_header_bytes bytes. Errors: corrupt_frame (no frame),
/// unsupported_version.
Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes);

/// Reads a whole header, of exactly header_length bytes. Errors: corrupt_frame, unsupported_version.
Result<Header> parse_header(std::span<const std::uint8_t> bytes);

/// The CRC-32C at the end of a part of a frame. That of the header ties the other parts to it.
std::uint32_t crc_of_part(std::span<const std::uint8_t> part) noexcept;

}  // namespace floe::container
