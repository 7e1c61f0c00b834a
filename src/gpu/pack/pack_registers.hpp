// Looks at a full tile of words of 32 or 64 bits with a warp, and packs it, in registers. Each lane has 32
// words: those of a column of the interleaved layout, or of half a column of 64-bit words. Of these only the
// lower half of the distances counts, as long as all of them are near each other.
#pragma once

#include "gpu/encode/encode_vector.hpp"

namespace floe::gpu {

/// Of a tile, for each lane.
inline constexpr unsigned lane_words = tile_words / warp_lanes;
/// Distances up to that fit into a register.
inline constexpr unsigned max_field_bits = 32;

/// How far the words of a tile are above its least one.
template <core::Word W>
struct TileDistances {
  W base = 0;
  std::uint32_t max = 0;
  std::uint32_t above[lane_words];
};

/// Makes distances from the least of what lanes have in `above`; returns that one.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t subtract_min(Warp& warp, TileDistances<W>& tile) {
  std::uint32_t min = tile.above[0], max = tile.above[0];
  FLOE_UNROLL
  for (unsigned k = 1; k < lane_words; ++k) {
    min = tile.above[k] < min ? tile.above[k] : min;
    max = tile.above[k] > max ? tile.above[k] : max;
  }
  min = ~warp.reduce_max(~min);
  tile.max = warp.reduce_max(max) - min;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) tile.above[k] -= min;
  return min;
}

/// Words are in order after the XOR with `flip`. False if a distance does not fit.
template <class Warp, class Words>
FLOE_DEVICE bool find_distances(Warp& warp, const Words& words, std::uint32_t flip,
                                TileDistances<std::uint32_t>& out) {
  words.take_lane(warp.lane(), [&](unsigned k, std::uint32_t word) { out.above[k] = word ^ flip; });
  out.base = subtract_min(warp, out) ^ flip;
  return true;
}

/// The same of longer words, by way of distances from 2^31 below the first one.
template <class Warp, class Words>
FLOE_DEVICE bool find_distances(Warp& warp, const Words& words, std::uint64_t flip,
                                TileDistances<std::uint64_t>& out) {
  const std::uint64_t first = words.word(0), from = first - (std::uint64_t{1} << 31);
  std::uint32_t upper = 0;
  words.take_lane(warp.lane(), [&](unsigned k, std::uint64_t word) {
    const std::uint64_t distance = word - from;
    upper |= static_cast<std::uint32_t>(distance >> 32);
    out.above[k] = static_cast<std::uint32_t>(distance);
  });
  if (warp.reduce_or(upper) != 0) return false;
  out.base = from + subtract_min(warp, out);
  // Not where the order of the words begins again between the least and the greatest.
  const std::uint64_t in_order = first ^ flip;
  return (out.base ^ flip) <= in_order && in_order <= ((out.base + out.max) ^ flip);
}

/// The width that suits a tile of `count` words best. Those behind them are 0.
template <core::Word W, class Warp>
FLOE_DEVICE Packing choose_packing(Warp& warp, const TileDistances<W>& tile,
                                   std::uint32_t count = tile_words) {
  const unsigned full_width = core::bit_length(tile.max);
  if (full_width == 0) return {};
  std::uint32_t lengths[8];
  FLOE_UNROLL
  for (unsigned i = 0; i < 8; ++i) {
    lengths[i] = 0x01010101u;
    FLOE_UNROLL
    for (unsigned j = 0; j < 4; ++j) lengths[i] += highest_bit(tile.above[4 * i + j]) << (8 * j);
  }
  return narrowest_packing(warp, count, full_width, lengths);
}

/// Calls work() with the width as a type, between `min` and `max`.
template <unsigned min, unsigned max, class Work>
FLOE_DEVICE void with_width(unsigned width, const Work& work) {
  if constexpr (min == max) {
    work.template operator()<min>();
  } else {
    constexpr unsigned middle = (min + max) / 2;
    if (width <= middle) return with_width<min, middle>(width, work);
    with_width<middle + 1, max>(width, work);
  }
}

/// A lane's fields of up to `width` bits as `width` words: calls emit(index, word) for each.
template <unsigned width, class Emit>
FLOE_DEVICE void join_fields(const std::uint32_t (&fields)[lane_words], const Emit& emit) {
  std::uint32_t pending = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const unsigned filled = k * width % 32, index = k * width / 32;
    pending += fields[k] << filled;  // an addition is one instruction with the shift
    if (filled + width >= 32) {
      emit(index, pending);
      pending = filled + width == 32 ? 0 : fields[k] >> (32 - filled) % 32;
    }
  }
}

/// The interleaved layout of a full tile, of fields of `width` bits, 1 to 32.
template <core::Word W, class Warp>
FLOE_DEVICE void put_fields(Warp& warp, const std::uint32_t (&fields)[lane_words], unsigned width,
                            std::uint8_t* out) {
  with_width<1, max_field_bits>(width, [&]<unsigned bits>() {
    if constexpr (sizeof(W) == 8) {
      // The second half of a column begins inside a word if an odd number of pieces is before it.
      const unsigned half = warp.lane() / 16, column = warp.lane() % 16;
      std::uint8_t* const even = out + 8 * column + half * (bits / 2 * 128 + bits % 2 * 4);
      std::uint8_t* const odd =
          out + 8 * column + (half == 0 ? 4 : (bits + 1) / 2 * 128 + (bits + 1) % 2 * 4);
      join_fields<bits>(fields, [&](unsigned i, std::uint32_t word) {
        store_aligned((i % 2 == 0 ? even : odd) + i / 2 * 128, word);
      });
    } else {
      join_fields<bits>(fields, [&](unsigned i, std::uint32_t word) {
        store_aligned(out + 4 * warp.lane() + 128 * i, word);
      });
    }
  });
}

}  // namespace floe::gpu
