// Encodes a block of entropy with a warp, in two passes: words to symbols and extra bits, and, when
// frequencies are known, symbols to numbers of 16 bits, from the last to the first.
#pragma once

#include "gpu/entropy/encode_memory.hpp"
#include "gpu/entropy/scan_words.hpp"

namespace floe::gpu {

/// A block's memory: its states and extra bits, and behind them, up to the end, its numbers.
struct EntropySlot {
  std::uint8_t *begin, *end;
};

/// Symbols and extra bits of `count` words, of which word_at(i) gives word i. Returns the 32-bit words of
/// extra bits, which go to `extra`; `sum` becomes that of all words.
template <core::Word W, class Warp, class WordAt>
FLOE_DEVICE_CALL std::uint32_t split_block(Warp& warp, EntropyEncodeMemory& memory, std::uint32_t* staged,
                                           const WordAt& word_at, std::uint32_t count, std::uint8_t* symbols,
                                           std::uint8_t* extra, W& sum) {
  constexpr unsigned steps = trees::entropy_steps<W>;
  const trees::EntropyModel model = memory.header.model;
  const W base = static_cast<W>(model.base);
  std::uint32_t held = 0, written = 0;  // bits of the word that is not complete yet, and words before it
  for (unsigned i = warp.lane(); i < staged_extra_words; i += warp_lanes) staged[i] = 0;
  warp.sync();
  for (std::uint32_t first = 0; first < count; first += warp_lanes * steps) {
    const std::uint32_t own = first + steps * warp.lane();
    W bits[steps];
    std::uint32_t counts[steps], all = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      bits[k] = 0;
      counts[k] = 0;
      if (own + k >= count) continue;
      const W word = word_at(own + k), offset = trees::offset_of(word, model.mode, base),
              part = static_cast<W>(offset >> model.raw_bits);
      const unsigned dropped = trees::dropped_bits(part, model.mantissa_bits);
      const auto symbol = static_cast<std::uint32_t>((dropped << model.mantissa_bits) +
                                                     static_cast<std::uint32_t>(part >> dropped));
      sum = static_cast<W>(sum + word);
      symbols[own + k] = static_cast<std::uint8_t>(symbol);
      atomic_add(&memory.histogram[symbol][warp.lane()], 1);
      counts[k] = dropped + model.raw_bits;
      bits[k] = static_cast<W>(offset & core::low_mask<W>(counts[k]));
      all += counts[k];
    }
    const std::uint32_t upto = scan_words(warp, all);
    std::uint32_t place = held + upto - all;
    FLOE_UNROLL
    for (unsigned k = 0; k < steps; ++k) {
      auto* const at = reinterpret_cast<std::uint8_t*>(staged + place / 32);
      const unsigned shift = place % 32;
      const std::uint64_t word = bits[k], low = word << shift;
      if (low_half(low) != 0) warp.shared_or(at, low_half(low));
      if (high_half(low) != 0) warp.shared_or(at + 4, high_half(low));
      if (sizeof(W) == 8 && shift > 0 && word >> (64 - shift) != 0)
        warp.shared_or(at + 8, static_cast<std::uint32_t>(word >> (64 - shift)));
      place += counts[k];
    }
    held += warp.shuffle(upto, warp_lanes - 1);
    warp.sync();
    const std::uint32_t complete = held / 32, rest = staged[complete];
    for (std::uint32_t i = warp.lane(); i < complete; i += warp_lanes)
      store_aligned(extra + 4 * std::uint64_t{written + i}, staged[i]);
    warp.sync();
    for (std::uint32_t i = warp.lane(); i <= complete; i += warp_lanes) staged[i] = 0;
    warp.sync();
    if (warp.lane() == 0) staged[0] = rest;
    warp.sync();
    written += complete;
    held %= 32;
  }
  if (held > 0 && warp.lane() == 0) store_aligned(extra + 4 * std::uint64_t{written}, staged[0]);
  warp.sync();
  return written + (held > 0 ? 1 : 0);
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
