// What divides all words of a stream, less the smallest one? Each warp keeps a divisor; a multiplication says whether it divides a word.
#pragma once

#include "series_cuda/encode_select.hpp"

namespace floe::series_cuda {

/// A number as odd << shift, and what multiplies with the odd part to 1: by Newton's iteration, which doubles the right bits, beginning
/// with 3.
struct Divisor {
  std::uint64_t odd = 1, inverse = 1;
  unsigned shift = 0;

  FLOE_DEVICE explicit Divisor(std::uint64_t divisor) {
    shift = core::bit_length(divisor & (0 - divisor)) - 1;
    odd = divisor >> shift;
    inverse = odd;
    for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  }
};

FLOE_DEVICE std::uint64_t common_divisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// What divides all differences between words, which are not all equal. The same as what divides all offsets from the smallest one.
template <core::Word W, class Team>
FLOE_DEVICE std::uint64_t find_divisor(Team& team, const EncodeStream& stream, W flip) {
  EncodeMemory& memory = team.memory();
  auto& warp = team.warp();
  const W first = static_cast<W>(stream_word<W>(stream, 0) ^ flip);
  std::uint64_t divisor = 0, inverse = 0, most = 0;
  unsigned shift = 0;
  for (std::uint32_t from = team.warp_index() * warp_lanes; from < stream.count && divisor != 1; from += team.size()) {
    const std::uint32_t i = from + warp.lane();
    const W word = i < stream.count ? static_cast<W>(stream_word<W>(stream, i) ^ flip) : first;
    const std::uint64_t distance = static_cast<W>(word > first ? word - first : first - word);
    while (true) {
      const bool fits =
          divisor == 0 ? distance == 0 : (distance & core::low_mask<std::uint64_t>(shift)) == 0 && (distance >> shift) * inverse <= most;
      const std::uint32_t others = warp.ballot(!fits);
      if (others == 0) break;
      divisor = common_divisor(divisor, warp.shuffle(distance, core::bit_length(others) - 1));
      const Divisor parts(divisor);
      inverse = parts.inverse;
      shift = parts.shift;
      most = ~std::uint64_t{0} / parts.odd;
    }
  }
  team.sync();
  if (warp.lane() == 0) memory.range[team.warp_index()][2] = divisor;
  team.sync();
  divisor = 0;
  for (unsigned w = 0; w < team.warp_count(); ++w) divisor = common_divisor(divisor, memory.range[w][2]);
  team.sync();
  return divisor;
}

/// Prepares a chain that scales: base and divisor.
template <core::Word W, class Team>
FLOE_DEVICE_CALL void find_scale(Team& team) {
  EncodeMemory& memory = team.memory();
  EncodeChain& chain = memory.chain;
  const EncodeStream stream = chain.from;
  const W flip = flip_of<W>(stream.type);
  W least = 0, most = 0;
  find_range<W>(team, stream, flip, least, most);
  const std::uint64_t divisor = find_divisor<W>(team, stream, flip);
  if (team.rank() == 0) {
    const Divisor parts(divisor);
    chain.base = static_cast<W>(least ^ flip);
    chain.divisor = divisor;
    chain.shift = static_cast<std::uint8_t>(parts.shift);
    chain.inverse = parts.inverse;
  }
  team.sync();
}

}  // namespace floe::series_cuda
