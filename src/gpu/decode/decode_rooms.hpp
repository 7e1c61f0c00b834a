// How much memory decoding needs, and how segments that are opened ahead and blocks share it.
#pragma once

#include <algorithm>
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

/// Streams of a tree that is decoded: two of words, two of gaps, and entries of vectors. Others are shorter.
constexpr std::uint64_t decode_scratch_bytes(std::uint64_t segment_words, std::uint64_t word_bytes) {
  return (segment_words * (2 * word_bytes + 16) + (segment_words / 1024 + 1) * 24 + (64 << 10) + 255) / 256 *
         256;
}

/// What lies in a workspace begins at multiples of that.
inline constexpr std::uint64_t room_unit = 256;

struct DecodeRooms {
  std::uint32_t opened_count = 0, block_count = 0;
  std::uint64_t opened_bytes = 0;  ///< Of all segments that are opened ahead; then come blocks.
  std::uint64_t block_bytes = 0;   ///< Of each block.
};

/// Enough for all segments to be opened ahead, and for all blocks that there can be.
constexpr std::uint64_t decode_room(std::uint64_t segments, std::uint64_t min_block_bytes,
                                    std::uint64_t opened_bytes) {
  const std::uint64_t opened = std::min<std::uint64_t>(segments, max_opened_segments) * opened_bytes;
  return (opened + room_unit - 1) / room_unit * room_unit +
         std::min<std::uint64_t>(segments, max_decode_blocks) * min_block_bytes;
}

/// Of `room` bytes, with room for one block at least. What blocks leave is for segments that are opened
/// ahead, of `opened_bytes` each; where there is not enough for both, a quarter. `opened_bytes` is 0 where
/// nothing is opened ahead, `min_block_bytes` where blocks need nothing.
constexpr DecodeRooms decode_rooms(std::uint64_t room, std::uint64_t segments, std::uint64_t wanted_blocks,
                                   std::uint64_t min_block_bytes, std::uint64_t opened_bytes) {
  DecodeRooms rooms;
  if (opened_bytes > 0) {
    const std::uint64_t behind_blocks = room - std::min(room, wanted_blocks * min_block_bytes),
                        for_opened = std::min(room - std::min(room, min_block_bytes),
                                              std::max(behind_blocks, room / 4)) /
                                     room_unit * room_unit;
    rooms.opened_count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({segments, std::uint64_t{max_opened_segments}, for_opened / opened_bytes}));
    rooms.opened_bytes = (rooms.opened_count * opened_bytes + room_unit - 1) / room_unit * room_unit;
  }
  room -= rooms.opened_bytes;
  if (min_block_bytes > 0)
    rooms.block_count = static_cast<std::uint32_t>(std::min(wanted_blocks, room / min_block_bytes));
  if (rooms.block_count > 0) rooms.block_bytes = room / rooms.block_count / room_unit * room_unit;
  return rooms;
}

}  // namespace floe::gpu
