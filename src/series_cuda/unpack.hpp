// How does a warp unpack a vector of 1024 words? It copies the packed bytes to shared memory, so that all of them are on their way at once,
// and takes the words from there, row by row of the interleaved layout: in row r, lane l has the pack of words from r * 32 * k + l * k on,
// k words of a pack. Words of 64 bits lie in rows of 16, of which the warp takes two at a time.
//
// A worker's shared memory has two halves if words are short, or if they are stored at once: bytes land in the first one while the vector
// before is being unpacked in the second.
//
// A sink is called as sink(first word, pack) by all lanes at once.
#pragma once

#include "series_cuda/memory_access.hpp"
#include "series_cuda/team_memory.hpp"

namespace floe::series_cuda {

/// Where a word of a tile lies: 32 words are followed by a bank of padding, so that lanes can go through 32 neighbours each.
template <core::Word W>
FLOE_DEVICE std::uint32_t tile_place(std::uint32_t word) {
  return word * std::uint32_t{sizeof(W)} + word / 32 * (sizeof(W) == 8 ? 8 : 4);
}

/// Packs of a tile per row of lanes, and rows of a tile.
template <core::Word W>
inline constexpr unsigned row_words = warp_lanes* Pack<W>::words;
template <core::Word W>
inline constexpr unsigned tile_rows = tile_words / row_words<W>;

template <core::Word W>
FLOE_DEVICE Pack<W> load_pack(const std::uint8_t* tile, std::uint32_t word) {
  return {cuda::load_aligned<typename Pack<W>::Bits>(tile + tile_place<W>(word))};
}
template <core::Word W>
FLOE_DEVICE void store_pack(std::uint8_t* tile, std::uint32_t word, Pack<W> pack) {
  cuda::store_aligned(tile + tile_place<W>(word), pack.bits);
}

/// The first half of a worker's memory: where packed bytes land. Room for 4 KiB that begin anywhere in 16 bytes.
inline constexpr std::uint32_t landing_bytes = 4224, most_landing = 4096;
static_assert(most_landing + 16 <= landing_bytes);

/// Where the tile of a worker begins in its memory.
template <core::Word W>
inline constexpr std::uint32_t tile_begin = sizeof(W) == 8 ? 0 : landing_bytes;

/// Begins to copy bytes from any address to a multiple of 16, with the bytes before them that make theirs one.
template <class Warp>
FLOE_DEVICE void begin_copies(Warp& warp, const std::uint8_t* from, std::uint32_t bytes, std::uint8_t* to) {
  const auto before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  const std::uint32_t end = before + bytes;
  for (std::uint32_t i = 16 * warp.lane(); i < end; i += 16 * warp_lanes)
    begin_copy(to + i, from - before + i, end - i < 16 ? end - i : 16);
}

/// Moves bytes that have landed at `from`, which is a multiple of 16, plus `before`, to `to`: rows of 128 bytes. `to` is a multiple of 16
/// in memory that `from` does not overlap, or `from` itself.
template <class Warp>
FLOE_DEVICE void move_rows(Warp& warp, const std::uint8_t* from, unsigned before, std::uint32_t rows, std::uint8_t* to) {
  constexpr unsigned batch = 4;
  const std::uint32_t skipped = before / 4;
  for (std::uint32_t first = 0; first < rows; first += batch) {
    std::uint32_t low[batch], high[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = (first + i) * warp_lanes + warp.lane() + skipped;
      low[i] = first + i < rows ? cuda::word32(from, at) : 0;
      high[i] = first + i < rows ? cuda::word32(from, at + 1) : 0;
    }
    warp.sync();
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (first + i < rows)
        cuda::store_aligned(to + 4 * ((first + i) * warp_lanes + warp.lane()), cuda::funnel_right(low[i], high[i], 8 * (before % 4)));
    }
  }
  warp.sync();
}

/// Rows of 128 bytes that a warp copies through its registers, all at once; more of them land first and are moved then.
inline constexpr unsigned most_held_rows = 10;

/// Copies up to most_held_rows rows from any address to a multiple of 4.
template <class Warp>
FLOE_DEVICE void copy_rows(Warp& warp, const std::uint8_t* from, std::uint32_t rows, std::uint8_t* to) {
  const auto misplaced = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
  const std::uint8_t* const aligned = from - misplaced;
  std::uint32_t low[most_held_rows], high[most_held_rows];
  FLOE_UNROLL
  for (unsigned row = 0; row < most_held_rows; ++row) {
    const std::uint32_t at = row * warp_lanes + warp.lane();
    low[row] = row < rows ? cuda::word32(aligned, at) : 0;
    high[row] = row < rows && misplaced != 0 ? cuda::word32(aligned, at + 1) : 0;
  }
  FLOE_UNROLL
  for (unsigned row = 0; row < most_held_rows; ++row) {
    const std::uint32_t at = row * warp_lanes + warp.lane();
    if (row < rows) cuda::store_aligned(to + 4 * at, cuda::funnel_right(low[row], high[row], 8 * misplaced));
  }
  warp.sync();
}

/// Copies rows from any address to a multiple of 16 with 16 bytes behind the rows. Returns where they are: there, or up to 16 bytes
/// further, at a multiple of the size of a pack.
template <core::Word W, class Warp>
FLOE_DEVICE const std::uint8_t* copy_in(Warp& warp, const std::uint8_t* from, std::uint32_t rows, std::uint8_t* to) {
  if (rows <= most_held_rows) {
    copy_rows(warp, from, rows, to);
    return to;
  }
  begin_copies(warp, from, 128 * rows, to);
  end_copies();
  warp.sync();
  const auto before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  if (before % sizeof(typename Pack<W>::Bits) == 0) return to + before;
  move_rows(warp, to, before, rows, to);
  return to;
}

/// Calls sink(first word, pack) for the rows of a tile, a few at a time, so that their loads overlap. Sinks that write to the tile from
/// which load_row reads get a barrier between the two. A sink that looks words up first is called as sink(first word, what it found).
template <core::Word W, bool in_place, class Warp, class LoadRow, class Sink>
FLOE_DEVICE void give_rows(Warp& warp, const LoadRow& load_row, const Sink& sink) {
  constexpr unsigned batch = in_place ? 4 : 8;
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; row += batch) {
    Pack<W> packs[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) packs[i] = load_row(row + i);
    if constexpr (in_place) warp.sync();
    const auto first = [&](unsigned i) { return (row + i) * row_words<W> + warp.lane() * Pack<W>::words; };
    if constexpr (requires { sink.look_up(packs[0]); }) {
      decltype(sink.look_up(packs[0])) found[batch];
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) found[i] = sink.look_up(packs[i]);
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) sink(first(i), found[i]);
    } else {
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) sink(first(i), packs[i]);
    }
  }
  warp.sync();
}

/// `width` bits of every word in two rows: those of `low` from bit `shift` on, then those of `high`. Without branches.
template <core::Word W>
FLOE_DEVICE typename Pack<W>::Bits join_rows(typename Pack<W>::Bits low, typename Pack<W>::Bits high, unsigned shift,
                                             typename Pack<W>::Bits mask) {
  if constexpr (sizeof(W) == 8) {
    return (cuda::shift_right(low, shift) | cuda::shift_left(high, 64 - shift)) & mask;
  } else if constexpr (sizeof(W) == 4) {
    return cuda::funnel_right(low, high, shift) & mask;
  } else {
    const auto from_low = repeated<W>(static_cast<W>(static_cast<W>(~W{0}) >> shift));
    return ((low >> shift & from_low) | (high << (core::word_bits<W> - shift) & ~from_low)) & mask;
  }
}

/// Where packed bytes end in a worker's memory. Of rows that end there the 128 bytes behind them are read, too, though they do not matter.
inline constexpr std::uint32_t packed_end = 8448;

/// A full vector that a worker will come to next; its bytes may already be landing.
struct NextVector {
  const std::uint8_t* packed = nullptr;  ///< Null: there is none.
  unsigned width = 0;
  bool is_landing = false;
};

/// Whether bytes of a vector land while the one before is unpacked: if there are many, and the halves of the worker's memory are enough for
/// both.
template <core::Word W, bool in_place>
FLOE_DEVICE bool does_land(unsigned width) {
  return width > most_held_rows && (sizeof(W) < 8 || (!in_place && 128 * width <= most_landing));
}

/// The words of a full vector, by a warp with its memory, `own`. The packed bytes are put to the memory's end; the sink may write the words
/// to the tile: no row is written over before it has gone to the sink, because b bits per word make 128 b bytes, and
/// 264 x <= 8448 - 128 b + 128 floor(x b / 32) for all numbers x of rows of 32 64-bit words and widths b, likewise for shorter words in the
/// second half. `is_landing` says whether the bytes are on their way to the first half already; those of the next vector will be.
template <core::Word W, bool in_place, class Warp, class Sink>
FLOE_DEVICE void unpack_vector(Warp& warp, const std::uint8_t* packed, unsigned width, W base, std::uint8_t* own, bool is_landing,
                               NextVector& next, const Sink& sink) {
  using Bits = typename Pack<W>::Bits;
  constexpr unsigned bits = core::word_bits<W>;
  // Words of no bits have a row as well, of which no bit matters; it must not lie in the next worker's memory.
  std::uint8_t* const end = own + packed_end - (width == 0 ? 128 : 0);
  const std::uint8_t* from = end - 128 * width;
  if (does_land<W, in_place>(width)) {
    if (!is_landing) begin_copies(warp, packed, 128 * width, own);
    end_copies();
    warp.sync();
    move_rows(warp, own, static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(packed) % 16), width, end - 128 * width);
    if (next.packed != nullptr && does_land<W, in_place>(next.width)) {
      begin_copies(warp, next.packed, 128 * next.width, own);
      next.is_landing = true;
    }
  } else {
    from = copy_in<W>(warp, packed, width, end - 128 * width);
  }
  const Bits bases = repeated(base), mask = repeated(core::low_mask<W>(width));
  const auto column = static_cast<unsigned>(sizeof(W) == 8 ? warp.lane() % 16 : warp.lane()) * static_cast<unsigned>(sizeof(Bits));
  const auto load_row = [&](unsigned row) {
    const unsigned first = (sizeof(W) == 8 ? 2 * row + warp.lane() / 16 : row) * width;
    const std::uint8_t* const at = from + first / bits * 128 + column;
    const auto low = cuda::load_aligned<Bits>(at), high = cuda::load_aligned<Bits>(at + 128);
    return Pack<W>{add_words<W>(join_rows<W>(low, high, first % bits, mask), bases)};
  };
  give_rows<W, in_place>(warp, load_row, sink);
}

/// The words of a shorter vector, whose fields are a bit stream.
template <core::Word W, class Warp, class Sink>
FLOE_DEVICE void unpack_rest(Warp& warp, const std::uint8_t* packed, std::uint32_t count, unsigned width, W base, const Sink& sink) {
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < tile_rows<W>; ++row) {
    const std::uint32_t first = row * row_words<W> + warp.lane() * Pack<W>::words;
    Pack<W> pack;
    for (unsigned k = 0; k < Pack<W>::words; ++k) {
      if (first + k < count) pack.put(k, static_cast<W>(base + load_bits(packed, std::uint64_t{first + k} * width, width)));
    }
    sink(first, pack);
  }
  warp.sync();
}

/// Adds their upper bits to the exceptions of a vector, whose words lie in a tile. False if there is a position behind the last word.
template <core::Word W, class Warp>
FLOE_DEVICE_CALL bool add_exceptions(Warp& warp, const std::uint8_t* bytes, const VectorPlace& place, std::uint32_t count,
                                     std::uint8_t* tile) {
  if (place.exception_count == 0) return true;
  const unsigned bits = 10 + place.upper_bits;
  bool good = true;
  for (std::uint32_t first = 0; first < place.exception_count; first += warp_lanes) {
    const std::uint32_t i = first + warp.lane();
    std::uint32_t position = tile_words;
    W upper = 0;
    if (i < place.exception_count) {
      const std::uint64_t at = std::uint64_t{i} * bits;
      position = static_cast<std::uint32_t>(load_bits(bytes + place.exceptions, at, 10));
      upper = static_cast<W>(load_bits(bytes + place.exceptions, at + 10, place.upper_bits));
      good = good && position < count;
    }
    const std::uint32_t before = warp.shuffle_up(position, 1);
    const bool ascends = warp.lane() == 0 || i >= place.exception_count || before < position;
    const auto add = [&] {
      if (i >= place.exception_count || position >= count || place.width >= core::word_bits<W>) return;
      std::uint8_t* const at = tile + tile_place<W>(position);
      cuda::store_aligned(at, static_cast<W>(cuda::load_aligned<W>(at) + static_cast<W>(upper << place.width)));
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

}  // namespace floe::series_cuda
