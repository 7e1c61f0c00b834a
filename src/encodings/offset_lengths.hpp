// Bit lengths of the offsets of words from the smallest one, which say what two ranges of words, one above
// the other, would need.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

#include "core/bits.hpp"

namespace floe::trees {

/// Of each bit length: how many offsets have it, and the smallest one.
template <core::Word W>
struct OffsetLengths {
  std::array<std::uint64_t, core::word_bits<W> + 1> counts{};
  std::array<W, core::word_bits<W> + 1> min;
};

/// Every `step`-th word counts, from the first one on.
template <core::Word W>
OffsetLengths<W> count_offset_lengths(std::span<const W> words, W base, std::size_t step = 1) {
  OffsetLengths<W> all;
  all.min.fill(static_cast<W>(~W{0}));
  // Neighbours often have the same length: in turns with several counters, none waits for the one before.
  constexpr std::size_t copies = 4;
  std::array<std::array<std::uint32_t, copies>, std::tuple_size_v<decltype(all.counts)>> counts{};
  for (std::size_t i = 0, turn = 0; i < words.size(); i += step, ++turn) {
    const W offset = static_cast<W>(words[i] - base);
    const unsigned length = core::bit_length(offset);
    ++counts[length][turn % copies];
    if (offset < all.min[length]) all.min[length] = offset;  // seldom
  }
  for (std::size_t length = 0; length < counts.size(); ++length) {
    for (const std::uint32_t count : counts[length]) all.counts[length] += count;
  }
  return all;
}

}  // namespace floe::trees
