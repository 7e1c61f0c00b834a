// Decodes a vector of codes whose words lie in a dictionary, with a warp. As any vector without a delta; the
// dictionary lies in shared memory, where lanes reach words at random fast.
#pragma once

#include "gpu/unpack/unpack_tile.hpp"

namespace floe::gpu {

/// Room in a tile for the packed bytes of a vector of codes, as tile_half; and the tile, of two of them, in
/// which codes fit, too.
inline constexpr std::uint32_t codes_half = 16 + 16 * 128 + 128 + 112, codes_tile_bytes = 2 * codes_half;
static_assert(codes_half % 16 == 0 && codes_tile_bytes - 128 >= 16 * 136 + 128, "see unpack_vector");

/// What a warp has in shared memory.
struct alignas(16) CodesMemory {
  static constexpr std::uint32_t half = codes_half;
  UnpackChain chain;
  VectorPlace place;
  alignas(16) std::uint8_t tile[codes_tile_bytes + 16];
};

/// Decodes vector `tile`; `table` is the dictionary, at a multiple of 16. False to all if the codes are
/// damaged.
template <core::Word W, class Worker>
FLOE_DEVICE bool unpack_codes_as(Worker& worker, std::uint32_t tile, const std::uint8_t* table) {
  const UnpackChain& chain = worker.memory().chain;
  StoreArguments to(chain.out, 1);
  to.table = table;
  to.table_count = chain.table_count;
  const std::uint32_t left = chain.count - tile * tile_words;
  return unpack_rows<std::uint16_t, StoreLookUp<W>>(worker, tile, left < tile_words ? left : tile_words, to);
}

template <class Worker>
FLOE_DEVICE bool unpack_codes(Worker& worker, std::uint32_t tile, const std::uint8_t* table) {
  if (worker.memory().chain.out_bytes == 8) return unpack_codes_as<std::uint64_t>(worker, tile, table);
  return unpack_codes_as<std::uint32_t>(worker, tile, table);
}

}  // namespace floe::gpu
