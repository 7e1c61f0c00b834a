// Packs a tile of a chain with a warp of its own. First its words are read for a base and a width; when all
// tiles of the segment have been looked at, its position is known; then they are read once more, and packed.
#pragma once

#include "gpu/encode/encode_target.hpp"
#include "gpu/encode/encode_vector.hpp"
#include "gpu/pack/pack_chain.hpp"

namespace floe::gpu {

/// The smaller words of two registers, or the larger ones, element by element.
template <core::Word W, bool larger>
FLOE_DEVICE typename Pack<W>::Bits pick_words(typename Pack<W>::Bits a, typename Pack<W>::Bits b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 1) return larger ? __vmaxu4(a, b) : __vminu4(a, b);
  if constexpr (sizeof(W) == 2) return larger ? __vmaxu2(a, b) : __vminu2(a, b);
#endif
  if constexpr (sizeof(W) >= 4) return (larger ? a > b : a < b) ? a : b;
  const auto of_a = larger ? ~Pack<W>::less(a, b) : Pack<W>::less(a, b);
  return (a & of_a) | (b & ~of_a);
}

/// A tile of a segment, as all its lanes know it.
template <class Map>
struct TileOfSegment {
  using W = typename Map::W;
  const PackColumn* column;
  std::uint32_t segment;  ///< Of the column.
  std::uint32_t tile;     ///< Of the segment.
  std::uint32_t words;    ///< Of the segment.
  double reciprocal;

  FLOE_DEVICE std::uint32_t lost() const { return std::uint32_t{column->order} * column->stride; }
  FLOE_DEVICE std::uint32_t chain_words() const { return words > lost() ? words - lost() : 0; }
  FLOE_DEVICE std::uint32_t tiles() const { return tiles_of(words); }
  FLOE_DEVICE std::uint32_t words_here(std::uint32_t all) const {
    const std::uint32_t first = tile * tile_words;
    return all <= first ? 0 : all - first < tile_words ? all - first : tile_words;
  }
  FLOE_DEVICE const std::uint8_t* segment_start() const {
    return column->words + std::uint64_t{segment} * column->segment_words * sizeof(typename Map::From);
  }
  FLOE_DEVICE typename Map::Numbers numbers() const {
    if constexpr (is_int_mult_map<Map>) {
      return typename Map::Numbers(column->divisors[segment]);
    } else {
      return {column->power, reciprocal};
    }
  }
  template <unsigned order>
  FLOE_DEVICE ChainWords<Map, order> chain(std::uint32_t first_tile) const {
    return {segment_start() + std::uint64_t{first_tile} * tile_words * sizeof(typename Map::From),
            column->stride, numbers()};
  }
  /// Calls work(DeltaOrder<order>); words that are scaled have none.
  template <class Work>
  FLOE_DEVICE void with_order(const Work& work) const {
    if (is_int_mult_map<Map> || column->order == 0) return work(DeltaOrder<0>{});
    if constexpr (!is_int_mult_map<Map>) {
      if (column->order == 1) return work(DeltaOrder<1>{});
      work(DeltaOrder<2>{});
    }
  }
  FLOE_DEVICE bool is_signed() const {
    if constexpr (is_int_mult_map<Map>) return false;
    return Map::fails || column->order > 0 ||
           column->map == static_cast<std::uint8_t>(EncodingId::sortable) || floe::is_signed(column->type);
  }
};

/// A tile of the segment of a ticket. False if it has none of that number.
template <class Map>
FLOE_DEVICE bool find_tile(const PackJob& job, std::uint32_t ticket, std::uint32_t tile,
                           TileOfSegment<Map>& at) {
  if (ticket >= job.segment_count) return false;
  unsigned c = 0;
  std::uint32_t first = 0;
  while (ticket >= job.column[c].end_segment) first = job.column[c++].end_segment;
  const PackColumn& column = job.column[c];
  const std::uint32_t segment = column.first_segment + ticket - first;
  at = {&column, segment, tile, column.words_of(segment), column.reciprocal};
  return tile < at.tiles();
}

/// Looks at a tile in registers, and says how it is packed. False if these words are not looked at so.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE bool look_in_registers(Warp& warp, const ChainWords<Map, order>& words, std::uint32_t count,
                                   bool is_signed, PackTile& out) {
  using W = typename Map::W;
  if constexpr (ChainWords<Map, order>::in_registers) {
    const W flip = is_signed ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
    TileDistances<W> distances;
    if (count < tile_words || !find_distances(warp, words, flip, distances)) return false;
    out = {distances.base, PackTile::pack(choose_packing(warp, distances))};
    return true;
  } else {
    return false;
  }
}

/// Looks at a tile by way of shared memory, and says how it is packed. False if a word does not map.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE bool look_at_tile(Warp& warp, const ChainWords<Map, order>& words, std::uint32_t count,
                              bool is_signed, std::uint8_t* tile, PackTile& out) {
  using W = typename Map::W;
  using P = Pack<W>;
  using R = typename P::Bits;
  const W flip = is_signed ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
  const R flips = P::repeat(flip);
  bool good = true;
  R min = static_cast<R>(~R{0}), max = 0;
  if (count == tile_words) {
    constexpr unsigned rows = tile_rows<W>, batch = rows < words.batch ? rows : words.batch;
    FLOE_NO_UNROLL
    for (unsigned first = 0; first < rows; first += batch) {
      Pack<W> packs[batch];
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        packs[k] = words.take((first + k) * row_words<W> + warp.lane() * Pack<W>::words, good);
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k) {
        store_aligned(tile + ((first + k) * row_words<W> + warp.lane() * Pack<W>::words) * sizeof(W),
                      packs[k].bits);
        min = pick_words<W, false>(min, packs[k].bits ^ flips);
        max = pick_words<W, true>(max, packs[k].bits ^ flips);
      }
    }
  } else {
    for (std::uint32_t i = warp.lane(); i < tile_words; i += warp_lanes) {
      W word = 0;
      if (i < count) {
        if constexpr (Map::fails) {
          word = static_cast<W>(words.take(i, good).bits);
        } else {
          word = words.word(i);
        }
        const R ordered = P::repeat(static_cast<W>(word ^ flip));
        min = pick_words<W, false>(min, ordered);
        max = pick_words<W, true>(max, ordered);
      }
      store_word(tile, i, word);
    }
  }
  WordRange<W> range;
  FLOE_UNROLL
  for (unsigned k = 0; k < Pack<W>::words; ++k) range.join({Pack<W>{min}.word(k), Pack<W>{max}.word(k)});
  range.join_lanes(warp);
  warp.sync();
  const W base = static_cast<W>(range.min ^ flip);
  out = {base,
         PackTile::pack(choose_packing<W>(warp, tile, count, base, static_cast<W>(range.max - range.min)))};
  warp.sync();
  if constexpr (is_int_mult_map<Map>) return range.max <= words.numbers.max;
  if constexpr (Map::fails) return warp.ballot(!good) == 0;
  return true;
}

/// Whether all of the first words map that differences take out of a chain.
template <class Map, class Warp>
FLOE_DEVICE bool heads_map(Warp& warp, const TileOfSegment<Map>& at) {
  bool good = true;
  if constexpr (Map::fails) {
    const auto words = at.template chain<0>(0);
    for (std::uint32_t i = warp.lane(); i < at.lost() && i < at.words; i += warp_lanes) words.mapped(i, good);
  }
  return warp.ballot(!good) == 0;
}

/// Packs a tile whose position is known.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE void pack_tile(Warp& warp, const TileOfSegment<Map>& at, const PackTile& tile,
                           std::uint64_t last_base, std::uint8_t* slot, std::uint8_t* to) {
  using W = typename Map::W;
  const VectorToPack<W, ChainWords<Map, order>> vector{
      at.template chain<order>(at.tile), at.words_here(at.chain_words()), static_cast<W>(tile.base),
      static_cast<W>(last_base), tile.as_packing()};
  const std::uint32_t size = write_vector<W>(warp, vector, slot);
  copy_by_warp(warp, to, slot + slot_header - (size >> 24), size & 0xFFFFFF);
}

/// Stores the words of a tile where they are not packed.
template <class Map, unsigned order, class Warp>
FLOE_DEVICE void store_tile(Warp& warp, const TileOfSegment<Map>& at, std::uint32_t count, std::uint8_t* slot,
                            std::uint8_t* to) {
  using W = typename Map::W;
  const ChainWords<Map, order> words = at.template chain<order>(at.tile);
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) store_word(slot, i, words.word(i));
  warp.sync();
  copy_by_warp(warp, to, slot, count * static_cast<std::uint32_t>(sizeof(W)));
}

/// Does with a tile what its segment needs.
template <class Map, class Warp>
FLOE_DEVICE void write_tile(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t goal,
                            const PackTile& tile, std::uint64_t last_base, std::uint8_t* slot) {
  using From = typename Map::From;
  std::uint8_t* const to = at.column->out + (goal & PackGoal::offset);
  const PackGoal::Mode mode = PackGoal::mode_of(goal);
  if (mode == PackGoal::packed) {
    at.with_order([&]<class D>(D) { pack_tile<Map, D::order>(warp, at, tile, last_base, slot, to); });
  } else if (mode == PackGoal::words) {
    const std::uint8_t* const from = at.segment_start() + std::uint64_t{at.tile} * tile_words * sizeof(From);
    copy_by_warp(warp, to, from, at.words_here(at.words) * static_cast<std::uint32_t>(sizeof(From)));
  } else if (mode == PackGoal::mapped_words) {
    store_tile<Map, 0>(warp, at, at.words_here(at.words), slot, to);
  } else if (mode == PackGoal::chain_words) {
    at.with_order(
        [&]<class D>(D) { store_tile<Map, D::order>(warp, at, at.words_here(at.chain_words()), slot, to); });
  }
  warp.sync();
}

}  // namespace floe::gpu
