// What two warps share that encode one full chunk, each of them half of it. Each works in a region of its
// own, so that neither overwrites what the other has not read. The payload then lies in two pieces: the first
// warp's, and the second warp's, which begins with the block of 16 bytes in which they meet.
//
// A coder's `Halves` measures each half and leaves a `Share` of what it found; from both shares `join` makes
// the plan of the payload; then `write` writes each half's bytes. In between both warps wait for each other.
#pragma once

#include "core/chunk.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t half_chunk_bytes = core::chunk_bytes / 2;

/// Where the second piece begins in the payload, given where the second half's bytes do.
FLOE_DEVICE std::uint32_t second_piece(std::uint32_t second_half) { return second_half / 16 * 16; }

/// Makes the second piece whole, with the first half's bytes of its first block, and zeros up to the padded
/// size. Called by the second warp when both have written; `pieces` are the regions of both.
template <class Warp>
FLOE_DEVICE void complete_second_piece(Warp& warp, const std::uint8_t* first, std::uint8_t* second,
                                       std::uint32_t second_half, std::uint32_t stored) {
  const std::uint32_t begin = second_piece(second_half), padded = (stored + 15) / 16 * 16;
  if (begin + warp.lane() < second_half) second[warp.lane()] = first[begin + warp.lane()];
  if (stored + warp.lane() < padded) second[stored - begin + warp.lane()] = 0;
  warp.sync();
}

}  // namespace floe::gpu
