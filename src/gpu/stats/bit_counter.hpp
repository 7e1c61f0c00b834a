// How many words have which of 32 bits set? A lane counts in bit planes, 32 counters side by side; a warp
// adds up its lanes'.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::series_cuda {

/// Bit k of plane p is bit p of counter k. Counts to 2^planes - 1.
template <unsigned planes>
struct BitCounter {
  static_assert(planes >= 3);
  std::uint32_t plane[planes] = {};

  /// Counts the set bits of four words: three full adders, and the carry goes on through half adders.
  FLOE_DEVICE void add(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    const std::uint32_t first_carry = add_up(a, b, c);
    const std::uint32_t second_carry = add_up(plane[0], a, d);
    std::uint32_t carry = add_up(plane[1], first_carry, second_carry);
    FLOE_UNROLL
    for (unsigned p = 2; p < planes; ++p) {
      const std::uint32_t sum = plane[p] ^ carry;
      carry &= plane[p];
      plane[p] = sum;
    }
  }

  /// Adds b and c to a, bit by bit; returns the carries.
  static FLOE_DEVICE std::uint32_t add_up(std::uint32_t& a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t carry = (a & b) | (c & (a | b));
    a ^= b ^ c;
    return carry;
  }
};

/// Lane k gets counter k, summed over all lanes.
template <unsigned planes, class Warp>
FLOE_DEVICE std::uint32_t sum_counters(Warp& warp, const BitCounter<planes>& counter) {
  constexpr unsigned max_planes = planes + 5;
  std::uint32_t plane[max_planes] = {};
  FLOE_UNROLL
  for (unsigned p = 0; p < planes; ++p) plane[p] = counter.plane[p];
  FLOE_UNROLL
  for (unsigned step = 0; step < 5; ++step) {
    std::uint32_t carry = 0;
    FLOE_UNROLL
    for (unsigned p = 0; p < max_planes; ++p) {
      if (p < planes + step) {
        const std::uint32_t other = warp.shuffle(plane[p], warp.lane() ^ (1u << step));
        carry = BitCounter<planes>::add_up(plane[p], other, carry);
      } else if (p == planes + step) {
        plane[p] = carry;
      }
    }
  }
  std::uint32_t count = 0;
  FLOE_UNROLL
  for (unsigned p = 0; p < max_planes; ++p) count |= (plane[p] >> warp.lane() & 1) << p;
  return count;
}

}  // namespace floe::series_cuda
