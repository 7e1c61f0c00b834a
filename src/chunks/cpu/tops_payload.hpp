// The payload of DropTopsShape on the 64-bit words of a chunk, as kernels take it apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "chunks/cpu/chunk_levels.hpp"
#include "core/chunk.hpp"

namespace floe::cpu {

inline constexpr std::size_t packed_subchunk_bytes =
    core::chunk_bytes / core::subchunks_per_chunk;   ///< At full width.
inline constexpr std::size_t tops_bitmap_level = 1;  ///< Its size is that of level 1 of a bitmap of bytes.
inline constexpr std::size_t largest_tops_levels_bytes = 256 + 32 + 4;  ///< Of the bitmap's levels.
inline constexpr std::size_t tops_trailer_bytes = 3;
/// A payload that fits a chunk before its levels are added, and the levels.
inline constexpr std::size_t largest_tops_bytes =
    core::chunk_bytes + largest_tops_levels_bytes + 8 + tops_trailer_bytes;
/// What stores and loads may touch behind a payload or its words: a packed sub-chunk and a vector.
inline constexpr std::size_t tops_slack_bytes = packed_subchunk_bytes + 128;

/// A payload taken apart.
struct TopsPayload {
  std::size_t bytes;  ///< Of the words and the tail.
  unsigned keep;      ///< As KeepChoice has it.
  std::size_t words;
  const std::uint8_t* tail;  ///< The bytes after the words.
  Levels levels;  ///< The bitmap of full words. It and the lows are there if keep is a number of bits.
  alignas(64) std::uint8_t lows[core::chunk_bytes + packed_subchunk_bytes];
};

/// Whether a bit at or after `first` is set.
inline bool any_bit_from(const std::uint8_t* bitmap, std::size_t bytes, std::size_t first) {
  if (first >= 8 * bytes) return false;
  return bitmap[first / 8] >> (first % 8) != 0 ||
         std::any_of(bitmap + first / 8 + 1, bitmap + bytes, [](std::uint8_t b) { return b != 0; });
}

}  // namespace floe::cpu
