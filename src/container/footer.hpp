// The footer of a frame: docs/format/container.md section 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "container/header.hpp"

namespace floe::container {

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

}  // namespace floe::container
