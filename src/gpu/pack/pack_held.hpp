// Looks at a tile and packs it with a warp; its words are read once and stay in registers in between. Each
// lane has 32 words, of a column of the interleaved layout or of half a column of 64-bit words, and packs how
// far they are above the least one: 32 bits.
#pragma once

#include "gpu/pack/pack_fields.hpp"
#include "gpu/pack/pack_vector.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Memory in which a warp looks at a tile: for its words and those behind it that differences need.
template <core::Word W>
inline constexpr std::uint32_t held_slot_bytes = slot_header +
                                                 (tile_words + 2 * max_delta_stride) * sizeof(W) + 16;

/// Words as they lie in memory, and the one behind the tile that the lane keeps for differences.
template <class Map>
struct HeldWords {
  typename Map::From word[lane_words], beyond;
};

/// Reads the words of a tile, which has one at least; those behind the segment become its last word.
template <class Map, class Warp>
FLOE_DEVICE void read_held(Warp& warp, const TileOfSegment<Map>& at, HeldWords<Map>& held) {
  using W = typename Map::W;
  using From = typename Map::From;
  const std::uint32_t first = at.tile * tile_words, there = at.words - first, lane = warp.lane();
  const std::uint8_t* const from = at.segment_start() + std::uint64_t{first} * sizeof(From);
  if (there >= tile_words) {
    const std::uint8_t* const own = from + held_index<W>(lane, 0) * sizeof(From);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k)
      held.word[k] = load_global<From>(own + k * held_step<W> * sizeof(From));
  } else {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      const std::uint32_t i = held_index<W>(lane, k);
      held.word[k] = load_global<From>(from + (i < there ? i : there - 1) * sizeof(From));
    }
  }
  const std::uint32_t i = tile_words + lane;
  held.beyond = held.word[0];
  if (lane < at.lost() && i < there) held.beyond = load_global<From>(from + i * sizeof(From));
}

/// Calls visit(k, difference) for the words of a tile; those behind its last one are undefined. Lanes
/// see each other's words; those behind the tile, up to one per lane, come last.
template <unsigned order, class Warp, core::Word W, class Visit>
FLOE_DEVICE void subtract_held(Warp& warp, const W (&word)[lane_words + 1], std::uint32_t stride,
                               const Visit& visit) {
  const auto word_behind = [&](unsigned k, std::uint32_t distance) {
    return warp.shuffle(warp.lane() < distance ? word[k + 1] : word[k],
                        (warp.lane() + distance) % warp_lanes);
  };
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const W next = word_behind(k, stride);
    if constexpr (order == 1) {
      visit(k, static_cast<W>(next - word[k]));
    } else {
      visit(k, static_cast<W>(static_cast<W>(word_behind(k, 2 * stride) - next) -
                              static_cast<W>(next - word[k])));
    }
  }
}

/// The words of a chain of a tile, after `visit(k, word)` for each of the lane's. Differences are taken from
/// lane to lane where that is faster: of words of 32 bits as they are, which begin with no more words than
/// there are lanes. Otherwise they are taken in the slot. There those behind the last of `count` are some
/// word of the tile; from lane to lane they are undefined. False if a word does not map.
template <class Map, unsigned order, class Warp, class Visit>
FLOE_DEVICE bool visit_held(Warp& warp, const TileOfSegment<Map>& at, const HeldWords<Map>& held,
                            std::uint32_t count, std::uint8_t* slot, const Visit& visit) {
  using W = typename Map::W;
  using From = typename Map::From;
  const typename Map::Numbers numbers = at.numbers();
  bool good = true;
  const auto map = [&](From word) {
    bool is_good = true;
    const W mapped = Map::map(word, numbers, is_good);
    good = good && is_good;
    return mapped;
  };
  if constexpr (order == 0) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) visit(k, map(held.word[k]));
  } else {
    const std::uint32_t lost = at.lost(), stride = at.column->stride, there = at.words - at.tile * tile_words;
    if constexpr (std::is_same_v<Map, MapSame<std::uint32_t>>) {
      if (lost <= warp_lanes) {
        W word[lane_words + 1];
        FLOE_UNROLL
        for (unsigned k = 0; k < lane_words; ++k) word[k] = held.word[k];
        word[lane_words] = held.beyond;
        subtract_held<order>(warp, word, stride, visit);
        return true;
      }
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k)
      store_word(slot, held_index<W>(warp.lane(), k), map(held.word[k]));
    if (warp.lane() < lost) store_word(slot, tile_words + warp.lane(), map(held.beyond));
    const std::uint8_t* const beyond =
        at.segment_start() + std::uint64_t{at.tile + 1} * tile_words * sizeof(From);
    for (std::uint32_t i = warp_lanes + warp.lane(); i < lost && tile_words + i < there; i += warp_lanes)
      store_word(slot, tile_words + i, map(load_global<From>(beyond + i * sizeof(From))));
    warp.sync();
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      std::uint32_t i = held_index<W>(warp.lane(), k);
      if (count < tile_words && i >= count) i = 0;
      const W here = tile_word<W>(slot, i), next = tile_word<W>(slot, i + stride);
      if constexpr (order == 1) {
        visit(k, static_cast<W>(next - here));
      } else {
        visit(k, static_cast<W>(static_cast<W>(tile_word<W>(slot, i + 2 * stride) - next) -
                                static_cast<W>(next - here)));
      }
    }
    warp.sync();
  }
  return good;
}

/// What becomes of a tile that was looked at.
struct HeldOutcome {
  bool is_good = true;  ///< All words map.
  bool is_near = true;  ///< 32 bits are enough for all distances. Otherwise nothing is known.
};

/// Makes distances of the words of a tile.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE HeldOutcome find_held_distances(Warp& warp, const TileOfSegment<Map>& at,
                                            const HeldWords<Map>& held, std::uint32_t count,
                                            std::uint8_t* slot, TileDistances<typename Map::W>& out) {
  using W = typename Map::W;
  const W flip = at.is_signed() ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
  HeldOutcome outcome;
  if constexpr (sizeof(W) == 4) {
    outcome.is_good = visit_held<Map, order>(warp, at, held, count, slot,
                                             [&](unsigned k, W word) { out.above[k] = word ^ flip; });
    if (order > 0 && count < tile_words) {
      const std::uint32_t some = warp.shuffle(out.above[0], 0);
      FLOE_UNROLL
      for (unsigned k = 0; k < lane_words; ++k)
        out.above[k] = held_index<W>(warp.lane(), k) < count ? out.above[k] : some;
    }
    out.base = subtract_min(warp, out) ^ flip;
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
      out.base = from + subtract_min(warp, out);
      const W in_order = first ^ flip;
      outcome.is_near = (out.base ^ flip) <= in_order && in_order <= ((out.base + out.max) ^ flip);
    }
  }
  if (count < tile_words) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      if (held_index<W>(warp.lane(), k) >= count) out.above[k] = 0;
    }
  }
  if constexpr (is_int_mult_map<Map>) {
    outcome.is_good = static_cast<W>(out.base + out.max) <= at.numbers().max;
  } else if constexpr (Map::fails) {
    outcome.is_good = warp.ballot(!outcome.is_good) == 0;
  }
  return outcome;
}

/// Whether the packed fields of a tile are the words of its column, but for the base.
template <class Map>
FLOE_DEVICE bool holds_words(const TileOfSegment<Map>& at, const PackTile& tile) {
  if constexpr (!std::is_same_v<Map, MapSame<std::uint32_t>>) return false;
  return at.column->order == 0 && tile.width() == core::word_bits<std::uint32_t>;
}

/// Makes fields of 32 bits, `bytes` of them at a multiple of 16, the words again that they are distances of.
template <class Warp>
FLOE_DEVICE void restore_words(Warp& warp, std::uint32_t base, std::uint8_t* fields, std::uint32_t bytes) {
  for (std::uint32_t i = 16 * warp.lane(); i < bytes; i += 16 * warp_lanes) {
    Quad quad = load_aligned<Quad>(fields + i);
    FLOE_UNROLL
    for (std::uint32_t& word : quad.word) word += base;
    store_aligned(fields + i, quad);
  }
  warp.sync();
}

/// Writes a held tile: `bytes` behind the header of its slot. False if its segment needs something else.
template <class Map, class Warp>
FLOE_DEVICE bool write_held_tile(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t goal,
                                 const PackTile& tile, std::uint64_t last_base, std::uint8_t* slot,
                                 std::uint32_t bytes) {
  std::uint8_t* const to = at.column->out + (goal & PackGoal::offset);
  std::uint8_t* const packed = slot + slot_header;
  const PackGoal::Mode mode = PackGoal::mode_of(goal);
  if (mode == PackGoal::packed) {
    using W = typename Map::W;
    const std::uint32_t header = put_vector_header<W>(
        warp, tile.as_packing(), static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(last_base)), slot);
    warp.sync();
    copy_from_slot(warp, to, packed - header, header + bytes);
  } else if (mode == PackGoal::words && holds_words(at, tile)) {
    restore_words(warp, static_cast<std::uint32_t>(tile.base), packed, bytes);
    copy_from_slot(warp, to, packed, bytes);
  } else {
    return false;
  }
  warp.sync();
  return true;
}

/// Begins to copy what a full tile is packed from into its slot: its words, and those behind it that
/// differences need. Leaves the last `kept` bytes of the slot alone. False if that is too much, if words do
/// not begin at a multiple of 16, and where tiles of such differences are not looked at in registers.
template <class Map, class Warp>
FLOE_DEVICE bool begin_reading(Warp& warp, const TileOfSegment<Map>& at, std::uint8_t* slot,
                               std::uint32_t kept) {
  using W = typename Map::W;
  static_assert(sizeof(W) == sizeof(typename Map::From));
  constexpr unsigned max_order = ChainWords<Map, 1>::in_registers ? 1 : 0;
  const std::uint8_t* const from = at.segment_start() + std::uint64_t{at.tile} * tile_words * sizeof(W);
  const auto behind = static_cast<std::uint32_t>(at.lost() * sizeof(W));
  constexpr std::uint32_t words_bytes = tile_words * sizeof(W), step = 16 * warp_lanes;
  const bool fits = slot_header + words_bytes + behind + 15 + kept <= pack_slot_bytes(sizeof(W));
  const bool is_full = at.words_here(at.chain_words()) == tile_words,
             is_aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  if (at.column->order > max_order || !is_full || !fits || !is_aligned) return false;
  std::uint8_t* const to = slot + slot_header;
  FLOE_UNROLL
  for (std::uint32_t i = 0; i < words_bytes; i += step)
    begin_last_copy(to + i + 16 * warp.lane(), from + i + 16 * warp.lane(), 16);
  for (std::uint32_t i = 16 * warp.lane(); i < behind; i += step)
    begin_last_copy(to + words_bytes + i, from + words_bytes + i, behind - i < 16 ? behind - i : 16);
  return true;
}

/// Whether a slot has what a tile's segment needs: packed fields of up to 32 bits, or the words.
FLOE_DEVICE bool suffices(std::uint64_t goal, const PackTile& tile) {
  const PackGoal::Mode mode = PackGoal::mode_of(goal);
  return mode == PackGoal::words || (mode == PackGoal::packed && tile.full_width() <= max_field_bits);
}

/// Writes a tile that begin_reading() has brought to its slot; all lanes have waited for their copies.
template <class Map, class Warp>
FLOE_DEVICE void write_tile_read_ahead(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t goal,
                                       const PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  using W = typename Map::W;
  std::uint8_t* const to = at.column->out + (goal & PackGoal::offset);
  std::uint8_t* const words = slot + slot_header;
  if (PackGoal::mode_of(goal) == PackGoal::words) {
    copy_from_slot(warp, to, words, tile_words * sizeof(W));
    return warp.sync();
  }
  TileDistances<W> distances;
  const auto low_base = static_cast<std::uint32_t>(tile.base);
  const auto low_word = [&](std::uint32_t i) { return load_aligned<std::uint32_t>(words + i * sizeof(W)); };
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) distances.above[k] = low_word(held_index<W>(warp.lane(), k));
  if (at.column->order > 0) {
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k)
      distances.above[k] = low_word(held_index<W>(warp.lane(), k) + at.column->stride) - distances.above[k];
  }
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) distances.above[k] -= low_base;
  warp.sync();
  const std::uint32_t bytes = pack_held(warp, distances, tile_words, tile.as_packing(), words);
  const std::uint32_t header = put_vector_header<W>(
      warp, tile.as_packing(), static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(last_base)), slot);
  warp.sync();
  copy_from_slot(warp, to, words - header, header + bytes);
  warp.sync();
}

}  // namespace floe::gpu
