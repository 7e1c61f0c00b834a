// The words of a chain that is packed straight to its position: those of a segment, mapped one by one, or
// their differences over a stride. Unlike in encode_chain.hpp no word depends on a word that failed: a
// chain in which one does is left to the blocks. Words are divided by a divisor that some words of the
// segment tell; if all leave its rest, it is that of the segment.
#pragma once

#include "gpu/encode/encode_int_mult.hpp"
#include "gpu/encode/encode_rows.hpp"
#include "gpu/pack/pack_job.hpp"
#include "gpu/pack/pack_registers.hpp"

namespace floe::gpu {

/// What a lane needs of it.
template <core::Word W>
struct ScaleNumbers {
  W min, inverse, max;
  unsigned shift;

  FLOE_DEVICE explicit ScaleNumbers(const SegmentDivisor& from)
      : min(static_cast<W>(from.rest ^ from.flip)),
        inverse(static_cast<W>(from.inverse)),
        max(static_cast<W>(from.max)),
        shift(from.shift) {}
};

/// Quotients of words: how many divisors they are above the least word that there could be, in the order of
/// the type. They are not yet those of `scale`, which count from the least word of the segment: that is known
/// when all tiles have been looked at, and changes nothing in them but the base of the first. Whether a word
/// does not map shows in the largest quotient of a tile (Divisor): map() does not look.
template <core::Word Out>
struct MapIntMult {
  using W = Out;
  using From = Out;
  using Numbers = ScaleNumbers<W>;
  static constexpr bool fails = true;
  FLOE_DEVICE static W map(From word, const Numbers& numbers, bool&) {
    return turned_right(static_cast<W>(static_cast<W>(word - numbers.min) * numbers.inverse), numbers.shift);
  }
};
template <class Map>
inline constexpr bool is_int_mult_map = false;
template <core::Word W>
inline constexpr bool is_int_mult_map<MapIntMult<W>> = true;
/// Maps of floats, whose trees name words that do not map. With one, a segment is not packed straight.
template <class Map>
inline constexpr bool has_exceptions = Map::fails && !is_int_mult_map<Map>;

/// The divisor and the rest of 256 words of a segment, by a warp: of four neighbours each, at 64 positions.
template <core::Word W, class Warp>
FLOE_DEVICE SegmentDivisor guess_divisor(Warp& warp, const std::uint8_t* words, std::uint32_t count, W flip) {
  constexpr unsigned neighbours = 4, samples = 64, rounds = neighbours * samples / warp_lanes;
  W word[rounds];
  FLOE_UNROLL
  for (unsigned k = 0; k < rounds; ++k) {
    const unsigned sample = k / neighbours * warp_lanes + warp.lane();
    const std::uint64_t i =
        std::uint64_t{count} * sample / samples / neighbours * neighbours + k % neighbours;
    word[k] = static_cast<W>(load_global<W>(words + (i < count ? i : count - 1) * sizeof(W)) ^ flip);
  }
  const W first = warp.shuffle(word[0], 0);
  std::uint64_t divisor = 0;
  Divisor parts;
  FLOE_UNROLL
  for (unsigned k = 0; k < rounds; ++k) {
    const std::uint64_t distance = word[k] > first ? word[k] - first : first - word[k];
    while (divisor != 1) {
      const std::uint32_t others = warp.ballot(!parts.divides(distance));
      if (others == 0) break;
      divisor = common_divisor(divisor, warp.shuffle(distance, core::bit_length(others) - 1));
      parts = Divisor(divisor);
    }
  }
  SegmentDivisor scale;
  scale.divisor = divisor;
  scale.flip = flip;
  scale.rest = first;
  if (divisor == 0) return scale;
  scale.rest %= divisor;
  scale.max = (static_cast<W>(~W{0}) - scale.rest) / divisor;
  scale.inverse = parts.inverse;
  scale.shift = parts.shift;
  return scale;
}

/// The order of differences, for code in which it is known.
template <unsigned order_>
struct DeltaOrder {
  static constexpr unsigned order = order_;
};

/// Words from some word of a segment on. What `good` says of them is published by take() alone.
template <class Map, unsigned order>
struct ChainWords {
  using W = typename Map::W;
  using From = typename Map::From;
  static constexpr unsigned batch = order == 0 && sizeof(W) < 8 ? 16 : 8;
  /// Whether full tiles are looked at in registers, and come to shared memory to be packed.
  static constexpr bool in_registers = order <= 1 && (std::is_same_v<Map, MapSame<std::uint32_t>> ||
                                                      std::is_same_v<Map, MapSame<std::uint64_t>>);

  const std::uint8_t* from;
  std::uint32_t stride;
  typename Map::Numbers numbers;

  FLOE_DEVICE Pack<W> mapped(std::uint32_t i, bool& good) const {
    const std::uint8_t* const at = from + std::uint64_t{i} * sizeof(From);
    Pack<W> pack;
    if constexpr (Pack<W>::words == 1) {
      bool is_good = true;
      pack.bits = Map::map(load_aligned<From>(at), numbers, is_good);
      good = good && is_good;
    } else {
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(at) % 4 == 0;
      pack.bits =
          is_aligned ? load_aligned<std::uint32_t>(at) : static_cast<std::uint32_t>(load_bits(at, 0, 32));
    }
    return pack;
  }
  FLOE_DEVICE W mapped_word(std::uint32_t i) const {
    bool good = true;
    return Map::map(load_aligned<From>(from + std::uint64_t{i} * sizeof(From)), numbers, good);
  }
  /// Words side by side; all of them are there.
  FLOE_DEVICE Pack<W> take(std::uint32_t i, bool& good) const {
    if constexpr (order == 0) return mapped(i, good);
    const Pack<W> here = mapped(i, good), next = mapped(i + stride, good);
    const Pack<W> step{Pack<W>::subtract(next.bits, here.bits)};
    if constexpr (order == 1) return step;
    const auto next_step = Pack<W>::subtract(mapped(i + 2 * stride, good).bits, next.bits);
    return {Pack<W>::subtract(next_step, step.bits)};
  }
  /// A lane's words of a full tile: calls keep(k, word) for each.
  template <class Keep>
  FLOE_DEVICE void take_lane(unsigned lane, const Keep& keep) const {
    static_assert(in_registers);
    const std::uint8_t* const at = from + lane * sizeof(W);
    const std::uint8_t* const next = at + std::uint64_t{stride} * sizeof(W);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      W word = load_aligned<W>(at + k * warp_lanes * sizeof(W));
      if constexpr (order == 1) word = load_aligned<W>(next + k * warp_lanes * sizeof(W)) - word;
      keep(k, word);
    }
  }
  FLOE_DEVICE Pack<W> pack(std::uint32_t i) const {
    bool good = true;
    return take(i, good);
  }
  FLOE_DEVICE W word(std::uint32_t i) const {
    if constexpr (order == 0) return mapped_word(i);
    const W next = mapped_word(i + stride), step = static_cast<W>(next - mapped_word(i));
    if constexpr (order == 1) return step;
    return static_cast<W>(static_cast<W>(mapped_word(i + 2 * stride) - next) - step);
  }
};

}  // namespace floe::gpu
