// The numbers of frame format version 1. Normative text: docs/format/frame.md, whose order this file keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::format {

inline constexpr std::uint8_t version = 1;
inline constexpr std::uint8_t log2_chunk_bytes = 14;
static_assert(core::chunk_bytes == std::size_t{1} << log2_chunk_bytes);
inline constexpr std::size_t alignment = 16;  ///< Of segments and payloads, so that devices may copy them in bulk.

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
inline constexpr std::uint32_t largest_fields_bytes = std::uint32_t{1} << 20;  ///< Of a segment head or a footer.

// Header
inline constexpr std::size_t fixed_header_bytes = 28;
inline constexpr std::size_t smallest_header_bytes = 32;
inline constexpr std::size_t largest_header_bytes = std::size_t{2} << 20;
inline constexpr std::uint32_t feature_checksums = 1;
inline constexpr std::uint32_t known_required_features = feature_checksums;
inline constexpr std::uint16_t prefix_tag = 0x0001;
inline constexpr std::uint16_t codec_parameters_tag = 0x8001;
inline constexpr std::size_t largest_prefix_bytes = std::size_t{1} << 20;
inline constexpr std::uint32_t largest_chunks_per_segment = 65536;

// Segment
inline constexpr std::size_t fixed_segment_head_bytes = 48;
inline constexpr std::uint64_t chunks_per_group = 256;
inline constexpr std::uint8_t kind_content = 0;
inline constexpr std::uint8_t kind_history = 1;
inline constexpr std::uint8_t mode_raw = 0;
inline constexpr std::uint8_t mode_coded = 1;

// Footer
inline constexpr std::size_t fixed_footer_bytes = 56;
inline constexpr std::size_t footer_end_bytes = 16;  ///< Enough of the end to find the start.

inline constexpr std::uint64_t largest_content_bytes = ~std::uint64_t{0} >> 1;

constexpr std::uint64_t padded(std::uint64_t bytes) { return core::align_up(bytes, alignment); }

constexpr std::uint64_t segment_head_bytes(std::uint64_t chunk_count, bool checksums, std::uint64_t fields_bytes = 0) {
  const std::uint64_t groups = core::divide_up(chunk_count, chunks_per_group);
  return padded(fixed_segment_head_bytes + 8 * (groups - 1) + fields_bytes + (checksums ? 7 : 3) * chunk_count + 4);
}

}  // namespace floe::format
