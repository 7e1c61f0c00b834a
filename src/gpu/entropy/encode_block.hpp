// Encodes a block of entropy with a warp, in two passes: words to symbols and extra bits, and, when
// frequencies are known, symbols to numbers of 16 bits, from the last to the first.
#pragma once

#include "gpu/entropy/encode_memory.hpp"
#include "gpu/entropy/scan_words.hpp"
#include "gpu/warp/lane_bytes.hpp"

namespace floe::gpu {

/// A block's memory: its states and extra bits, and behind them, up to the end, its numbers.
struct EntropySlot {
  std::uint8_t *begin, *end;
};

/// As many symbols as a lane has in a group, in memory.
template <unsigned steps>
struct alignas(steps) SymbolGroup {
  std::uint8_t symbol[steps];
};

/// Up to 128 bits; those above `count` are zero.
struct ExtraBits {
  std::uint32_t word[4] = {}, count = 0;
};

/// A lane's pieces, one behind the other.
template <core::Word W, unsigned steps>
FLOE_DEVICE ExtraBits join_extra_bits(const W (&bits)[steps], const std::uint32_t (&counts)[steps]) {
  static_assert(steps * sizeof(W) <= 16);
  if constexpr (sizeof(W) == 8) {
    static_assert(steps == 2);
    const std::uint64_t low = bits[0] | shift_left(bits[1], counts[0]),
                        high = shift_right(bits[1], 64 - counts[0]);
    return {{low_half(low), high_half(low), low_half(high), high_half(high)}, counts[0] + counts[1]};
  } else {
    constexpr unsigned joined = 4 / sizeof(W);  // pieces that 32 bits hold
    std::uint32_t piece[4] = {}, length[4] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const std::uint32_t own = bits[k];
      piece[k / joined] |= k % joined == 0 ? own : own << length[k / joined];
      length[k / joined] += counts[k];
    }
    const LaneBytes all = join_pieces(piece, length);
    return {{low_half(all.low), high_half(all.low), low_half(all.high), high_half(all.high)},
            length[0] + length[1] + length[2] + length[3]};
  }
}

/// Puts a lane's bits to a ring from bit `place` on, where it is zero. Lanes may share their first and last
/// words.
template <class Warp>
FLOE_DEVICE void put_extra_bits(Warp& warp, std::uint32_t* ring, std::uint32_t place, const ExtraBits& bits) {
  const auto at = [&](std::uint32_t i) {
    return reinterpret_cast<std::uint8_t*>(ring + (place / 32 + i) % staged_extra_words);
  };
  const unsigned shift = place % 32, words = (shift + bits.count + 31) / 32;
  if (bits.count == 0) return;
  const std::uint32_t* const v = bits.word;
  const std::uint32_t x[5] = {v[0] << shift, funnel_left(v[0], v[1], shift), funnel_left(v[1], v[2], shift),
                              funnel_left(v[2], v[3], shift), funnel_left(v[3], 0, shift)};
  std::uint32_t last = 0;
  FLOE_UNROLL
  for (unsigned i = 1; i < 5; ++i) {
    last = i + 1 == words ? x[i] : last;
    if (i + 1 < words) store_aligned(at(i), x[i]);
  }
  warp.shared_or(at(0), x[0]);
  if (words > 1) warp.shared_or(at(words - 1), last);
}

/// Symbols and extra bits of `count` words from `words` on. Returns the 32-bit words of extra bits, which go
/// to `extra`; `sum` becomes that of all words.
template <core::Word W, class Warp>
FLOE_DEVICE_CALL std::uint32_t split_block(Warp& warp, EntropyEncodeMemory& memory, std::uint32_t* ring,
                                           const std::uint8_t* words, std::uint32_t count,
                                           std::uint8_t* symbols, std::uint8_t* extra, W& sum) {
  constexpr unsigned steps = trees::entropy_steps<W>;
  struct alignas(steps * sizeof(W)) Group {
    W word[steps];
  };
  const trees::EntropyModel model = memory.header.model;
  const W base = static_cast<W>(model.base);
  const unsigned lane = warp.lane();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(words) % sizeof(Group) == 0;
  const auto load = [&](std::uint32_t own) {
    Group group = {};
    if (is_aligned && own + steps <= count)
      return load_aligned<Group>(words + std::uint64_t{own} * sizeof(W));
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k)
      if (own + k < count) group.word[k] = load_aligned<W>(words + (std::uint64_t{own} + k) * sizeof(W));
    return group;
  };
  std::uint32_t held = 0, written = 0;  // bits in all, and words of them that left the ring
  for (unsigned i = lane; i < staged_extra_words; i += warp_lanes) ring[i] = 0;
  warp.sync();
  Group next = load(steps * lane);
  FLOE_NO_UNROLL
  for (std::uint32_t first = 0; first < count; first += warp_lanes * steps) {
    const std::uint32_t own = first + steps * lane, own_end = own + steps;
    const Group group = next;
    next = load(own + warp_lanes * steps);
    W bits[steps];
    std::uint32_t counts[steps];
    SymbolGroup<steps> own_symbols;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      const W word = group.word[k], offset = trees::offset_of(word, model.mode, base),
              part = static_cast<W>(offset >> model.raw_bits);
      const unsigned dropped = trees::dropped_bits(part, model.mantissa_bits);
      const auto symbol = static_cast<std::uint32_t>((dropped << model.mantissa_bits) +
                                                     static_cast<std::uint32_t>(part >> dropped));
      const bool is_word = own + k < count;
      sum = static_cast<W>(sum + word);  // those behind the last one are zero
      own_symbols.symbol[k] = static_cast<std::uint8_t>(symbol);
      if (is_word) atomic_add(&memory.histogram[symbol][lane], 1);
      counts[k] = is_word ? dropped + model.raw_bits : 0;
      bits[k] = static_cast<W>(offset & core::low_mask<W>(counts[k]));
    }
    if (own_end <= count) {
      store_aligned(symbols + own, own_symbols);
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        if (own + k < count) symbols[own + k] = own_symbols.symbol[k];
    }
    const ExtraBits joined = join_extra_bits<W>(bits, counts);
    const std::uint32_t upto = scan_words(warp, joined.count);
    put_extra_bits(warp, ring, held + upto - joined.count, joined);
    held += warp.shuffle(upto, warp_lanes - 1);
    warp.sync();
    const std::uint32_t complete = held / 32;
    for (std::uint32_t i = written + lane; i < complete; i += warp_lanes) {
      std::uint32_t& word = ring[i % staged_extra_words];
      store_aligned(extra + 4 * std::uint64_t{i}, word);
      word = 0;
    }
    written = complete;
    warp.sync();
  }
  if (held % 32 > 0 && lane == 0)
    store_aligned(extra + 4 * std::uint64_t{written}, ring[written % staged_extra_words]);
  warp.sync();
  return (held + 31) / 32;
}

/// The state before a symbol, as state_before in simd/entropy.inl.
FLOE_DEVICE std::uint32_t state_before(std::uint32_t state, std::uint32_t code, std::uint32_t inverse,
                                       unsigned bits) {
  const std::uint32_t frequency = code & 0xFFFF;
  auto quotient = static_cast<std::uint32_t>(std::uint64_t{state} * inverse >> 32);
  if (state - quotient * frequency >= frequency) ++quotient;  // it was exact, or one too small
  return (quotient << bits) + (state - quotient * frequency) + (code >> 16);
}

/// The numbers of `count` symbols, which end at slot.end; states go to slot.begin. `steps` are those of a
/// group. Returns how many numbers there are.
template <unsigned steps, class Warp>
FLOE_DEVICE_CALL std::uint32_t encode_symbols(Warp& warp, const EntropyEncodeMemory& memory,
                                              const std::uint8_t* symbols, std::uint32_t count,
                                              const EntropySlot& slot) {
  const unsigned lanes = 1u << memory.header.lane_bits, bits = memory.header.frequency_bits,
                 lane = warp.lane();
  const bool in_pairs = bits == trees::short_frequency_bits;
  const std::uint32_t filler = memory.most_frequent, group_words = lanes * steps;
  std::uint32_t state = trees::min_entropy_state, numbers = 0;
  const auto load = [&](std::uint32_t group, std::uint32_t(&own)[steps]) {
    const std::uint32_t first = group * group_words + steps * lane;
    if (lane < lanes && first + steps <= count) {
      const auto loaded = load_aligned<SymbolGroup<steps>>(symbols + first);
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) own[k] = loaded.symbol[k];
      return;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k)
      own[k] = lane < lanes && first + k < count ? symbols[first + k] : filler;
  };
  const auto give = [&](bool is_large) {
    const std::uint32_t all = warp.ballot(is_large);
    numbers += count_bits(all);
    if (!is_large) return;
    store_aligned(slot.end - 2 * std::uint64_t{numbers - count_before(warp, all)},
                  static_cast<std::uint16_t>(state));
    state >>= 16;
  };
  const std::uint32_t groups = (count + group_words - 1) / group_words;
  std::uint32_t next[steps];
  load(groups - 1, next);
  FLOE_NO_UNROLL
  for (std::uint32_t group = groups; group-- > 0;) {
    std::uint32_t own[steps];
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) own[k] = next[k];
    if (group > 0) load(group - 1, next);
    FLOE_UNROLL
    for (unsigned k = steps; k > 0; k -= 2) {
      const std::uint32_t last = memory.codes[own[k - 1]], first = memory.codes[own[k - 2]],
                          last_inverse = memory.inverse[own[k - 1]],
                          first_inverse = memory.inverse[own[k - 2]];
      const bool works = lane < lanes;
      if (in_pairs) {
        give(works && state >> 16 >= (first & 0xFFFF) * (last & 0xFFFF));
      } else {
        give(works && state >> (32 - trees::long_frequency_bits) >= (last & 0xFFFF));
      }
      state = state_before(state, last, last_inverse, bits);
      if (!in_pairs) give(works && state >> (32 - trees::long_frequency_bits) >= (first & 0xFFFF));
      state = state_before(state, first, first_inverse, bits);
    }
  }
  if (lane < lanes) store_aligned(slot.begin + 4 * lane, state);
  warp.sync();
  return numbers;
}

}  // namespace floe::gpu
