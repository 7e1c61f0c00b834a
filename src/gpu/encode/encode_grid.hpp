// Floats as multiples of a power of two, with a block. Warps count exponents in tables of their own, one
// thread chooses the grid, and exceptions are found in order. Then warps write multiples, and put the bits
// below them behind each other in their tiles: how many bits the tiles before have is known once all warps of
// a round have put theirs, and words that several tiles share are put together by additions.
#pragma once

#include "encodings/grid/grid.hpp"
#include "gpu/encode/encode_frequent.hpp"

namespace floe::gpu {

/// What a grid makes of a stream.
struct GridStreams {
  std::uint8_t *multiples, *low, *exceptions;
  std::uint32_t* positions;  ///< Of exceptions.
};
struct GridResult {
  unsigned exponent = 0;  ///< 0: there is no grid.
  std::uint32_t low_bytes = 0, exceptions = 0;
};

/// The exponent of the grid for a stream, to all threads; 0 if there is none.
template <core::Word W, class Block>
FLOE_DEVICE unsigned choose_grid(Block& block, const EncodeStream& stream, const trees::FloatLayout& layout) {
  EncodeMemory& memory = block.memory();
  const unsigned top = layout.top_exponent();
  const auto counts_of = [&](unsigned warp) { return reinterpret_cast<std::uint32_t*>(memory.tiles[warp]); };
  static_assert(2047 * sizeof(std::uint32_t) <= sizeof(memory.tiles[0]));
  std::uint32_t* const own = counts_of(block.warp_index());
  for (unsigned e = block.warp().lane(); e < top; e += warp_lanes) own[e] = 0;
  if (block.rank() == 0) memory.counts[0] = memory.counts[1] = top;
  block.sync();
  for_each_word<W>(block, stream, 0, stream.count, [&](std::uint32_t, W word) {
    const unsigned exponent = layout.exponent_of(word);
    if (exponent < top) atomic_add(own + exponent, 1);
  });
  block.sync();
  std::uint32_t* const all = counts_of(0);
  for (unsigned e = 1 + block.rank(); e < top; e += block.size()) {
    for (unsigned w = 1; w < block.warp_count(); ++w) all[e] += counts_of(w)[e];
    if (all[e] == 0) continue;
    atomic_min(&memory.counts[0], e);
    atomic_min(&memory.counts[1], top - 1 - e);
  }
  block.sync();
  if (block.rank() == 0) {
    memory.number[0] = trees::best_grid_exponent<W>([&](unsigned e) { return all[e]; }, memory.counts[0],
                                                    top - memory.counts[1], stream.count, layout);
  }
  block.sync();
  return static_cast<unsigned>(memory.number[0]);
}

/// The multiple at the position of an exception: that of the last word before it that is none.
template <core::Word W>
FLOE_DEVICE trees::GridWord<W> grid_word_before(const EncodeStream& stream, std::uint32_t position,
                                                const trees::FloatLayout& layout, unsigned exponent,
                                                const std::uint32_t* positions, std::uint32_t exceptions) {
  auto high = static_cast<std::uint32_t>(
      find_owner(exceptions, position, [&](std::uint64_t k) { return positions[k]; }));
  // Among exceptions side by side, positions grow as their numbers do.
  const std::uint32_t others = position - high;
  for (std::uint32_t low = 0; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (positions[middle] - middle < others) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (positions[high] == 0) return {};
  trees::GridWord<W> word = layout.to_grid(stream_word<W>(stream, positions[high] - 1), exponent);
  word.low = 0;
  return word;
}

/// Adds bits to words of 32 bits that are 0 there.
FLOE_DEVICE void add_bits(std::uint32_t* words, std::uint32_t at, std::uint64_t bits) {
  words += at / 32;
  at %= 32;
  const std::uint64_t two = bits << at, third = at == 0 ? 0 : bits >> (64 - at);
  if (static_cast<std::uint32_t>(two) != 0) atomic_add(words, static_cast<std::uint32_t>(two));
  if (two >> 32 != 0) atomic_add(words + 1, static_cast<std::uint32_t>(two >> 32));
  if (third != 0) atomic_add(words + 2, static_cast<std::uint32_t>(third));
}

/// Words of 32 bits that the bits below of a warp's words take, and what is read behind them.
template <core::Word W>
inline constexpr std::uint32_t low_tile_words = rows_in_flight<W>* warp_lanes * 52 / 32 + 3;
static_assert(low_tile_words<std::uint64_t> * 4 <= sizeof(EncodeMemory::tiles[0]));
static_assert(low_tile_words<std::uint32_t> * 4 <= sizeof(EncodeMemory::tiles[0]));

/// Writes a warp's bits, which begin at bit `start` of `out`, but for those in a word that begins before:
/// these are returned. Another warp writes that word, before they are added to it.
template <class Warp>
FLOE_DEVICE std::uint32_t store_low_bits(Warp& warp, const std::uint32_t* tile, std::uint32_t bits,
                                         std::uint64_t start, std::uint32_t* out) {
  const unsigned shift = start % 32;
  const std::uint32_t words = bits == 0 ? 0 : (shift + bits + 31) / 32;
  for (std::uint32_t k = warp.lane() + (shift == 0 ? 0 : 1); k < words; k += warp_lanes)
    out[start / 32 + k] = tile[k] << shift | (shift == 0 ? 0 : tile[k - 1] >> (32 - shift));
  return bits == 0 || shift == 0 ? 0 : tile[0] << shift;
}

/// Writes multiples and the bits below. Returns how many bits there are. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE std::uint64_t put_grid(Block& block, const EncodeStream& stream, const trees::FloatLayout& layout,
                                   unsigned exponent, std::uint32_t exceptions, const GridStreams& to) {
  constexpr unsigned rows = rows_in_flight<W>;
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const unsigned w = block.warp_index(), warps = block.warp_count();
  auto* const tile = reinterpret_cast<std::uint32_t*>(memory.tiles[w]);
  auto* const low = reinterpret_cast<std::uint32_t*>(to.low);
  std::uint64_t before = 0;
  for (std::uint32_t round = 0; round * warps * rows * warp_lanes < stream.count; ++round) {
    const std::uint32_t first = (round * warps + w) * rows * warp_lanes;
    W words[rows];
    load_rows(stream.count, first, warp.lane(), words,
              [&](std::uint32_t i) { return stream_word<W>(stream, i); });
    for (std::uint32_t k = warp.lane(); k < low_tile_words<W>; k += warp_lanes) tile[k] = 0;
    warp.sync();
    std::uint32_t bits = 0;
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      const std::uint32_t i = first + row * warp_lanes + warp.lane();
      const bool is_there = i < stream.count;
      const trees::GridWord<W> word =
          layout.is_on_grid(words[row], exponent)
              ? layout.to_grid(words[row], exponent)
              : grid_word_before<W>(stream, i, layout, exponent, to.positions, exceptions);
      const std::uint32_t width = is_there ? word.low_bits : 0, inclusive = inclusive_scan(warp, width);
      if (is_there) store_word(to.multiples, i, word.multiple);
      if (width > 0) add_bits(tile, bits + inclusive - width, word.low);
      bits += warp.shuffle(inclusive, warp_lanes - 1);
    }
    if (warp.lane() == 0) memory.totals[round % 2][w] = bits;
    block.sync();
    std::uint64_t start = before;
    for (unsigned v = 0; v < warps; ++v) {
      if (v == w) start = before;
      before += memory.totals[round % 2][v];
    }
    const std::uint32_t shared = store_low_bits(warp, tile, bits, start, low);
    block.sync();
    if (warp.lane() == 0 && shared != 0) atomic_add(low + start / 32, shared);
  }
  block.sync();
  return before;
}

/// Takes floats apart. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL GridResult make_grid(Block& block, const EncodeStream& stream, const GridStreams& to) {
  const trees::FloatLayout layout = trees::layout_of(stream.type);
  GridResult made;
  made.exponent = choose_grid<W>(block, stream, layout);
  if (made.exponent == 0) return made;
  made.exceptions = select_words(
      block, stream.count, [&](std::uint32_t i) { return stream_word<W>(stream, i); },
      [&](W word) { return !layout.is_on_grid(word, made.exponent); },
      [&](std::uint32_t i, W word, std::uint32_t n, bool is_exception) {
        if (!is_exception) return;
        to.positions[n] = i;
        store_word(to.exceptions, n, word);
      });
  made.low_bytes = static_cast<std::uint32_t>(
      (put_grid<W>(block, stream, layout, made.exponent, made.exceptions, to) + 7) / 8);
  return made;
}

}  // namespace floe::gpu
