// The footer of a frame: docs/format/frame.md section 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "floe/error.hpp"
#include "container/header.hpp"

namespace floe::format {

struct Footer {
  std::uint64_t outer_size = 0;
  std::uint64_t element_count = 0;
  std::uint64_t digest = 0;
  std::vector<std::uint64_t> segment_offsets;
};

constexpr std::uint64_t footer_bytes(std::uint64_t segment_count, std::uint64_t fields_bytes = 0) {
  return fixed_footer_bytes + 8 * segment_count + fields_bytes;
}

/// The length of a footer of `segment_count` segments, from its first 8 bytes. Errors: corrupt_frame.
Result<std::uint64_t> footer_length_from_start(std::span<const std::uint8_t> first_bytes, std::uint64_t frame_offset,
                                               std::uint64_t segment_count);

std::vector<std::uint8_t> write_footer(const Footer& footer);

/// The length of the footer, from the last footer_end_bytes bytes of a frame of `frame_bytes` bytes. Errors: truncated_frame,
/// corrupt_frame.
Result<std::uint64_t> footer_length(std::span<const std::uint8_t> last_bytes, std::uint64_t frame_bytes);

/// Reads a footer that begins at `frame_offset` and fills `bytes`, and holds it against the header. Errors: corrupt_frame,
/// unsupported_version.
Result<Footer> parse_footer(std::span<const std::uint8_t> bytes, std::uint64_t frame_offset, const Header& header);

/// The shape that header and footer give together.
Extent extent_of(const Header& header, const Footer& footer);

}  // namespace floe::format
