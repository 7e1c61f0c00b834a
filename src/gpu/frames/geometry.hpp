// Where do the parts of a frame lie? Pure arithmetic that kernels and the host share.
#pragma once

#include <cstdint>

#include "container/layout.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"

namespace floe::cuda {

/// What is the same for all frames of a call.
struct FrameRules {
  std::uint32_t chunks_per_segment = 0;
  std::uint32_t header_bytes = 0;
  bool checksums = true;
};

/// Chunk numbers fit 32 bits: no device has 64 TiB.
inline constexpr std::uint64_t largest_device_bytes = std::uint64_t{1} << 45;

FLOE_HD constexpr std::uint32_t padded32(std::uint32_t bytes) { return (bytes + 15) & ~15u; }

FLOE_HD constexpr std::uint64_t head_bytes_of(std::uint64_t chunk_count, bool checksums,
                                              std::uint64_t fields_bytes = 0) {
  const std::uint64_t groups = (chunk_count + format::chunks_per_group - 1) / format::chunks_per_group;
  return (format::fixed_segment_head_bytes + 8 * (groups - 1) + fields_bytes +
          (checksums ? 7 : 3) * chunk_count + 4 + 15) &
         ~std::uint64_t{15};
}

/// Where the parts of a segment head's table begin, from the start of the head.
struct HeadLayout {
  std::uint64_t fields, checksums, stored_bytes, modes, end;

  FLOE_HD constexpr HeadLayout(std::uint64_t chunk_count, bool with_checksums, std::uint64_t fields_bytes = 0)
      : fields(format::fixed_segment_head_bytes +
               8 * ((chunk_count + format::chunks_per_group - 1) / format::chunks_per_group - 1)),
        checksums(fields + fields_bytes),
        stored_bytes(checksums + (with_checksums ? 4 * chunk_count : 0)),
        modes(stored_bytes + 2 * chunk_count),
        end(modes + chunk_count) {}
};

/// One frame whose segments all have kind 0, as its content's size makes it.
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
  FLOE_HD constexpr std::uint64_t segment_bytes(std::uint32_t segment) const {
    const std::uint64_t each = std::uint64_t{rules.chunks_per_segment} * core::chunk_bytes,
                        rest = content_bytes - segment * each;
    return rest < each ? rest : each;
  }
  FLOE_HD constexpr std::uint64_t segment_head_bytes(std::uint32_t segment) const {
    return head_bytes_of(segment_chunks(segment), rules.checksums);
  }
  /// Offset of a segment, given the padded bytes of all payloads before it.
  FLOE_HD constexpr std::uint64_t segment_offset(std::uint32_t segment, std::uint64_t payloads_before) const {
    return rules.header_bytes + segment * head_bytes_of(rules.chunks_per_segment, rules.checksums) +
           payloads_before;
  }
  /// Offset of a chunk's payload, given the padded bytes of all payloads before it.
  FLOE_HD constexpr std::uint64_t payload_offset(std::uint32_t chunk, std::uint64_t payloads_before) const {
    const std::uint32_t segment = chunk / rules.chunks_per_segment;
    return segment_offset(segment, payloads_before) + segment_head_bytes(segment);
  }
  FLOE_HD constexpr std::uint64_t footer_offset(std::uint64_t payloads) const {
    const std::uint32_t segments = segment_count();
    if (segments == 0) return rules.header_bytes;
    return segment_offset(segments - 1, payloads) + segment_head_bytes(segments - 1);
  }
  FLOE_HD constexpr std::uint64_t footer_bytes() const {
    return format::fixed_footer_bytes + 8 * std::uint64_t{segment_count()};
  }
};

}  // namespace floe::cuda
