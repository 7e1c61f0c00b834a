// How much memory a block needs to decode. Pure arithmetic.
#pragma once

#include <cstdint>

#include "gpu/warp/block.hpp"

namespace floe::gpu {

/// More blocks than any device has at work.
inline constexpr std::uint64_t max_decode_blocks = 512;
/// Words of a column: 2^20 segments of the longest kind, and none that devices hold has more.
inline constexpr std::uint64_t max_column_words = std::uint64_t{1} << 44;
/// Of counters, at the beginning of a workspace.
inline constexpr std::uint64_t fixed_workspace_bytes = 4096;

/// Segments that are opened ahead of blocks at most.
inline constexpr std::uint64_t max_opened_segments = 1 << 16;

/// Streams of a tree that is decoded: two of words and two of gaps or lengths, all as long as the segment,
/// and the places of the vectors of one. Deeper trees have shorter streams.
constexpr std::uint64_t decode_scratch_bytes(std::uint64_t segment_words, std::uint64_t word_bytes) {
  return (segment_words * (2 * word_bytes + 16) + (segment_words / 1024 + 1) * 24 + (64 << 10) + 255) / 256 *
         256;
}

}  // namespace floe::gpu
