// The divisor of all words of a stream, less the smallest one: a multiplication says whether one divides.
#pragma once

#include "gpu/encode/encode_select.hpp"

namespace floe::gpu {

/// The position of the lowest bit that is set; there is one.
template <core::Word W>
FLOE_DEVICE unsigned lowest_bit(W number) {
#if defined(__CUDA_ARCH__)
  return (sizeof(W) == 8 ? __ffsll(static_cast<long long>(number)) : __ffs(static_cast<int>(number))) - 1;
#else
  return std::countr_zero(number);
#endif
}

FLOE_DEVICE std::uint32_t turned_right(std::uint32_t word, unsigned shift) {
  return funnel_right(word, word, shift);
}
FLOE_DEVICE std::uint64_t turned_right(std::uint64_t word, unsigned shift) {
  const std::uint32_t low = low_half(word), high = high_half(word);
  const std::uint32_t first = shift < 32 ? low : high, second = shift < 32 ? high : low;
  return funnel_right(first, second, shift) | std::uint64_t{funnel_right(second, first, shift)} << 32;
}

/// What divides words, as odd << shift, and what multiplies with the odd part to 1: by Newton's iteration,
/// which doubles the right bits, beginning with 3. What becomes of a number that is no multiple is larger
/// than all quotients: its lowest bits, or those of the product that no multiple has, come out on top.
struct Divisor {
  std::uint64_t inverse = 1, max = 0;
  unsigned shift = 0;

  Divisor() = default;  ///< That of 0, and of nothing else.
  FLOE_DEVICE explicit Divisor(std::uint64_t divisor)
      : max(~std::uint64_t{0} / divisor), shift(lowest_bit(divisor)) {
    const std::uint64_t odd = divisor >> shift;
    inverse = odd;
    for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  }
  FLOE_DEVICE bool divides(std::uint64_t number) const {
    return turned_right(number * inverse, shift) <= max;
  }
};

/// Brings b to 0 by subtractions, with odd a, as devices divide slowly. Of 64 bits, until 32 are enough.
template <core::Word W>
FLOE_DEVICE void reduce_to_divisor(W& a, W& b) {
  while (b != 0 && (sizeof(W) == 4 || ((a | b) >> (core::word_bits<W> / 2)) != 0)) {
    b >>= lowest_bit(b);
    const W less = a < b ? a : b;
    b = a < b ? b - a : a - b;
    a = less;
  }
}
FLOE_DEVICE std::uint64_t common_divisor(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  const unsigned shift = lowest_bit(a | b);
  a >>= lowest_bit(a);
  reduce_to_divisor(a, b);
  if (b == 0) return a << shift;
  std::uint32_t low_a = low_half(a), low_b = low_half(b);
  reduce_to_divisor(low_a, low_b);
  return std::uint64_t{low_a} << shift;
}

/// What divides all differences between words, which are not all equal: also offsets from the smallest.
template <core::Word W, class Block>
FLOE_DEVICE std::uint64_t find_divisor(Block& block, const EncodeStream& stream, W flip) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const W first = static_cast<W>(stream_word<W>(stream, 0) ^ flip);
  std::uint64_t divisor = 0;
  Divisor parts;
  for (std::uint32_t from = block.warp_index() * warp_lanes; from < stream.count && divisor != 1;
       from += block.size()) {
    const std::uint32_t i = from + warp.lane();
    const W word = i < stream.count ? static_cast<W>(stream_word<W>(stream, i) ^ flip) : first;
    const std::uint64_t distance = static_cast<W>(word > first ? word - first : first - word);
    while (true) {
      const std::uint32_t others = warp.ballot(!parts.divides(distance));
      if (others == 0) break;
      divisor = common_divisor(divisor, warp.shuffle(distance, core::bit_length(others) - 1));
      parts = Divisor(divisor);
    }
  }
  block.sync();
  if (warp.lane() == 0) memory.range[block.warp_index()][2] = divisor;
  block.sync();
  divisor = 0;
  for (unsigned w = 0; w < block.warp_count(); ++w) divisor = common_divisor(divisor, memory.range[w][2]);
  block.sync();
  return divisor;
}

/// Prepares a chain that divisors: base and divisor.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void find_divisor(Block& block) {
  EncodeMemory& memory = block.memory();
  EncodeChain& chain = memory.chain;
  const EncodeStream stream = chain.from;
  const W flip = flip_of<W>(stream.type);
  const W min = find_range<W>(block, stream, flip).min;
  const std::uint64_t divisor = find_divisor<W>(block, stream, flip);
  if (block.rank() == 0) {
    const Divisor parts(divisor);
    chain.base = static_cast<W>(min ^ flip);
    chain.divisor = divisor;
    chain.shift = static_cast<std::uint8_t>(parts.shift);
    chain.inverse = parts.inverse;
  }
  block.sync();
}

}  // namespace floe::gpu
