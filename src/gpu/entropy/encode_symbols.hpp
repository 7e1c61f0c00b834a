// Encodes the symbols of a block of entropy with a warp, when frequencies are known: to numbers of 16 bits,
// from the last symbol to the first.
#pragma once

#include "gpu/entropy/encode_memory.hpp"

namespace floe::gpu {

/// As many symbols as a lane has in a group, as one number.
template <unsigned steps>
using SymbolGroup = std::conditional_t<steps == 8, std::uint64_t,
                                       std::conditional_t<steps == 4, std::uint32_t, std::uint16_t>>;
template <unsigned steps>
FLOE_DEVICE std::uint32_t symbol_at(SymbolGroup<steps> group, unsigned k) {
  const std::uint32_t half = steps == 8 && k >= 4 ? high_half(group) : static_cast<std::uint32_t>(group);
  return half >> (8 * (k % 4)) & 255;
}

/// The state before a symbol, as state_before in simd/entropy/entropy.inl.
FLOE_DEVICE std::uint32_t state_before(std::uint32_t state, const EntropyCodeEntry& entry, unsigned bits) {
  const std::uint32_t frequency = entry.code & 0xFFFF;
  auto quotient = static_cast<std::uint32_t>(std::uint64_t{state} * entry.inverse >> 32);
  if (state - quotient * frequency >= frequency) ++quotient;  // it was exact, or one too small
  return state + quotient * ((1u << bits) - frequency) + (entry.code >> 16);
}

/// Lanes whose `upper` is not less than `limit` give up the lower half of their state. These numbers go
/// before those at `at`, from `base` on, in the order of lanes. `before`: the lanes before.
template <class Warp>
FLOE_DEVICE void give_numbers(Warp& warp, std::uint32_t& state, std::uint32_t upper, std::uint32_t limit,
                              std::uint8_t* base, std::uint32_t& at, std::uint32_t before) {
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{\n\t.reg .pred p;\n\t.reg .u32 lanes, own;\n\t.reg .u64 to;\n\t"
      "setp.ge.u32 p, %2, %3;\n\tvote.sync.ballot.b32 lanes, p, 0xffffffff;\n\t"
      "and.b32 own, lanes, %5;\n\tpopc.b32 own, own;\n\tpopc.b32 lanes, lanes;\n\t"
      "mad.lo.u32 %1, lanes, -2, %1;\n\tmad.lo.u32 own, own, 2, %1;\n\t"
      "cvt.u64.u32 to, own;\n\tadd.u64 to, to, %4;\n\t"
      "@p st.global.u16 [to], %0;\n\t@p shr.u32 %0, %0, 16;\n\t}"
      : "+r"(state), "+r"(at)
      : "r"(upper), "r"(limit), "l"(__cvta_generic_to_global(base)), "r"(before)
      : "memory");
#else
  const std::uint32_t lanes = warp.ballot(upper >= limit);
  at -= 2 * count_bits(lanes);
  if (upper < limit) return;
  store_aligned(base + at + 2 * count_bits(lanes & before), static_cast<std::uint16_t>(state));
  state >>= 16;
#endif
}

/// The same symbols: whatever is made of them waits for them here, and not as soon as they are asked for.
template <unsigned steps>
FLOE_DEVICE SymbolGroup<steps> taken_now(SymbolGroup<steps> group) {
  if constexpr (steps == 8) {
    return std::uint64_t{kept(high_half(group))} << 32 | kept(low_half(group));
  } else {
    return static_cast<SymbolGroup<steps>>(kept(group));
  }
}

/// The numbers of `count` symbols, which end `room` bytes behind `base`; a lane's state becomes that at their
/// beginning. `steps` are those of a group. Returns how many numbers there are.
template <unsigned steps, bool in_pairs, class Warp>
FLOE_DEVICE std::uint32_t encode_symbols_as(Warp& warp, const EntropyEncodeMemory& memory,
                                            const std::uint8_t* symbols, std::uint32_t count,
                                            std::uint8_t* base, std::uint32_t room, std::uint32_t& state) {
  constexpr unsigned bits = in_pairs ? trees::short_frequency_bits : trees::long_frequency_bits;
  const unsigned lanes = 1u << memory.header.lane_bits, lane = warp.lane();
  const std::uint32_t group_words = lanes * steps, before = (1u << lane) - 1,
                      works = lane < lanes ? ~std::uint32_t{0} : 0,  // other lanes never give numbers
      groups = (count + group_words - 1) / group_words;
  const std::uint8_t* from = symbols + std::uint64_t{groups - 1} * group_words + steps * lane;
  const std::uint32_t left = count - (groups - 1) * group_words;
  SymbolGroup<steps> next = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < steps; ++k) {
    const std::uint32_t symbol = works != 0 && steps * lane + k < left ? from[k] : memory.most_frequent;
    next = static_cast<SymbolGroup<steps>>(next | static_cast<SymbolGroup<steps>>(symbol) << (8 * k));
  }
  std::uint32_t at = room;
  FLOE_NO_UNROLL
  for (std::uint32_t group = groups; group-- > 0;) {
    const SymbolGroup<steps> own = taken_now<steps>(next);
    from -= group_words;
    if (group > 0 && works != 0) next = load_aligned<SymbolGroup<steps>>(from);
    FLOE_UNROLL
    for (unsigned k = steps; k > 0; k -= 2) {
      const EntropyCodeEntry last = memory.codes[symbol_at<steps>(own, k - 1)],
                             first = memory.codes[symbol_at<steps>(own, k - 2)];
      if constexpr (in_pairs) {
        give_numbers(warp, state, state >> 16 & works, (first.code & 0xFFFF) * (last.code & 0xFFFF), base, at,
                     before);
        state = state_before(state, last, bits);
      } else {
        give_numbers(warp, state, state >> (32 - bits) & works, last.code & 0xFFFF, base, at, before);
        state = state_before(state, last, bits);
        give_numbers(warp, state, state >> (32 - bits) & works, first.code & 0xFFFF, base, at, before);
      }
      state = state_before(state, first, bits);
    }
  }
  return (room - at) / 2;
}

/// The same, with states to `states`.
template <unsigned steps, class Warp>
FLOE_DEVICE std::uint32_t encode_symbols(Warp& warp, const EntropyEncodeMemory& memory,
                                         const std::uint8_t* symbols, std::uint32_t count,
                                         std::uint8_t* states, std::uint8_t* base, std::uint32_t room) {
  std::uint32_t state = trees::min_entropy_state;
  const std::uint32_t numbers =
      memory.header.frequency_bits == trees::short_frequency_bits
          ? encode_symbols_as<steps, true>(warp, memory, symbols, count, base, room, state)
          : encode_symbols_as<steps, false>(warp, memory, symbols, count, base, room, state);
  if (warp.lane() < 1u << memory.header.lane_bits) store_aligned(states + 4 * warp.lane(), state);
  warp.sync();
  return numbers;
}

}  // namespace floe::gpu
