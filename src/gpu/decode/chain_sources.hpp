// Sources of the words of a tile: a vector of bitpack, memory, runs, a dictionary with exceptions, or the two
// streams of a split. Each gives a tile to a sink, in the order of unpack.hpp.
#pragma once

#include "gpu/unpack/unpack.hpp"

namespace floe::gpu {

/// Calls sink(first, pack) for all packs of a tile, with the words that word_at(index) gives.
template <core::Word W, class Warp, class WordAt, class Sink>
FLOE_DEVICE void for_each_pack(Warp& warp, std::uint32_t count, const WordAt& word_at, const Sink& sink) {
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; ++row) {
    const std::uint32_t first = row * row_words<W> + warp.lane() * Pack<W>::words;
    Pack<W> pack;
    FLOE_UNROLL
    for (unsigned k = 0; k < Pack<W>::words; ++k) {
      if (first + k < count) pack.put(k, word_at(first + k));
    }
    sink(first, pack);
  }
}

/// Words in memory, at any address, by a warp that has a tile.
template <core::Word W, bool in_place, class Warp, class Sink>
FLOE_DEVICE void give_bytes(Warp& warp, const std::uint8_t* data, std::uint32_t count, std::uint8_t* tile,
                            const Sink& sink) {
  using Bits = typename Pack<W>::Bits;
  if (count < tile_words)
    return for_each_pack<W>(
        warp, count, [&](std::uint32_t i) { return load_word<W>(data + i * sizeof(W)); }, sink);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % sizeof(Bits) == 0;
  // As unpack_vector does: 264 x <= 8448 - 8192 + 256 x.
  std::uint8_t* const copy = tile + packed_end - tile_words * sizeof(W);
  if (!is_aligned) copy_in(warp, data, tile_words * sizeof(W), copy);
  const std::uint8_t* const from = is_aligned ? data : copy;
  const auto load_row = [&](unsigned row) {
    return Pack<W>{
        load_aligned<Bits>(from + (row * row_words<W> + warp.lane() * Pack<W>::words) * sizeof(W))};
  };
  give_rows<W, in_place>(warp, load_row, sink);
}

/// The runs of an rle node: their ends, in words, and the run at the beginning of each tile.
struct Runs {
  const std::uint8_t *ends, *values, *first_runs;
  std::uint32_t count;
  bool has_empty;

  FLOE_DEVICE std::uint32_t end(std::uint32_t run) const {
    return load_aligned<std::uint32_t>(ends + 4 * run);
  }
  /// The run that word `word` of the stream belongs to.
  FLOE_DEVICE std::uint32_t find(std::uint32_t word) const {
    std::uint32_t low = 0, high = count - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (end(middle) > word) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// Words that a tile picks from: a stream, or the same word again and again.
template <core::Word W>
struct Operand {
  const std::uint8_t* words;
  std::uint32_t count;
  W constant;

  FLOE_DEVICE explicit Operand(const Node& node)
      : words(node.is_stream ? node.words : nullptr),
        count(node.count),
        constant(static_cast<W>(node.number[0])) {}
  /// Sets `bad` if there is no such word.
  FLOE_DEVICE W word(std::uint64_t index, bool& bad) const {
    const bool exists = index < count;
    bad = bad || !exists;
    return words == nullptr ? constant : exists ? load_aligned<W>(words + index * sizeof(W)) : W{0};
  }
};

/// A bit for each of up to 32 bytes at a multiple of 8 that is not zero. `count` of them may be read.
FLOE_DEVICE std::uint32_t find_set_bytes(const std::uint8_t* bytes, std::uint32_t count) {
  std::uint32_t bits = 0;
  if (count < 32) {
    for (unsigned i = 0; i < count; ++i) bits |= bytes[i] != 0 ? 1u << i : 0u;
    return bits;
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    constexpr std::uint64_t lower = 0x7F7F7F7F7F7F7F7F;
    const auto eight = load_aligned<std::uint64_t>(bytes + 8 * i);
    const std::uint64_t tops = (((eight & lower) + lower) | eight) & ~lower;
    bits |= static_cast<std::uint32_t>((tops >> 7) * 0x0102040810204080 >> 56)
            << (8 * i);  // a bit of each byte, side by side
  }
  return bits;
}

/// A bit for each of up to 32 codes at a multiple of 8 that is `escape`. `count` of them may be read.
FLOE_DEVICE std::uint32_t find_escapes(const std::uint8_t* codes, std::uint32_t count, std::uint16_t escape) {
  std::uint32_t bits = 0;
  if (count < 32) {
    for (unsigned i = 0; i < count; ++i)
      bits |= load_aligned<std::uint16_t>(codes + 2 * i) == escape ? 1u << i : 0u;
    return bits;
  }
  FLOE_UNROLL
  for (unsigned i = 0; i < 8; ++i) {
    const auto four = load_aligned<std::uint64_t>(codes + 8 * i);
    FLOE_UNROLL
    for (unsigned k = 0; k < 4; ++k)
      bits |= static_cast<std::uint16_t>(four >> (16 * k)) == escape ? 1u << (4 * i + k) : 0u;
  }
  return bits;
}

/// How many bits are set in the lanes before.
template <class Warp>
FLOE_DEVICE std::uint32_t count_in_lanes_before(Warp& warp, std::uint32_t bits) {
  const std::uint32_t own = count_bits(bits);
  return inclusive_scan(warp, own) - own;
}

/// Calls sink(first, pack) for all packs of a tile; words are word_at(index, is marked, marked ones before).
template <core::Word W, class Warp, class WordAt, class Sink>
FLOE_DEVICE void give_marked(Warp& warp, std::uint32_t count, const Marks& marks, const WordAt& word_at,
                             const Sink& sink) {
  constexpr unsigned batch = 4;  // rows whose loads overlap
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; row += batch) {
    Pack<W> packs[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t first = (row + i) * row_words<W> + warp.lane() * Pack<W>::words;
      const std::uint32_t mask = warp.shuffle(marks.bits, first / 32),
                          before = warp.shuffle(marks.before, first / 32);
      FLOE_UNROLL
      for (unsigned k = 0; k < Pack<W>::words; ++k) {
        const unsigned bit = (first + k) % 32;
        const std::uint64_t marked_before = marks.in_tiles + before + count_bits(mask & ((1u << bit) - 1));
        if (first + k < count) packs[i].put(k, word_at(first + k, (mask >> bit & 1) != 0, marked_before));
      }
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i)
      sink((row + i) * row_words<W> + warp.lane() * Pack<W>::words, packs[i]);
  }
}

/// Runs: where they begin in the tile becomes a bit, so that a word's run is a count of bits.
template <core::Word W, class Warp, class Sink>
FLOE_DEVICE void give_runs(Warp& warp, const Runs& runs, std::uint32_t tile, std::uint32_t count,
                           std::uint32_t* set_bits, const Sink& sink) {
  const std::uint32_t begin = tile * tile_words;
  const auto value = [&](std::uint64_t run) { return load_aligned<W>(runs.values + run * sizeof(W)); };
  if (runs.has_empty) {
    // No encoder writes runs of length 0. Several of them may begin at one word, so bits do not count them.
    for_each_pack<W>(
        warp, count, [&](std::uint32_t i) { return value(runs.find(begin + i)); }, sink);
    return;
  }
  Marks marks;
  marks.in_tiles = load_aligned<std::uint32_t>(runs.first_runs + 4 * tile);
  set_bits[warp.lane()] = 0;
  warp.sync();
  for (auto run = static_cast<std::uint32_t>(marks.in_tiles);; run += warp_lanes) {
    const std::uint32_t mine = run + warp.lane();
    const std::uint32_t end = mine < runs.count ? runs.end(mine) : begin + tile_words;
    const bool is_inside = end < begin + tile_words;  // the next run begins there
    if (is_inside)
      warp.shared_or(reinterpret_cast<std::uint8_t*>(set_bits + (end - begin) / 32),
                     1u << (end - begin) % 32);
    if (warp.ballot(is_inside) != ~0u) break;
  }
  warp.sync();
  marks.bits = set_bits[warp.lane()];
  marks.before = count_in_lanes_before(warp, marks.bits);
  give_marked<W>(
      warp, count, marks,
      [&](std::uint32_t, bool is_marked, std::uint64_t marked_before) {
        return value(marked_before + (is_marked ? 1 : 0));
      },
      sink);
}

}  // namespace floe::gpu
