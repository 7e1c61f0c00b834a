// Makes the bytes of a vector of the distances that lanes have, in shared memory.
#pragma once

#include "gpu/pack/pack_registers.hpp"

namespace floe::gpu {

/// Which word of a tile is a lane's k-th?
template <core::Word W>
FLOE_DEVICE std::uint32_t held_index(unsigned lane, unsigned k) {
  if constexpr (sizeof(W) == 8) return 512 * (lane / 16) + lane % 16 + 16 * k;
  return lane + warp_lanes * k;
}
template <core::Word W>
inline constexpr unsigned held_step = sizeof(W) == 8 ? 16 : 32;

/// Puts a field of up to 42 bits at a bit of zeroed shared memory.
template <class Warp>
FLOE_DEVICE void put_field(Warp& warp, std::uint8_t* to, std::uint32_t bit, std::uint64_t field) {
  const unsigned shift = bit % 32;
  std::uint8_t* const at = to + bit / 32 * 4;
  const std::uint64_t low = field << shift;
  if (low_half(low) != 0) warp.shared_or(at, low_half(low));
  if (high_half(low) != 0) warp.shared_or(at + 4, high_half(low));
  const auto rest = static_cast<std::uint32_t>(shift_right(field, 64 - shift));
  if (rest != 0) warp.shared_or(at + 8, rest);
}

/// Where the exceptions of a tile go, behind its packed bytes, to shared memory that is zero.
struct ExceptionsWriter {
  std::uint8_t* out;
  std::uint32_t first_bit;
  unsigned width, upper_bits;

  /// Begins them; by all lanes.
  template <class Warp>
  static FLOE_DEVICE ExceptionsWriter begin(Warp& warp, const Packing& packing, std::uint8_t* out,
                                            std::uint32_t packed_bytes) {
    const unsigned upper_bits = packing.full_width - packing.width;
    const std::uint32_t count = packing.exceptions, count_bytes = varint_bytes(count);
    if (warp.lane() == 0) {
      const std::uint64_t varint = count_bytes == 1 ? count : (count & 0x7F) | 0x80 | count >> 7 << 8;
      put_field(warp, out, 8 * packed_bytes, varint | std::uint64_t{upper_bits} << (8 * count_bytes));
    }
    return {out, 8 * (packed_bytes + count_bytes + 1), packing.width, upper_bits};
  }
  /// Puts the exception number `index`: the word `position` of the tile.
  template <class Warp>
  FLOE_DEVICE void put(Warp& warp, std::uint32_t index, std::uint32_t position,
                       std::uint32_t distance) const {
    put_field(warp, out, first_bit + index * (10 + upper_bits),
              position | std::uint64_t{shift_right(distance, width)} << 10);
  }
};

/// fields[k], where k differs from lane to lane: registers have no addresses.
FLOE_DEVICE std::uint32_t pick_field(const std::uint32_t (&fields)[lane_words], unsigned k) {
  std::uint32_t of_eight[lane_words / 8];
  FLOE_UNROLL
  for (unsigned i = 0; i < lane_words / 8; ++i) {
    const auto pick = [&](unsigned j) { return (k & 1) != 0 ? fields[8 * i + j + 1] : fields[8 * i + j]; };
    const std::uint32_t low = (k & 2) != 0 ? pick(2) : pick(0), high = (k & 2) != 0 ? pick(6) : pick(4);
    of_eight[i] = (k & 4) != 0 ? high : low;
  }
  const std::uint32_t low = (k & 8) != 0 ? of_eight[1] : of_eight[0],
                      high = (k & 8) != 0 ? of_eight[3] : of_eight[2];
  return (k & 16) != 0 ? high : low;
}

/// The exceptions of a full tile. Each lane puts one of its own at a time: one copy of the code.
template <core::Word W, class Warp>
FLOE_DEVICE void put_held_exceptions(Warp& warp, const TileDistances<W>& tile, const Packing& packing,
                                     std::uint8_t* out, std::uint32_t packed_bytes) {
  const ExceptionsWriter to = ExceptionsWriter::begin(warp, packing, out, packed_bytes);
  const std::uint32_t limit = core::low_mask<std::uint32_t>(packing.width);
  std::uint32_t own = 0,
                row = 0;  // which of the lane's words they are, and which lanes' words number `lane` are
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const bool excepts = tile.above[k] > limit;
    const std::uint32_t all = warp.ballot(excepts);
    own |= excepts ? 1u << k : 0;
    row = warp.lane() == k ? all : row;
  }
  // Rows come one behind the other; of 64-bit words, the first half of the tile before the second.
  constexpr std::uint32_t of_half = sizeof(W) == 8 ? 0xFFFF : ~std::uint32_t{0};
  const unsigned half_lane = sizeof(W) == 8 ? warp.lane() & 16 : 0;
  const std::uint32_t in_row = count_bits(row & of_half) | (sizeof(W) == 8 ? count_bits(row >> 16) << 16 : 0);
  const std::uint32_t inclusive = inclusive_scan(warp, in_row), before_row = inclusive - in_row;
  const std::uint32_t of_first_half = warp.shuffle(inclusive, warp_lanes - 1) & of_half,
                      before_half = half_lane == 0 ? 0 : of_first_half;
  const std::uint32_t lanes_before = of_half << half_lane & ((1u << warp.lane()) - 1);
  while (warp.ballot(own != 0) != 0) {
    const unsigned k = own == 0 ? 0 : highest_bit(own);
    const std::uint32_t lanes = warp.shuffle(row, k),
                        before = warp.shuffle(before_row, k) >> half_lane & of_half;
    if (own != 0) {
      to.put(warp, before_half + before + count_bits(lanes & lanes_before), held_index<W>(warp.lane(), k),
             pick_field(tile.above, k));
      own &= ~(1u << k);
    }
  }
}

/// Gives each lane 32 neighbours of a tile, by way of 4 KiB of shared memory.
template <core::Word W, class Warp>
FLOE_DEVICE void take_neighbours(Warp& warp, TileDistances<W>& tile, std::uint8_t* memory) {
  // So that lanes do not meet in a bank, each row of 32 begins one further on.
  const auto at = [&](std::uint32_t row, std::uint32_t column) {
    return memory + 4 * (warp_lanes * row + (column + row) % warp_lanes);
  };
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const std::uint32_t i = held_index<W>(warp.lane(), k);
    store_aligned(at(i / warp_lanes, i % warp_lanes), tile.above[k]);
  }
  warp.sync();
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) tile.above[k] = load_aligned<std::uint32_t>(at(warp.lane(), k));
  warp.sync();
}

/// Packs a tile that is not full, whose fields lie one behind the other. Words behind the last one are 0.
template <core::Word W, class Warp>
FLOE_DEVICE void pack_in_order(Warp& warp, TileDistances<W>& tile, const Packing& packing,
                               std::uint32_t packed_bytes, std::uint32_t bytes, std::uint8_t* out) {
  const unsigned width = packing.width;
  const std::uint32_t limit = core::low_mask<std::uint32_t>(width);
  take_neighbours(warp, tile, out);
  // 32 fields are as many words as one has bits.
  std::uint8_t* to = out + 4 * width * warp.lane();
  std::uint64_t pending = 0;
  unsigned filled = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    pending |= std::uint64_t{tile.above[k] & limit} << filled;
    filled += width;
    if (filled < 32) continue;
    store_aligned(to, low_half(pending));
    to += 4;
    pending >>= 32;
    filled -= 32;
  }
  if (width == packing.full_width) return warp.sync();
  for (std::uint32_t i = warp_lanes * width + warp.lane(); i < (bytes + 3) / 4; i += warp_lanes)
    store_aligned(out + 4 * i, std::uint32_t{0});
  warp.sync();
  const ExceptionsWriter exceptions = ExceptionsWriter::begin(warp, packing, out, packed_bytes);
  std::uint32_t own = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) own += tile.above[k] > limit ? 1 : 0;
  std::uint32_t index = inclusive_scan(warp, own) - own;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    if (tile.above[k] > limit) exceptions.put(warp, index++, lane_words * warp.lane() + k, tile.above[k]);
  }
  warp.sync();
}

/// Packs a tile of `count` words to `out`, a multiple of 16 in shared memory with 4 KiB and 32 bytes. Returns
/// its bytes. Distances do not stay what they are.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t pack_held(Warp& warp, TileDistances<W>& tile, std::uint32_t count,
                                    const Packing& packing, std::uint8_t* out) {
  const bool excepts = packing.width < packing.full_width;
  const std::uint32_t packed = (count * packing.width + 7) / 8,
                      bytes = packed + (excepts ? exceptions_bytes(packing) : 0);
  if (count < tile_words) {
    pack_in_order(warp, tile, packing, packed, bytes, out);
    return bytes;
  }
  if (excepts) {
    for (std::uint32_t i = packed / 4 + warp.lane(); i < (bytes + 3) / 4; i += warp_lanes)
      store_aligned(out + 4 * i, std::uint32_t{0});
    warp.sync();
    put_held_exceptions(warp, tile, packing, out, packed);
    const auto mask = core::low_mask<std::uint32_t>(packing.width);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) tile.above[k] &= mask;
  }
  if (packing.width > 0) put_fields<W>(warp, tile.above, packing.width, out);
  warp.sync();
  return bytes;
}

}  // namespace floe::gpu
