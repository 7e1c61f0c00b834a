// The words of a tile that is packed or stored: they come from memory, mapped word by word; decimals become
// integers, and what fails is given the last integer that did not. Then the common divisor goes off,
// then differences are taken, row by row in registers.
#pragma once

#include "gpu/encode/encode_vector.hpp"
#include "gpu/warp/divide_integer.hpp"
#include "gpu/warp/word_maps.hpp"

namespace floe::gpu {

// No operation may be fused with another, or the integers would not be those of the CPU.
FLOE_DEVICE double multiply_exactly(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
FLOE_DEVICE double add_exactly(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
template <class To, class From>
FLOE_DEVICE To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// Added to a double, it brings the integer nearest to that to the lowest bits, above those of zero.
inline constexpr double to_integer = 6755399441055744.0;
inline constexpr std::uint64_t to_integer_bits = 0x4338000000000000;

/// A float as an integer; see src/simd/decimal.inl. False if it does not come back from it.
template <class F, core::Word W>
FLOE_DEVICE bool to_decimal(F value, double power, double reciprocal, W& integer) {
  constexpr double limit = sizeof(W) == 8 ? 2251799813685248.0 : 2147483647.0;
  using FloatBits = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  const double scaled = multiply_exactly(static_cast<double>(value), power);
  const bool is_small = __builtin_fabs(scaled) < limit;
  const double sum = add_exactly(scaled, to_integer);
  const F restored = static_cast<F>(divide_exactly(add_exactly(sum, -to_integer), power, reciprocal));
  integer = static_cast<W>(same_bits<std::uint64_t>(sum) - to_integer_bits);
  return is_small && same_bits<FloatBits>(restored) == same_bits<FloatBits>(value);
}

/// What maps of floats know.
struct DecimalNumbers {
  double power, reciprocal;
};

/// Maps: what is read, and what becomes of a word. `good` turns false if the word is an exception.
template <core::Word Out>
struct MapSame {
  using W = Out;
  using From = Out;
  using Numbers = DecimalNumbers;
  static constexpr bool fails = false;
  FLOE_DEVICE static W map(From word, const Numbers&, bool&) { return word; }
};
template <core::Word Out>
struct MapSortable {
  using W = Out;
  using From = Out;
  using Numbers = DecimalNumbers;
  static constexpr bool fails = false;
  FLOE_DEVICE static W map(From word, const Numbers&, bool&) { return flip_negative(word); }
};
template <class Float, core::Word Out>
struct MapDecimal {
  using W = Out;
  using From = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
  using Numbers = DecimalNumbers;
  static constexpr bool fails = true;
  FLOE_DEVICE static W map(From word, const Numbers& numbers, bool& good) {
    W integer;
    good = to_decimal(same_bits<Float>(word), numbers.power, numbers.reciprocal, integer);
    return integer;
  }
};

/// Words side by side from memory that is aligned for words. No word from `left` on is read.
template <core::Word W>
FLOE_DEVICE Pack<W> read_pack(const std::uint8_t* words, std::uint32_t index, std::uint32_t left) {
  const std::uint8_t* const from = words + std::uint64_t{index} * sizeof(W);
  Pack<W> pack;
  if constexpr (Pack<W>::words == 1) {
    if (left > 0) pack.bits = load_aligned<W>(from);
  } else {
    if (left >= Pack<W>::words) {
      pack.bits = static_cast<typename Pack<W>::Bits>(load_bits(from, 0, 8 * sizeof(pack.bits)));
    } else {
      for (unsigned k = 0; k < left; ++k) pack.put(k, load_aligned<W>(from + k * sizeof(W)));
    }
  }
  return pack;
}

/// A row of a tile: words from `index` on of the stream, of which `left` are there.
template <class Map>
FLOE_DEVICE Pack<typename Map::W> read_row(const EncodeChain& chain, std::uint32_t index, std::uint32_t left,
                                           bool& good) {
  using W = typename Map::W;
  if constexpr (std::is_same_v<Map, MapSame<W>>) {
    return read_pack<W>(chain.from.words, index, left);
  } else {
    using From = typename Map::From;
    const Pack<From> read = read_pack<From>(chain.from.words, index, left);
    Pack<W> pack;
    FLOE_UNROLL
    for (unsigned k = 0; k < Pack<W>::words; ++k) {
      if (k < left) pack.put(k, Map::map(read.word(k), {chain.power, chain.reciprocal}, good));
    }
    return pack;
  }
}

/// Rows of a tile whose words are all there, from word `index` on, at a multiple of a row's part of a lane:
/// loads that do not wait for each other.
template <class Map, unsigned count>
FLOE_DEVICE void read_full_rows(const EncodeChain& chain, std::uint32_t index,
                                Pack<typename Map::W> (&rows)[count]) {
  using Read = Pack<typename Map::From>;
  static_assert(Read::words == Pack<typename Map::W>::words);
  Read read[count];
  const std::uint8_t* const from = chain.from.words + std::uint64_t{index} * sizeof(typename Map::From);
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i)
    read[i].bits = load_aligned<typename Read::Bits>(from + i * warp_lanes * sizeof(typename Read::Bits));
  bool good = true;
  FLOE_UNROLL
  for (unsigned i = 0; i < count; ++i) {
    rows[i] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < Read::words; ++k)
      rows[i].put(k, Map::map(read[i].word(k), {chain.power, chain.reciprocal}, good));
  }
}

template <class Map>
FLOE_DEVICE typename Map::W read_word(const EncodeChain& chain, std::uint32_t index) {
  bool good = true;
  return Map::map(
      load_aligned<typename Map::From>(chain.from.words + std::uint64_t{index} * sizeof(typename Map::From)),
      {chain.power, chain.reciprocal}, good);
}

/// What the rows of a chain do to words, in registers.
template <core::Word W>
struct RowSteps {
  W base = 0;
  std::uint64_t inverse = 1;
  unsigned shift = 0, order = 0;
  bool has_int_mult = false;

  FLOE_DEVICE explicit RowSteps(const EncodeChain& chain)
      : base(static_cast<W>(chain.base)),
        inverse(chain.inverse),
        shift(chain.shift),
        order(chain.order),
        has_int_mult(chain.has_int_mult) {}
  FLOE_DEVICE W scale(W word) const {
    return has_int_mult ? static_cast<W>(static_cast<W>(static_cast<W>(word - base) >> shift) * inverse)
                        : word;
  }
};

/// The words less those before them. `before`, in lane 0 the last word of the row before, moves on a row.
template <core::Word W, class Warp>
FLOE_DEVICE Pack<W> subtract_row(Warp& warp, Pack<W> row, W& before) {
  const W last = row.word(Pack<W>::words - 1);
  const W turned = warp.shuffle(last, (warp.lane() + warp_lanes - 1) % warp_lanes);
  W previous = warp.lane() == 0 ? before : turned;
  before = turned;
  Pack<W> out;
  FLOE_UNROLL
  for (unsigned k = 0; k < Pack<W>::words; ++k) {
    const W word = row.word(k);
    out.put(k, static_cast<W>(word - previous));
    previous = word;
  }
  return out;
}

/// Calls sink(first word, pack) for the rows of a tile, after all steps. `before` are the words before the
/// tile, nearest first, before any differences were taken.
template <core::Word W, class Warp, class LoadRows, class Sink>
FLOE_DEVICE void finish_rows(Warp& warp, const RowSteps<W>& steps, W before, W before_that,
                             const LoadRows& load_rows, const Sink& sink) {
  constexpr unsigned batch = tile_rows<W> < 8 ? tile_rows<W> : 8;
  W last = steps.scale(before);
  W last_difference = static_cast<W>(last - steps.scale(before_that));
  FLOE_NO_UNROLL
  for (unsigned first_row = 0; first_row < tile_rows<W>; first_row += batch) {
    Pack<W> rows[batch];
    load_rows(first_row, rows);
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (steps.has_int_mult) {
        Pack<W> scaled;
        FLOE_UNROLL
        for (unsigned k = 0; k < Pack<W>::words; ++k) scaled.put(k, steps.scale(rows[i].word(k)));
        rows[i] = scaled;
      }
      if (steps.order >= 1) rows[i] = subtract_row<W>(warp, rows[i], last);
      if (steps.order >= 2) rows[i] = subtract_row<W>(warp, rows[i], last_difference);
      sink((first_row + i) * row_words<W> + warp.lane() * Pack<W>::words, rows[i]);
    }
  }
}

/// Makes integers of the floats of a tile. Sets a bit in marks[row] for each that fails. Returns how many do.
template <class Map, class Warp>
FLOE_DEVICE std::uint32_t map_tile(Warp& warp, const EncodeChain& chain, std::uint32_t index,
                                   std::uint32_t count, std::uint8_t* tile, std::uint32_t* marks) {
  using W = typename Map::W;
  constexpr unsigned batch = 8;
  std::uint32_t own = 0;
  FLOE_NO_UNROLL
  for (unsigned first_row = 0; first_row < 32; first_row += batch) {
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned row = first_row + i;
      const std::uint32_t word = 32 * row + warp.lane();
      bool good = true;
      const Pack<W> pack = read_row<Map>(chain, index + word, word < count ? 1 : 0, good);
      store_aligned(tile + word * sizeof(W), pack.bits);
      const std::uint32_t mask = warp.ballot(!good);
      if (warp.lane() == row) own = mask;
    }
  }
  marks[warp.lane()] = own;
  warp.sync();
  return warp.reduce_add(count_bits(own));
}

/// What the tiles behind a tile of integers need of it. By one lane.
template <core::Word W>
FLOE_DEVICE void look_at_end(const std::uint8_t* tile, const std::uint32_t* marks, std::uint32_t count,
                             std::uint32_t failures, DecimalTile& out) {
  out.failures = failures;
  for (unsigned skipped = 0; skipped < 2; ++skipped) {
    const std::uint32_t words = count > skipped ? count - skipped : 0;
    out.has_last[skipped] = false;
    for (std::uint32_t row = (words + 31) / 32; row-- > 0 && !out.has_last[skipped];) {
      const std::uint32_t good = ~marks[row] & core::low_mask<std::uint32_t>(words - 32 * row);
      if (good == 0) continue;
      out.has_last[skipped] = true;
      out.last[skipped] = tile_word<W>(tile, 32 * row + core::bit_length(good) - 1);
    }
  }
}

/// Gives the words of a tile that failed the last integer before them, beginning with `last`, and calls
/// put(index, n) for the n-th of them.
template <core::Word W, class Warp, class Put>
FLOE_DEVICE void repair_tile(Warp& warp, std::uint8_t* tile, const std::uint32_t* marks, W last,
                             const Put& put) {
  std::uint32_t before = 0;
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < 32; ++row) {
    const std::uint32_t failed = marks[row], lower = (1u << warp.lane()) - 1;
    W word = tile_word<W>(tile, 32 * row + warp.lane());
    const std::uint32_t good = ~failed & lower;
    const W nearest = warp.shuffle(word, good == 0 ? 0 : core::bit_length(good) - 1);
    if ((failed >> warp.lane() & 1) != 0) {
      word = good == 0 ? last : nearest;
      store_aligned(tile + (32 * row + warp.lane()) * sizeof(W), word);
      put(32 * row + warp.lane(), before + count_bits(failed & lower));
    }
    last = warp.shuffle(word, warp_lanes - 1);
    before += count_bits(failed);
  }
  warp.sync();
}

}  // namespace floe::gpu
