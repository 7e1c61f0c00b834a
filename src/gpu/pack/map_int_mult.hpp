// Divides words that are packed straight to their place. By a divisor that some words of the segment
// published beforehand: the largest that can be. If all words leave its rest, it is the one of the segment; a
// segment in which one does not is left to the blocks.
#pragma once

#include "gpu/encode/encode_int_mult.hpp"
#include "gpu/pack/pack_job.hpp"

namespace floe::gpu {

/// What a lane needs of it.
template <core::Word W>
struct ScaleNumbers {
  W least, inverse, most;
  unsigned shift;

  FLOE_DEVICE explicit ScaleNumbers(const SegmentDivisor& from)
      : least(static_cast<W>(from.rest ^ from.flip)),
        inverse(static_cast<W>(from.inverse)),
        most(static_cast<W>(from.most)),
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
    return turned_right(static_cast<W>(static_cast<W>(word - numbers.least) * numbers.inverse),
                        numbers.shift);
  }
};
template <class Map>
inline constexpr bool is_int_mult_map = false;
template <core::Word W>
inline constexpr bool is_int_mult_map<MapIntMult<W>> = true;
/// Maps of floats, whose trees name the words that do not map: none, or the segment is not packed straight to
/// its place.
template <class Map>
inline constexpr bool has_exceptions = Map::fails && !is_int_mult_map<Map>;

/// The divisor and the rest of 256 words of a segment, by a warp: of four neighbours each, which memory gives
/// at once, in 64 places.
template <core::Word W, class Warp>
FLOE_DEVICE SegmentDivisor guess_divisor(Warp& warp, const std::uint8_t* words, std::uint32_t count, W flip) {
  constexpr unsigned neighbours = 4, places = 64, rounds = neighbours * places / warp_lanes;
  W word[rounds];
  FLOE_UNROLL
  for (unsigned k = 0; k < rounds; ++k) {
    const unsigned place = k / neighbours * warp_lanes + warp.lane();
    const std::uint64_t i = std::uint64_t{count} * place / places / neighbours * neighbours + k % neighbours;
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
  scale.most = (static_cast<W>(~W{0}) - scale.rest) / divisor;
  scale.inverse = parts.inverse;
  scale.shift = parts.shift;
  return scale;
}

}  // namespace floe::gpu
