// Layout of a warp's part of shared memory for DPratio's chunks.
#pragma once

#include <cstdint>

#include "core/chunk.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

/// Chunks of delta, zig-zag and two drop_tops stages (docs/format/stages/drop_tops.md). A buffer holds what
/// the first stage makes of the words, then counts or a bitmap with its levels.
struct TopsLayout {
  using Word = std::uint64_t;
  static constexpr unsigned max_warps = 13;
  static constexpr std::uint32_t bitmap_bytes = 256;
  static constexpr std::uint32_t scratch_bytes = 512;
  static constexpr std::uint32_t trailer_bytes = 3;

  /// What the first stage made, and what reads and zeroes of whole vectors touch behind it.
  static constexpr std::uint32_t words_bytes = core::chunk_bytes + 32;
  static constexpr unsigned lengths = 65;
  static constexpr std::uint32_t counts_bytes =
      lengths * warp_lanes;  ///< A byte per length and lane; afterwards bitmap and scratch.
  static constexpr std::uint32_t encode_bytes = words_bytes + counts_bytes;
  static constexpr std::uint32_t decode_bytes = words_bytes + bitmap_bytes + scratch_bytes;
  static_assert(counts_bytes >= bitmap_bytes + scratch_bytes && counts_bytes % 16 == 0);

  static constexpr unsigned batch = 4;  ///< Rows of 32 words that are worked on side by side.

  static FLOE_DEVICE std::uint32_t lanes_below(std::uint32_t lanes, unsigned lane) {
    return count_bits(lanes & ((1u << lane) - 1));
  }
  static FLOE_DEVICE std::uint8_t* bitmap_of(std::uint8_t* buffer) { return buffer + words_bytes; }
  static FLOE_DEVICE std::uint8_t* scratch_of(std::uint8_t* buffer) {
    return buffer + words_bytes + bitmap_bytes;
  }
};

}  // namespace floe::gpu
