// The digest of a stream that is no codec: chunks::digest_of_bytes, by a block.
#pragma once

#include "chunks/chunk_table.hpp"
#include "core/digest.hpp"
#include "gpu/frames/geometry.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/checksum.hpp"

namespace floe::gpu {

/// Of bytes at a multiple of 16, which are followed by their padding. To all threads.
template <class Block>
FLOE_DEVICE std::uint64_t stream_digest(Block& block, const std::uint8_t* stream, std::uint64_t bytes,
                                        bool checksums) {
  std::uint64_t digest = 0;
  const std::uint64_t pieces = core::divide_up(bytes, core::chunk_bytes);
  for (std::uint64_t piece = block.warp_index(); piece < pieces; piece += block.warp_count()) {
    const std::uint64_t at = piece * core::chunk_bytes, left = bytes - at;
    const auto stored = static_cast<std::uint32_t>(left < core::chunk_bytes ? left : core::chunk_bytes);
    const std::uint32_t checksum =
        checksums ? payload_checksum(block.warp(), stream + at, padded32(stored), checksum_tables) : 0;
    if (block.warp().lane() == 0)
      digest += core::digest_term(piece, checksum, static_cast<std::uint16_t>(stored), chunks::mode_raw);
  }
  return block_scan(block, block.memory().warp_totals, digest).total;
}

}  // namespace floe::gpu
