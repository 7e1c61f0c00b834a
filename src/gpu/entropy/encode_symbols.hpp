// Encodes the symbols of a block of entropy with a warp, when frequencies are known: to numbers of 16 bits,
// from the last symbol to the first.
#pragma once

#include "gpu/entropy/encode_memory.hpp"
#include "gpu/warp/memory_access.hpp"

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

/// The other way round.
template <unsigned steps>
FLOE_DEVICE SymbolGroup<steps> join_symbols(const std::uint32_t (&symbol)[steps]) {
  std::uint32_t half[2] = {};
  FLOE_UNROLL
  for (unsigned k = steps; k-- > 0;) half[k / 4] = half[k / 4] * 256 + symbol[k];
  return static_cast<SymbolGroup<steps>>(std::uint64_t{half[1]} << 32 | half[0]);
}

/// The state before a symbol, as state_before in simd/entropy/entropy.inl.
FLOE_DEVICE std::uint32_t state_before(std::uint32_t state, const EntropyCodeEntry& entry, unsigned bits) {
  const std::uint32_t frequency = entry.code & 0xFFFF, others = (1u << bits) - frequency;
  const auto quotient = static_cast<std::uint32_t>(std::uint64_t{state} * entry.inverse >> 32);
  std::uint32_t before = state + quotient * others;  // the quotient, and the remainder in the lowest bits
  if (before - (quotient << bits) >= frequency) before += others;  // it was one too small
  return before + (entry.code >> 16);
}

/// A buffer in shared memory that numbers fill from its end on. They leave it in pieces of half of it.
class NumbersBuffer {
 public:
  static constexpr std::uint32_t piece_bytes = 16 * warp_lanes;

  /// `buffer`: two pieces. `end`: where the last number ends, a multiple of 16.
  FLOE_DEVICE NumbersBuffer(std::uint8_t* buffer, std::uint8_t* end)
      : buffer_(buffer), to_(end), at_(position_of(buffer + 2 * piece_bytes)), end_(at_) {}

  /// Lanes that work and whose `upper` is not less than `limit` give up the lower half of their state. These
  /// numbers go before the others, in the order of lanes. `before`: the lanes before.
  template <class Warp>
  FLOE_DEVICE void give(Warp& warp, std::uint32_t& state, std::uint32_t upper, std::uint32_t limit,
                        std::uint32_t works, std::uint32_t before) {
#if defined(__CUDA_ARCH__)
    std::uint32_t next;  // in a register of its own, so that the store need not come first
    asm volatile(
        "{\n\t.reg .pred p, w;\n\t.reg .u32 lanes, own;\n\t"
        "setp.ne.u32 w, %4, 0;\n\tsetp.ge.and.u32 p, %2, %3, w;\n\t"
        "vote.sync.ballot.b32 lanes, p, 0xffffffff;\n\t"
        "and.b32 own, lanes, %5;\n\tpopc.b32 own, own;\n\tpopc.b32 lanes, lanes;\n\t"
        "mad.lo.u32 %1, lanes, -2, %1;\n\tmad.lo.u32 own, own, 2, %1;\n\t"
        "@p st.shared.u16 [own], %6;\n\tshr.u32 own, %6, 16;\n\tselp.u32 %0, own, %6, p;\n\t}"
        : "=&r"(next), "+r"(at_)
        : "r"(upper), "r"(limit), "r"(works), "r"(before), "r"(state)
        : "memory");
    state = next;
#else
    const bool gives = works != 0 && upper >= limit;
    const std::uint32_t lanes = warp.ballot(gives);
    at_ -= 2 * count_bits(lanes);
    if (!gives) return;
    store_aligned(at_ + 2 * count_bits(lanes & before), static_cast<std::uint16_t>(state));
    state >>= 16;
#endif
  }
  /// Makes room for as many numbers as a piece has. By all lanes.
  template <class Warp>
  FLOE_DEVICE void make_room(Warp& warp) {
    if (held() < piece_bytes) return;
    using Piece = Vector<std::uint32_t>;
    std::uint8_t *const first = buffer_ + 16 * warp.lane(), *const last = first + piece_bytes;
    warp.sync();
    store_aligned(to_ - piece_bytes + 16 * warp.lane(), load_aligned<Piece>(last));
    store_aligned(last, load_aligned<Piece>(first));
    warp.sync();
    to_ -= piece_bytes;
    at_ += piece_bytes;
  }
  /// Puts the numbers that are left. Returns where the first of all is.
  template <class Warp>
  FLOE_DEVICE const std::uint8_t* finish(Warp& warp) {
    const std::uint32_t bytes = held();
    warp.sync();
    for (std::uint32_t i = 2 * (warp.lane() + 1); i <= bytes; i += 2 * warp_lanes)
      store_aligned(to_ - i, load_aligned<std::uint16_t>(buffer_ + 2 * piece_bytes - i));
    return to_ - bytes;
  }

 private:
#if defined(__CUDA_ARCH__)
  using Position = std::uint32_t;  // an address in shared memory
  static FLOE_DEVICE Position position_of(std::uint8_t* byte) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(byte));
  }
#else
  using Position = std::uint8_t*;
  static Position position_of(std::uint8_t* byte) { return byte; }
#endif
  [[nodiscard]] FLOE_DEVICE std::uint32_t held() const { return static_cast<std::uint32_t>(end_ - at_); }

  std::uint8_t *buffer_, *to_;
  Position at_, end_;
};

/// The same symbols: whatever is made of them waits for them here, and not as soon as they are asked for.
template <unsigned steps>
FLOE_DEVICE SymbolGroup<steps> taken_now(SymbolGroup<steps> group) {
  if constexpr (steps == 8) {
    return std::uint64_t{kept(high_half(group))} << 32 | kept(low_half(group));
  } else {
    return static_cast<SymbolGroup<steps>>(kept(group));
  }
}

/// The numbers of `count` symbols; a lane's state becomes that at their beginning. `steps` are those of a
/// group. Returns where the first number is.
template <unsigned steps, bool in_pairs, class Warp>
FLOE_DEVICE const std::uint8_t* encode_symbols_as(Warp& warp, const EntropyEncodeMemory& memory,
                                                  const std::uint8_t* symbols, std::uint32_t count,
                                                  NumbersBuffer numbers, std::uint32_t& state) {
  constexpr unsigned bits = in_pairs ? trees::short_frequency_bits : trees::long_frequency_bits,
                     groups_ahead = 6;  // of those that are asked for
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
  FLOE_NO_UNROLL
  for (std::uint32_t group = groups; group-- > 0;) {
    const SymbolGroup<steps> own = taken_now<steps>(next);
    from -= group_words;
    if (group > 0 && works != 0) next = load_aligned<SymbolGroup<steps>>(from);
    if (group >= groups_ahead) prefetch(from - (groups_ahead - 1) * group_words);
    FLOE_UNROLL
    for (unsigned k = steps; k > 0; k -= 2) {
      const EntropyCodeEntry last = memory.codes[symbol_at<steps>(own, k - 1)],
                             first = memory.codes[symbol_at<steps>(own, k - 2)];
      if constexpr (in_pairs) {
        numbers.give(warp, state, state >> 16, (first.code & 0xFFFF) * (last.code & 0xFFFF), works, before);
        state = state_before(state, last, bits);
      } else {
        numbers.give(warp, state, state >> (32 - bits), last.code & 0xFFFF, works, before);
        state = state_before(state, last, bits);
        numbers.give(warp, state, state >> (32 - bits), first.code & 0xFFFF, works, before);
      }
      state = state_before(state, first, bits);
    }
    numbers.make_room(warp);
  }
  return numbers.finish(warp);
}

/// The same, with states to `states`. Numbers end at `end`, and there is a `buffer` for some. Returns how
/// many there are.
template <unsigned steps, class Warp>
FLOE_DEVICE std::uint32_t encode_symbols(Warp& warp, const EntropyEncodeMemory& memory,
                                         const std::uint8_t* symbols, std::uint32_t count,
                                         std::uint8_t* states, std::uint8_t* end, std::uint32_t* buffer) {
  static_assert(4 * staged_extra_words >= 2 * NumbersBuffer::piece_bytes &&
                2 * warp_lanes * steps <= NumbersBuffer::piece_bytes);
  std::uint32_t state = trees::min_entropy_state;
  const NumbersBuffer numbers(reinterpret_cast<std::uint8_t*>(buffer), end);
  const std::uint8_t* const first =
      memory.header.frequency_bits == trees::short_frequency_bits
          ? encode_symbols_as<steps, true>(warp, memory, symbols, count, numbers, state)
          : encode_symbols_as<steps, false>(warp, memory, symbols, count, numbers, state);
  if (warp.lane() < 1u << memory.header.lane_bits) store_aligned(states + 4 * warp.lane(), state);
  warp.sync();
  return static_cast<std::uint32_t>(end - first) / 2;
}

}  // namespace floe::gpu
