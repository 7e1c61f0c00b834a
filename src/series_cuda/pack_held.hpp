// How does a warp look at a tile and pack it, when its words are read once and stay in registers in between? Each lane has 32 words, of a
// column of the interleaved layout or of half a column of 64-bit words, and packs how far they are above the least one: 32 bits.
#pragma once

#include "series_cuda/copy_slot.hpp"
#include "series_cuda/pack_vector.hpp"

namespace floe::series_cuda {

/// Which word of a tile is a lane's k-th?
template <core::Word W>
FLOE_DEVICE std::uint32_t held_place(unsigned lane, unsigned k) {
  if constexpr (sizeof(W) == 8) return 512 * (lane / 16) + lane % 16 + 16 * k;
  return lane + warp_lanes * k;
}
template <core::Word W>
inline constexpr unsigned held_step = sizeof(W) == 8 ? 16 : 32;

/// Shared memory of a warp that packs like that. Words of 32 bits are always near each other, so that no list is made of those that are
/// not: a tile and the words behind it that differences need, or packed bytes, are all that lies there.
template <core::Word W>
inline constexpr std::uint32_t held_slot_bytes = sizeof(W) == 8 ? pack_slot_bytes(sizeof(W))
                                                                : slot_head + (packed_words + 2 * most_delta_stride) * sizeof(W) + 16;

/// Words as they lie in memory, and the one behind the tile that the lane keeps for differences.
template <class Map>
struct HeldWords {
  typename Map::From word[lane_words], beyond;
};

/// Reads the words of a tile; what is behind the end of the segment becomes the segment's last word. The tile has at least one.
template <class Map, class Warp>
FLOE_DEVICE void read_held(Warp& warp, const TileOfSegment<Map>& at, HeldWords<Map>& held) {
  using W = typename Map::W;
  using From = typename Map::From;
  const std::uint32_t first = at.tile * packed_words, there = at.words - first, lane = warp.lane();
  const std::uint8_t* const from = at.segment_start() + std::uint64_t{first} * sizeof(From);
  if (there >= packed_words) {
    const std::uint8_t* const own = from + held_place<W>(lane, 0) * sizeof(From);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) held.word[k] = load_global<From>(own + k * held_step<W> * sizeof(From));
  } else {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      const std::uint32_t i = held_place<W>(lane, k);
      held.word[k] = load_global<From>(from + (i < there ? i : there - 1) * sizeof(From));
    }
  }
  const std::uint32_t i = packed_words + lane;
  held.beyond = held.word[0];
  if (lane < at.lost() && i < there) held.beyond = load_global<From>(from + i * sizeof(From));
}

/// Calls visit(k, difference) for the words of a full tile. Lanes hear each other's words; those behind the tile, up to one per lane, come
/// last.
template <unsigned order, class Warp, core::Word W, class Visit>
FLOE_DEVICE void subtract_held(Warp& warp, const W (&word)[lane_words + 1], std::uint32_t stride, const Visit& visit) {
  const auto word_behind = [&](unsigned k, std::uint32_t distance) {
    return warp.shuffle(warp.lane() < distance ? word[k + 1] : word[k], (warp.lane() + distance) % warp_lanes);
  };
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const W next = word_behind(k, stride);
    if constexpr (order == 1) {
      visit(k, static_cast<W>(next - word[k]));
    } else {
      visit(k, static_cast<W>(static_cast<W>(word_behind(k, 2 * stride) - next) - static_cast<W>(next - word[k])));
    }
  }
}

/// The words of a chain of a tile, after `visit(k, word)` for each of the lane's. Differences are taken from lane to lane where that is
/// faster: of words of 32 bits as they are, which begin with no more words than there are lanes. Otherwise they are taken in the slot.
/// Those behind the last of `count` words are some word of the tile. False if a word does not map.
template <class Map, unsigned order, class Warp, class Visit>
FLOE_DEVICE bool visit_held(Warp& warp, const TileOfSegment<Map>& at, const HeldWords<Map>& held, std::uint32_t count, std::uint8_t* slot,
                            const Visit& visit) {
  using W = typename Map::W;
  using From = typename Map::From;
  const double power = at.column->power, reciprocal = at.reciprocal;
  bool good = true;
  const auto map = [&](From word) {
    bool is_good = true;
    const W mapped = Map::map(word, power, reciprocal, is_good);
    good = good && is_good;
    return mapped;
  };
  if constexpr (order == 0) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) visit(k, map(held.word[k]));
  } else {
    const std::uint32_t lost = at.lost(), stride = at.column->stride, there = at.words - at.tile * packed_words;
    if constexpr (std::is_same_v<Map, MapSame<std::uint32_t>>) {
      if (count == packed_words && lost <= warp_lanes) {
        W word[lane_words + 1];
        FLOE_UNROLL
        for (unsigned k = 0; k < lane_words; ++k) word[k] = held.word[k];
        word[lane_words] = held.beyond;
        subtract_held<order>(warp, word, stride, visit);
        return true;
      }
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) store_word(slot, held_place<W>(warp.lane(), k), map(held.word[k]));
    if (warp.lane() < lost) store_word(slot, packed_words + warp.lane(), map(held.beyond));
    const std::uint8_t* const beyond = at.segment_start() + std::uint64_t{at.tile + 1} * packed_words * sizeof(From);
    for (std::uint32_t i = warp_lanes + warp.lane(); i < lost && packed_words + i < there; i += warp_lanes)
      store_word(slot, packed_words + i, map(load_global<From>(beyond + i * sizeof(From))));
    warp.sync();
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      std::uint32_t i = held_place<W>(warp.lane(), k);
      if (count < packed_words && i >= count) i = 0;
      const W here = tile_word<W>(slot, i), next = tile_word<W>(slot, i + stride);
      if constexpr (order == 1) {
        visit(k, static_cast<W>(next - here));
      } else {
        visit(k, static_cast<W>(static_cast<W>(tile_word<W>(slot, i + 2 * stride) - next) - static_cast<W>(next - here)));
      }
    }
    warp.sync();
  }
  return good;
}

/// What becomes of a tile that was looked at.
struct HeldOutcome {
  bool is_good = true;  ///< All words map.
  bool is_near = true;  ///< All words are so near each other that 32 bits are enough. Otherwise nothing is known.
};

/// Makes distances of the words of a tile.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE HeldOutcome find_held_distances(Warp& warp, const TileOfSegment<Map>& at, const HeldWords<Map>& held, std::uint32_t count,
                                            std::uint8_t* slot, TileDistances<typename Map::W>& out) {
  using W = typename Map::W;
  const W flip = at.is_signed() ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
  HeldOutcome outcome;
  if constexpr (sizeof(W) == 4) {
    outcome.is_good = visit_held<Map, order>(warp, at, held, count, slot, [&](unsigned k, W word) { out.above[k] = word ^ flip; });
    out.base = begin_with_least(warp, out) ^ flip;
  } else {
    // By way of distances from 2^31 below the tile's first word.
    W first = 0, from = 0;
    std::uint32_t upper = 0;
    outcome.is_good = visit_held<Map, order>(warp, at, held, count, slot, [&](unsigned k, W word) {
      if (k == 0) {
        first = warp.shuffle(word, 0);
        from = first - (W{1} << 31);
      }
      const W distance = word - from;
      upper |= static_cast<std::uint32_t>(distance >> 32);
      out.above[k] = static_cast<std::uint32_t>(distance);
    });
    if (warp.reduce_or(upper) != 0) {
      outcome.is_near = false;
    } else {
      out.base = from + begin_with_least(warp, out);
      const W in_order = first ^ flip;
      outcome.is_near = (out.base ^ flip) <= in_order && in_order <= ((out.base + out.most) ^ flip);
    }
  }
  if (count < packed_words) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      if (held_place<W>(warp.lane(), k) >= count) out.above[k] = 0;
    }
  }
  if constexpr (Map::fails) outcome.is_good = warp.ballot(!outcome.is_good) == 0;
  return outcome;
}

/// Puts a field of up to 42 bits at a bit of zeroed shared memory.
template <class Warp>
FLOE_DEVICE void put_field(Warp& warp, std::uint8_t* to, std::uint32_t bit, std::uint64_t field) {
  const unsigned shift = bit % 32;
  std::uint8_t* const at = to + bit / 32 * 4;
  const std::uint64_t low = field << shift;
  if (cuda::low_half(low) != 0) warp.shared_or(at, cuda::low_half(low));
  if (cuda::high_half(low) != 0) warp.shared_or(at + 4, cuda::high_half(low));
  const auto rest = static_cast<std::uint32_t>(cuda::shift_right(field, 64 - shift));
  if (rest != 0) warp.shared_or(at + 8, rest);
}

/// The exceptions of a tile, behind its packed bytes.
template <core::Word W, class Warp>
FLOE_DEVICE void put_held_exceptions(Warp& warp, const TileDistances<W>& tile, const Packing& packing, std::uint8_t* out,
                                     std::uint32_t first_bit) {
  const unsigned upper_bits = packing.full_width - packing.width, half = sizeof(W) == 8 ? warp.lane() / 16 : 0;
  const std::uint32_t limit = core::low_mask<std::uint32_t>(packing.width), count_bytes = varint_bytes(packing.exceptions);
  if (warp.lane() == 0) {
    const std::uint32_t count = packing.exceptions;
    const std::uint64_t varint = count_bytes == 1 ? count : (count & 0x7F) | 0x80 | count >> 7 << 8;
    put_field(warp, out, first_bit, varint | std::uint64_t{upper_bits} << (8 * count_bytes));
  }
  first_bit += 8 * (count_bytes + 1);
  // Those of the second half of a tile come behind all of the first.
  std::uint32_t found = 0;
  if constexpr (sizeof(W) == 8) {
    std::uint32_t own = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) own += tile.above[k] > limit ? 1 : 0;
    const std::uint32_t of_first = warp.reduce_add(half == 0 ? own : 0);
    if (half == 1) found = of_first;
  }
  const std::uint32_t mine = sizeof(W) == 4 ? ~std::uint32_t{0}
                             : half == 0    ? 0xFFFFu
                                            : 0xFFFF0000u,
                      before = mine & ((1u << warp.lane()) - 1);
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const bool excepts = tile.above[k] > limit;
    const std::uint32_t all = warp.ballot(excepts);
    if (all == 0) continue;
    if (excepts) {
      const std::uint64_t field =
          held_place<W>(warp.lane(), k) | static_cast<std::uint64_t>(cuda::shift_right(tile.above[k], packing.width)) << 10;
      put_field(warp, out, first_bit + (found + cuda::count_bits(all & before)) * (10 + upper_bits), field);
    }
    found += cuda::count_bits(all & mine);
  }
}

/// Packs a tile of `count` words to `out`, a multiple of 16 in shared memory. Returns its bytes. Distances become fields.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t pack_held(Warp& warp, TileDistances<W>& tile, std::uint32_t count, const Packing& packing, std::uint8_t* out) {
  const bool is_full = count == packed_words, excepts = packing.width < packing.full_width;
  const std::uint32_t packed = (count * packing.width + 7) / 8;
  std::uint32_t bytes = packed;
  if (excepts || !is_full) {
    if (excepts) bytes += varint_bytes(packing.exceptions) + 1 + (packing.exceptions * (10 + packing.full_width - packing.width) + 7) / 8;
    for (std::uint32_t i = (is_full ? packed / 4 : 0) + warp.lane(); i < (bytes + 3) / 4; i += warp_lanes)
      cuda::store_aligned(out + 4 * i, std::uint32_t{0});
    warp.sync();
  }
  if (excepts) {
    put_held_exceptions(warp, tile, packing, out, 8 * packed);
    const auto mask = core::low_mask<std::uint32_t>(packing.width);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) tile.above[k] &= mask;
  }
  if (!is_full) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      const std::uint32_t i = held_place<W>(warp.lane(), k);
      if (i < count) put_field(warp, out, i * packing.width, tile.above[k]);
    }
  } else if (packing.width > 0) {
    put_fields<W>(warp, tile.above, packing.width, out);
  }
  warp.sync();
  return bytes;
}

/// Writes what stands before the packed bytes of a vector at `slot`. Returns its bytes.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t put_vector_head(Warp& warp, const PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  const std::uint64_t step = folded(static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(last_base)), core::word_bits<W>);
  const std::uint32_t step_bytes = varint_bytes(step);
  if (warp.lane() == 0)
    slot[slot_head - 1 - step_bytes] = static_cast<std::uint8_t>(tile.width() | (tile.width() < tile.full_width() ? 0x80 : 0));
  if (warp.lane() < step_bytes) {
    const unsigned more = warp.lane() + 1 < step_bytes ? 0x80 : 0;
    slot[slot_head - step_bytes + warp.lane()] = static_cast<std::uint8_t>((step >> (7 * warp.lane()) & 0x7F) | more);
  }
  warp.sync();
  return 1 + step_bytes;
}

}  // namespace floe::series_cuda
