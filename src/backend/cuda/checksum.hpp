// The checksum of a chunk's payload on a warp: src/core/chunk_checksum.hpp is the formula.
#pragma once

#include "backend/cuda/device.hpp"
#include "core/chunk_checksum.hpp"

namespace floe::cuda {

/// What the bytes [begin, end) of a payload add to its sum, in lane 0. They lie at `piece`, which is a multiple of 16, as are both ends.
/// `weights` should be in shared memory.
template <class Warp>
FLOE_DEVICE std::uint64_t payload_sum(Warp& warp, const std::uint8_t* piece, std::uint32_t begin, std::uint32_t end,
                                      const core::ChecksumWeights& weights) {
  // A lane always meets the same four of the sixteen words of a row.
  const std::uint32_t* const rows = reinterpret_cast<const std::uint32_t*>(&weights.rows);
  const std::uint64_t* const lanes = reinterpret_cast<const std::uint64_t*>(&weights.lanes) + (begin / 16 + warp.lane()) % 4 * 4;
  std::uint64_t sums[4] = {};
  FLOE_UNROLL_BY(4)
  for (std::uint32_t at = begin + 16 * warp.lane(); at < end; at += 16 * warp_lanes) {
    const auto v = load_aligned<Vector<std::uint32_t>>(piece + (at - begin));
    const std::uint64_t row = rows[at / core::ChecksumWeights::row_bytes];
    FLOE_UNROLL
    for (unsigned i = 0; i < 4; ++i) sums[i] += row * v.word[i];
  }
  std::uint64_t sum = 0;
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) sum += sums[i] * lanes[i];
  FLOE_UNROLL
  for (unsigned distance = 16; distance > 0; distance /= 2) sum += warp.shuffle_down(sum, distance);
  return sum;
}

/// Of a whole payload, in all lanes. `payload` is a multiple of 16, as is `padded_bytes`.
template <class Warp>
FLOE_DEVICE std::uint32_t payload_checksum(Warp& warp, const std::uint8_t* payload, std::uint32_t padded_bytes,
                                           const core::ChecksumWeights& weights) {
  return warp.shuffle(high_half(payload_sum(warp, payload, 0, padded_bytes, weights) + weights.start), 0);
}

}  // namespace floe::cuda
