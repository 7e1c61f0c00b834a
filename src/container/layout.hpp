// The numbers of format version 1. Normative text: docs/format/container.md, whose order this file keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::container {

inline constexpr std::uint8_t version = 1;
inline constexpr std::size_t alignment =
    16;  ///< Of parts and streams, so that devices may copy them in bulk.

/// A magic number as it reads in a hex dump.
constexpr std::uint32_t magic(const char (&text)[5]) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<std::uint8_t>(text[i]);
  return number;
}
inline constexpr std::uint32_t header_magic = magic("FLOE");
inline constexpr std::uint32_t segment_magic = magic("FSEG");
inline constexpr std::uint32_t footer_magic = magic("FEND");
inline constexpr std::uint32_t end_magic = magic("EOLF");

// Fields
inline constexpr std::uint16_t first_required_tag = 0x8000;
inline constexpr std::size_t field_header_bytes = 8;
inline constexpr std::uint32_t max_fields_bytes = std::uint32_t{1}
                                                  << 20;  ///< Of a segment header or a footer.

// Header
inline constexpr std::size_t fixed_header_bytes = 24, min_header_bytes = 32;
namespace header_at {  // offsets
inline constexpr std::size_t version = 4, content = 5, dtype = 6, rank = 7, required_features = 8,
                             segment_length = 16, header_bytes = 20;
}
inline constexpr std::size_t max_header_bytes = std::size_t{64} << 20;
inline constexpr std::uint32_t feature_checksums = 1;
inline constexpr std::uint32_t known_required_features = feature_checksums;
inline constexpr std::uint16_t prefix_tag = 0x0001, table_tag = 0x8001, base_columns_tag = 0x8001;
inline constexpr std::size_t max_prefix_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t max_segment_bytes = std::uint64_t{1} << 30;  ///< Of an array.
inline constexpr std::uint32_t max_segment_rows = std::uint32_t{1} << 20;   ///< Of a table.
inline constexpr std::uint32_t max_columns = std::uint32_t{1} << 16, max_name_bytes = std::uint32_t{1} << 16;
inline constexpr std::uint32_t max_padding_bytes = std::uint32_t{1} << 20;

// Segment
inline constexpr std::size_t fixed_segment_bytes = 48, column_entry_bytes = 32, stream_entry_bytes = 24;
inline constexpr std::size_t min_segment_header_bytes = 64;
namespace segment_at {
inline constexpr std::size_t header_bytes = 4, index = 8, first = 16, count = 24, flags = 28, header_crc = 32,
                             stream_count = 36, column_count = 40, fields_bytes = 44;
}
namespace column_at {
inline constexpr std::size_t range_kind = 13, range_min = 16, range_max = 24;
}
namespace stream_at {
inline constexpr std::size_t count = 4, stored_bytes = 8, digest = 16;
}
inline constexpr std::uint64_t max_segment_header_bytes = std::uint64_t{64} << 20;
/// The header of a segment of an array, without fields; the entry of its only stream there.
inline constexpr std::size_t array_segment_header_bytes = 112;
inline constexpr std::size_t array_stream_at = fixed_segment_bytes + column_entry_bytes;

// Footer
inline constexpr std::size_t fixed_footer_bytes = 48, index_entry_bytes = 16;
namespace footer_at {
inline constexpr std::size_t fields_bytes = 4, header_crc = 8, reserved = 12, outer_size = 16, digest = 24,
                             index = 32;
}
inline constexpr std::size_t footer_end_bytes = 16;  ///< Enough of the end to find the start.

inline constexpr std::uint64_t max_content_bytes = ~std::uint64_t{0} >> 1;

constexpr std::uint64_t padded(std::uint64_t bytes) { return core::align_up(bytes, alignment); }
constexpr std::uint64_t footer_bytes(std::uint64_t segment_count, std::uint64_t fields_bytes = 0) {
  return fixed_footer_bytes + index_entry_bytes * segment_count + fields_bytes;
}

}  // namespace floe::container
