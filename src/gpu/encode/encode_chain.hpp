// Packs the words of a chain, or stores them, with a block. Warps take the tiles in turn, and publish round
// by round what vectors need of those before: a base, the last integer, how many exceptions there were.
#pragma once

#include <iterator>

#include "gpu/encode/encode_rows.hpp"

namespace floe::gpu {

/// What a warp knows of the decimals before its tile; the same in all warps at the end of a round.
template <core::Word W>
struct DecimalState {
  W last = 0, last_but_one = 0;
  std::uint32_t exceptions = 0;

  FLOE_DEVICE void move_behind(const DecimalTile& tile) {
    last_but_one = tile.has_last[1] ? static_cast<W>(tile.last[1]) : last;
    if (tile.has_last[0]) last = static_cast<W>(tile.last[0]);
    exceptions += tile.failures;
  }
};

/// Makes integers of this round's tiles, and repairs this warp's. Moves `state` on; returns that before the
/// tile.
template <class Map, class Block>
FLOE_DEVICE DecimalState<typename Map::W> map_round(Block& block, std::uint32_t round, std::uint32_t index,
                                                    std::uint32_t count,
                                                    DecimalState<typename Map::W>& state) {
  using W = typename Map::W;
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const EncodeChain& chain = memory.chain;
  const unsigned w = block.warp_index();
  std::uint8_t* const tile = memory.tiles[w];
  std::uint32_t* const marks = memory.marks[w];
  DecimalTile* const tiles = memory.decimals[round % 2];
  const std::uint32_t failures = map_tile<Map>(warp, chain, index, count, tile, marks);
  if (warp.lane() == 0) look_at_end<W>(tile, marks, count, failures, tiles[w]);
  block.sync();
  DecimalState<W> own;
  for (unsigned v = 0; v < block.warp_count(); ++v) {
    if (v == w) own = state;
    state.move_behind(tiles[v]);
  }
  if (failures > 0) {
    using From = typename Map::From;
    repair_tile<W>(warp, tile, marks, own.last, [&](std::uint32_t word, std::uint32_t n) {
      const std::uint64_t at = own.exceptions + n;
      chain.positions[at] = index + word;
      store_word(chain.exceptions, at,
                 load_aligned<From>(chain.from.words + std::uint64_t{index + word} * sizeof(From)));
    });
  }
  return own;
}

/// Calls sink for the rows of this warp's tile of a round.
template <class Map, class Block, class Sink>
FLOE_DEVICE void make_tile(Block& block, std::uint32_t round, std::uint32_t first, std::uint32_t count,
                           const RowSteps<typename Map::W>& steps, DecimalState<typename Map::W>& state,
                           const Sink& sink) {
  using W = typename Map::W;
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const EncodeChain& chain = memory.chain;
  const std::uint32_t index =
      first + steps.order;  // of the stream's word that the tile's first one comes from
  if constexpr (Map::fails) {
    const DecimalState<W> own = map_round<Map>(block, round, index, count, state);
    const std::uint8_t* const tile = memory.tiles[block.warp_index()];
    finish_rows<W>(
        warp, steps, own.last, own.last_but_one,
        [&](unsigned first_row, auto& rows) {
          FLOE_UNROLL
          for (unsigned i = 0; i < std::size(rows); ++i)
            rows[i] = tile_pack<W>(tile, (first_row + i) * row_words<W> + warp.lane() * Pack<W>::words);
        },
        sink);
  } else {
    const W before = count > 0 && steps.order >= 1 ? read_word<Map>(chain, index - 1) : W{0};
    const W before_that = count > 0 && steps.order >= 2 ? read_word<Map>(chain, index - 2) : W{0};
    const bool is_full =
        count == tile_words &&
        (reinterpret_cast<std::uintptr_t>(chain.from.words) + index * sizeof(W)) % sizeof(Pack<W>) == 0;
    finish_rows<W>(
        warp, steps, before, before_that,
        [&](unsigned first_row, auto& rows) {
          const std::uint32_t own = first_row * row_words<W> + warp.lane() * Pack<W>::words;
          if (is_full) return read_full_rows<Map>(chain, index + own, rows);
          FLOE_UNROLL
          for (unsigned i = 0; i < std::size(rows); ++i) {
            const std::uint32_t word = own + i * row_words<W>;
            bool good = true;
            rows[i] = read_row<Map>(chain, index + word, word < count ? count - word : 0, good);
          }
        },
        sink);
  }
}

/// The smallest and the largest of words.
template <core::Word W>
struct WordRange {
  W min = static_cast<W>(~W{0}), max = 0;

  FLOE_DEVICE void add(W word) {
    min = word < min ? word : min;
    max = word > max ? word : max;
  }
  /// The other may be of no words.
  FLOE_DEVICE void join(const WordRange& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
  }
  /// Of what all lanes have, to all.
  template <class Warp>
  FLOE_DEVICE void join_lanes(Warp& warp) {
    min = min_of_warp(warp, min);
    max = static_cast<W>(~min_of_warp(warp, static_cast<W>(~max)));
  }
};

/// The same for words of any type, as numbers in the order of unsigned ones; compared as signed numbers, for
/// which most need no change.
template <core::Word W>
class SignedRange {
 public:
  template <unsigned count>
  FLOE_DEVICE void add(const W (&words)[count], bool are_signed) {
    if (are_signed) {
      FLOE_UNROLL
      for (const W word : words) add(word);
    } else {
      FLOE_UNROLL
      for (const W word : words) add(static_cast<W>(word ^ top));
    }
  }
  FLOE_DEVICE void add(W word) {
    const auto number = static_cast<Signed>(word);
    min_ = number < min_ ? number : min_;
    max_ = number > max_ ? number : max_;
  }
  [[nodiscard]] FLOE_DEVICE WordRange<W> numbers() const {
    return {static_cast<W>(static_cast<W>(min_) ^ top), static_cast<W>(static_cast<W>(max_) ^ top)};
  }

 private:
  using Signed = std::make_signed_t<W>;
  static constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  Signed min_ = static_cast<Signed>(top - 1), max_ = static_cast<Signed>(top);
};

/// The words before the first tile: heads of differences, and for decimals what comes before. By one thread.
template <class Map>
FLOE_DEVICE void find_heads(EncodeChain& chain) {
  using W = typename Map::W;
  const RowSteps<W> steps(chain);
  W words[2] = {};
  chain.exception_count = 0;
  chain.last[0] = chain.last[1] = 0;
  for (unsigned i = 0; i < chain.order; ++i) {
    bool good = true;
    const auto word = load_aligned<typename Map::From>(chain.from.words + i * sizeof(typename Map::From));
    W mapped = Map::map(word, {chain.power, chain.reciprocal}, good);
    if constexpr (Map::fails) {
      if (!good) {
        mapped = static_cast<W>(chain.last[0]);
        chain.positions[chain.exception_count] = i;
        store_word(chain.exceptions, chain.exception_count++, word);
      }
      chain.last[1] = chain.last[0];
      chain.last[0] = mapped;
    }
    words[i] = steps.scale(mapped);
  }
  chain.head[0] = words[0];
  chain.head[1] = static_cast<W>(words[1] - words[0]);
}

/// Packs the chain's words into slots; memory.flag: not all are equal to chain.first. Called by all threads.
template <class Map, class Block>
FLOE_DEVICE_CALL void pack_chain_as(Block& block) {
  using W = typename Map::W;
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  EncodeChain& chain = memory.chain;
  const unsigned w = block.warp_index(), warps = block.warp_count();
  if (block.rank() == 0) {
    find_heads<Map>(chain);
    memory.flag = 0;
  }
  block.sync();
  const RowSteps<W> steps(chain);
  const std::uint32_t count = chain.count, tiles = tiles_of(count);
  auto* const table = reinterpret_cast<PackedSlot*>(chain.out);
  std::uint8_t* const slots = chain.out + first_slot(tiles);
  const W flip = chain.is_signed ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
  DecimalState<W> state{static_cast<W>(chain.last[0]), static_cast<W>(chain.last[1]), chain.exception_count};
  W last_base = 0, first_base = 0;
  bool varies = false;
  for (std::uint32_t round = 0; round * warps < tiles; ++round) {
    const std::uint32_t tile = round * warps + w, first = tile * tile_words,
                        left = tile < tiles ? count - first : 0;
    VectorToPack<W> vector{{memory.tiles[w]}, left < tile_words ? left : tile_words, 0, 0, {}};
    WordRange<W> range;
    std::uint8_t* const shared = memory.tiles[w];
    make_tile<Map>(block, round, first, vector.count, steps, state, [&](std::uint32_t word, Pack<W> pack) {
      store_aligned(shared + word * sizeof(W), pack.bits);
      FLOE_UNROLL
      for (unsigned k = 0; k < Pack<W>::words; ++k) {
        if (word + k < vector.count) range.add(static_cast<W>(pack.word(k) ^ flip));
      }
    });
    warp.sync();
    if (vector.count > 0) {
      range.join_lanes(warp);
      vector.base = static_cast<W>(range.min ^ flip);
      vector.packing =
          choose_packing<W>(warp, shared, vector.count, vector.base, static_cast<W>(range.max - range.min));
    }
    if (warp.lane() == 0) memory.bases[round % 2][w] = vector.base;
    block.sync();
    const std::uint64_t* const bases = memory.bases[round % 2];
    if (round == 0) first_base = static_cast<W>(bases[0]);
    vector.last_base = w == 0 ? last_base : static_cast<W>(bases[w - 1]);
    last_base = static_cast<W>(bases[warps - 1]);
    if (vector.count == 0) continue;
    varies = varies || range.min != range.max || vector.base != first_base;
    const std::uint32_t size =
        write_vector<W>(warp, vector, slots + std::uint64_t{tile} * slot_bytes(sizeof(W)));
    if (warp.lane() == 0) table[tile].size = size;
  }
  if (varies) memory.flag = 1;
  block.sync();
  if (block.rank() == 0) {
    chain.exception_count = state.exceptions;
    chain.first = first_base;
  }
  block.sync();
  if (w == 0) {
    // Where each vector lies in the payload.
    std::uint32_t end = 0;
    for (std::uint32_t from = 0; from < tiles; from += warp_lanes) {
      const std::uint32_t tile = from + warp.lane(), size = tile < tiles ? table[tile].size & 0xFFFFFF : 0;
      const std::uint32_t inclusive = inclusive_scan(warp, size);
      if (tile < tiles) table[tile].offset = end + inclusive - size;
      end += warp.shuffle(inclusive, warp_lanes - 1);
    }
    if (warp.lane() == 0) chain.payload_bytes = end;
  }
  block.sync();
}

/// Writes the chain's words to memory.
template <class Map, class Block>
FLOE_DEVICE_CALL void store_chain_as(Block& block) {
  using W = typename Map::W;
  EncodeMemory& memory = block.memory();
  EncodeChain& chain = memory.chain;
  const unsigned w = block.warp_index(), warps = block.warp_count();
  if (block.rank() == 0) find_heads<Map>(chain);
  block.sync();
  const RowSteps<W> steps(chain);
  const std::uint32_t count = chain.count, tiles = tiles_of(count);
  DecimalState<W> state{static_cast<W>(chain.last[0]), static_cast<W>(chain.last[1]), chain.exception_count};
  std::uint8_t* const out = chain.out;
  for (std::uint32_t round = 0; round * warps < tiles; ++round) {
    const std::uint32_t tile = round * warps + w, first = tile * tile_words,
                        left = tile < tiles ? count - first : 0;
    make_tile<Map>(block, round, first, left < tile_words ? left : tile_words, steps, state,
                   [&](std::uint32_t word, Pack<W> pack) {
                     for (unsigned k = 0; k < Pack<W>::words; ++k) {
                       if (word + k < left) store_word(out, std::uint64_t{first} + word + k, pack.word(k));
                     }
                   });
    block.warp().sync();
  }
  block.sync();
  if (block.rank() == 0) chain.exception_count = state.exceptions;
  block.sync();
}

/// Calls work(map) with the map of a chain.
template <class Work>
FLOE_DEVICE void with_map(const EncodeChain& chain, const Work& work) {
  const unsigned bytes = chain.word_bytes;
  if (chain.map == EncodeMap::decimal) {
    if (bytes == 8) return work(MapDecimal<double, std::uint64_t>{});
    if (chain.from.type == DType::f64) return work(MapDecimal<double, std::uint32_t>{});
    return work(MapDecimal<float, std::uint32_t>{});
  }
  if (chain.map == EncodeMap::sortable) {
    if (bytes == 8) return work(MapSortable<std::uint64_t>{});
    if (bytes == 4) return work(MapSortable<std::uint32_t>{});
    return work(MapSortable<std::uint16_t>{});
  }
  with_word_of(bytes, [&]<class W>(W) { work(MapSame<W>{}); });
}

template <class Block>
FLOE_DEVICE void pack_chain(Block& block) {
  with_map(block.memory().chain, [&]<class Map>(Map) { pack_chain_as<Map>(block); });
}
template <class Block>
FLOE_DEVICE void store_chain(Block& block) {
  with_map(block.memory().chain, [&]<class Map>(Map) { store_chain_as<Map>(block); });
}

}  // namespace floe::gpu
