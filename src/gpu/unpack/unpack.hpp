// Unpacks a vector of 1024 words with a warp. It copies the packed bytes to shared memory, so that many loads
// are in flight, and takes the words from there, row by row of the interleaved layout: in row r, lane l has
// the pack of words from r * 32 * k + l * k on, k words of a pack. Words of 64 bits lie in rows of 16, of
// which the warp takes two at a time.
//
// A sink is called as sink(first word, pack) by all lanes at once.
#pragma once

#include "gpu/decode/decode_memory.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// Where a word of a tile lies: 32 words and a bank of padding, so that lanes can go through 32 neighbours.
template <core::Word W>
FLOE_DEVICE std::uint32_t tile_offset(std::uint32_t word) {
  return word * std::uint32_t{sizeof(W)} + word / 32 * (sizeof(W) == 8 ? 8 : 4);
}

template <core::Word W>
FLOE_DEVICE Pack<W> load_pack(const std::uint8_t* tile, std::uint32_t word) {
  return {load_aligned<typename Pack<W>::Bits>(tile + tile_offset<W>(word))};
}
template <core::Word W>
FLOE_DEVICE void store_pack(std::uint8_t* tile, std::uint32_t word, Pack<W> pack) {
  store_aligned(tile + tile_offset<W>(word), pack.bits);
}

/// Copies bytes, a multiple of 4 of them, from any address to one that is a multiple of 4.
template <class Warp>
FLOE_DEVICE void copy_in(Warp& warp, const std::uint8_t* from, std::uint32_t bytes, std::uint8_t* to) {
  constexpr unsigned batch = 10;  // loads in flight, twice as many if the address is odd
  const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const std::uint8_t* const aligned = from - misaligned;
  const std::uint32_t words = bytes / 4;
  for (std::uint32_t first = 0; first < words; first += batch * warp_lanes) {
    std::uint32_t low[batch], high[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * warp_lanes + warp.lane();
      low[i] = at < words ? word32(aligned, at) : 0;
      high[i] = at < words && misaligned != 0 ? word32(aligned, at + 1) : 0;
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * warp_lanes + warp.lane();
      if (at < words) store_aligned(to + 4 * at, funnel_right(low[i], high[i], 8 * misaligned));
    }
  }
  warp.sync();
}

/// Calls sink(first word, pack) for the rows of a tile, a few at a time, so that their loads overlap. Sinks
/// that write to the tile from which load_row reads get a barrier between the two.
template <core::Word W, bool in_place, class Warp, class LoadRow, class Sink>
FLOE_DEVICE void give_rows(Warp& warp, const LoadRow& load_row, const Sink& sink) {
  constexpr unsigned batch = in_place ? 4 : 8;
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; row += batch) {
    Pack<W> packs[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) packs[i] = load_row(row + i);
    if constexpr (in_place) warp.sync();
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i)
      sink((row + i) * row_words<W> + warp.lane() * Pack<W>::words, packs[i]);
  }
  warp.sync();
}

/// `width` bits of every word in two rows: of `low` from bit `shift` on, then of `high`. Without branches.
template <core::Word W>
FLOE_DEVICE typename Pack<W>::Bits join_rows(typename Pack<W>::Bits low, typename Pack<W>::Bits high,
                                             unsigned shift, typename Pack<W>::Bits mask) {
  if constexpr (sizeof(W) == 8) {
    return (shift_right(low, shift) | shift_left(high, 64 - shift)) & mask;
  } else if constexpr (sizeof(W) == 4) {
    return funnel_right(low, high, shift) & mask;
  } else {
    const auto from_low = Pack<W>::repeat(static_cast<W>(static_cast<W>(~W{0}) >> shift));
    return ((low >> shift & from_low) | (high << (core::word_bits<W> - shift) & ~from_low)) & mask;
  }
}

/// The packed words of a full vector in shared memory. 128 bytes behind them are read.
template <core::Word W>
struct PackedRows {
  using Bits = typename Pack<W>::Bits;
  const std::uint8_t* column;  ///< The lane's first bits.
  unsigned width, half;        ///< Of pairs of rows of 64-bit words the lane has the first or the second.
  Bits bases, mask;

  template <class Warp>
  FLOE_DEVICE PackedRows(Warp& warp, const std::uint8_t* from, unsigned bits_of_word, W base)
      : column(from + (sizeof(W) == 8 ? warp.lane() % 16 : warp.lane()) * sizeof(Bits)),
        width(bits_of_word),
        half(sizeof(W) == 8 ? warp.lane() / 16 : 0),
        bases(Pack<W>::repeat(base)),
        mask(Pack<W>::repeat(core::low_mask<W>(bits_of_word))) {}

  FLOE_DEVICE Pack<W> row(unsigned row) const {
    constexpr unsigned bits = core::word_bits<W>;
    const unsigned first = (sizeof(W) == 8 ? 2 * row + half : row) * width;
    const std::uint8_t* const at = column + first / bits * 128;
    const auto low = load_aligned<Bits>(at), high = load_aligned<Bits>(at + 128);
    return {Pack<W>::add(join_rows<W>(low, high, first % bits, mask), bases)};
  }
};

/// Where packed bytes end in a tile, but for 128 bytes behind them that are read and do not matter.
inline constexpr std::uint32_t packed_end = tile_bytes - 128;

/// The words of a full vector, by a warp that has a tile. The packed bytes are put to the end of the tile;
/// the sink may write the words to the tile's beginning: no row is written over before it has gone to the
/// sink, because b bits per word make 128 b bytes, and 264 x <= 8448 - 128 b + 128 floor(x b / 32) for all
/// numbers x of rows of 32 64-bit words and widths b, likewise for shorter words.
template <core::Word W, bool in_place, class Warp, class Sink>
FLOE_DEVICE void unpack_vector(Warp& warp, const std::uint8_t* packed, unsigned width, W base,
                               std::uint8_t* tile, const Sink& sink) {
  const std::uint32_t size = 128 * width;
  // Words of no bits have a row as well, of which no bit matters; it must not lie in the next worker's tile.
  const PackedRows<W> rows(warp, tile + packed_end - (width == 0 ? 128 : size), width, base);
  copy_in(warp, packed, size, tile + packed_end - size);
  give_rows<W, in_place>(
      warp, [&](unsigned row) { return rows.row(row); }, sink);
}

/// The words of a shorter vector, whose fields are a bit stream.
template <core::Word W, class Warp, class Sink>
FLOE_DEVICE void unpack_rest(Warp& warp, const std::uint8_t* packed, std::uint32_t count, unsigned width,
                             W base, const Sink& sink) {
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; ++row) {
    const std::uint32_t first = row * row_words<W> + warp.lane() * Pack<W>::words;
    Pack<W> pack;
    for (unsigned k = 0; k < Pack<W>::words; ++k) {
      if (first + k < count)
        pack.put(k, static_cast<W>(base + load_bits(packed, std::uint64_t{first + k} * width, width)));
    }
    sink(first, pack);
  }
  warp.sync();
}

/// Adds upper bits to the exceptions of a vector in a tile. False if a position is behind its last word.
template <core::Word W, class Warp>
FLOE_DEVICE_CALL bool add_exceptions(Warp& warp, const std::uint8_t* bytes, const VectorEntry& entry,
                                     std::uint32_t count, std::uint8_t* tile) {
  if (entry.exception_count == 0) return true;
  const unsigned bits = 10 + entry.upper_bits;
  bool good = true;
  for (std::uint32_t first = 0; first < entry.exception_count; first += warp_lanes) {
    const std::uint32_t i = first + warp.lane();
    std::uint32_t position = tile_words;
    W upper = 0;
    if (i < entry.exception_count) {
      const std::uint64_t at = std::uint64_t{i} * bits;
      position = static_cast<std::uint32_t>(load_bits(bytes + entry.exceptions, at, 10));
      upper = static_cast<W>(load_bits(bytes + entry.exceptions, at + 10, entry.upper_bits));
      good = good && position < count;
    }
    const std::uint32_t before = warp.shuffle_up(position, 1);
    const bool ascends = warp.lane() == 0 || i >= entry.exception_count || before < position;
    const auto add = [&] {
      if (i >= entry.exception_count || position >= count || entry.width >= core::word_bits<W>) return;
      std::uint8_t* const at = tile + tile_offset<W>(position);
      store_aligned(at, static_cast<W>(load_aligned<W>(at) + static_cast<W>(upper << entry.width)));
    };
    if (warp.ballot(!ascends) == 0) {
      add();
    } else {
      // No encoder writes a position twice, but the sum must not depend on the order of lanes.
      for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        if (warp.lane() == lane) add();
        warp.sync();
      }
    }
    warp.sync();
  }
  return warp.ballot(!good) == 0;
}

}  // namespace floe::gpu
