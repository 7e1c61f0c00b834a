// Where the parts of an array's frame lie. Pure arithmetic that kernels and the host share.
#pragma once

#include <cstdint>

#include "chunks/chunk_table.hpp"
#include "chunks/leaf.hpp"
#include "container/layout.hpp"

namespace floe::gpu {

/// What is the same for all frames of a call.
struct FrameRules {
  std::uint32_t chunks_per_segment = 0;  ///< Chunks of content in all segments but the last.
  std::uint32_t header_bytes = 0;
  bool checksums = true;
};

/// Chunk numbers fit 32 bits: no device has 64 TiB.
inline constexpr std::uint64_t max_device_bytes = std::uint64_t{1} << 45;

FLOE_HD constexpr std::uint32_t padded32(std::uint32_t bytes) { return (bytes + 15) & ~15u; }

/// Of a chunked leaf that is a whole stream: its front and table, behind which the payloads begin.
FLOE_HD constexpr std::uint64_t leaf_header_bytes(std::uint64_t chunk_count, bool checksums) {
  return chunks::front_bytes + chunks::table_bytes(chunk_count, checksums);
}
/// What stands before the payloads of a segment that is such a stream.
FLOE_HD constexpr std::uint64_t segment_header_bytes(std::uint64_t chunk_count, bool checksums) {
  return container::array_segment_header_bytes + leaf_header_bytes(chunk_count, checksums);
}

/// The plan of a stream that is one codec, as it begins its front.
FLOE_HD constexpr std::uint64_t leaf_plan(std::uint8_t codec_id, std::uint32_t dimensionality) {
  return 1 | std::uint64_t{chunks::encoding_id} << 16 | std::uint64_t{codec_id} << 24 |
         std::uint64_t{dimensionality} << 32;
}

/// Where the parts of a table begin, from its start, and where its padding does.
struct TableLayout {
  std::uint64_t checksums, stored_bytes, modes, end;

  FLOE_HD constexpr TableLayout(std::uint64_t chunk_count, bool with_checksums)
      : checksums(8 * (core::divide_up(chunk_count, chunks::chunks_per_group) - 1)),
        stored_bytes(checksums + (with_checksums ? 4 * chunk_count : 0)),
        modes(stored_bytes + 2 * chunk_count),
        end(modes + chunk_count) {}
};

/// One frame of segments without history, as its content's size makes it.
struct FrameGeometry {
  FrameRules rules;
  std::uint64_t content_bytes = 0;

  FLOE_HD constexpr std::uint32_t chunk_count() const {
    return static_cast<std::uint32_t>((content_bytes + core::chunk_bytes - 1) / core::chunk_bytes);
  }
  FLOE_HD constexpr std::uint32_t segment_count() const {
    return (chunk_count() + rules.chunks_per_segment - 1) / rules.chunks_per_segment;
  }
  FLOE_HD constexpr std::uint32_t chunk_bytes(std::uint32_t chunk) const {
    const std::uint64_t rest = content_bytes - std::uint64_t{chunk} * core::chunk_bytes;
    return static_cast<std::uint32_t>(rest < core::chunk_bytes ? rest : core::chunk_bytes);
  }
  FLOE_HD constexpr std::uint32_t segment_chunks(std::uint32_t segment) const {
    const std::uint32_t rest = chunk_count() - segment * rules.chunks_per_segment;
    return rest < rules.chunks_per_segment ? rest : rules.chunks_per_segment;
  }
  /// Where the content of a segment begins.
  FLOE_HD constexpr std::uint64_t segment_begin(std::uint32_t segment) const {
    return std::uint64_t{segment} * rules.chunks_per_segment * core::chunk_bytes;
  }
  FLOE_HD constexpr std::uint64_t segment_bytes(std::uint32_t segment) const {
    const std::uint64_t each = segment_begin(1), rest = content_bytes - segment_begin(segment);
    return rest < each ? rest : each;
  }
  /// Of a codec's segment: what stands before its payloads.
  FLOE_HD constexpr std::uint64_t bytes_before_payloads(std::uint32_t segment) const {
    return segment_header_bytes(segment_chunks(segment), rules.checksums);
  }
  /// Offset of a codec's segment, given the padded bytes of all payloads before it.
  FLOE_HD constexpr std::uint64_t segment_offset(std::uint32_t segment, std::uint64_t payloads_before) const {
    return rules.header_bytes + segment * segment_header_bytes(rules.chunks_per_segment, rules.checksums) +
           payloads_before;
  }
  /// Offset of a chunk's payload, given the padded bytes of all payloads before it.
  FLOE_HD constexpr std::uint64_t payload_offset(std::uint32_t chunk, std::uint64_t payloads_before) const {
    const std::uint32_t segment = chunk / rules.chunks_per_segment;
    return segment_offset(segment, payloads_before) + bytes_before_payloads(segment);
  }
  FLOE_HD constexpr std::uint64_t footer_offset(std::uint64_t payloads) const {
    const std::uint32_t segments = segment_count();
    if (segments == 0) return rules.header_bytes;
    return segment_offset(segments - 1, payloads) + bytes_before_payloads(segments - 1);
  }
  FLOE_HD constexpr std::uint64_t footer_bytes() const { return container::footer_bytes(segment_count()); }
};

}  // namespace floe::gpu
