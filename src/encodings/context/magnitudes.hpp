// How large words are: their size in bits, in steps of a quarter.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/word.hpp"

namespace floe::trees {

inline constexpr std::size_t max_contexts = 252;

/// Of a word whose top bit is its sign where `sign` has it: numbers below 8 as they are, then each doubling
/// is four more. At most 251.
template <core::Word W>
constexpr std::uint8_t magnitude_of(W word, W sign) {
  const W is_negative = static_cast<W>((word & sign) >> (core::word_bits<W> - 1));
  const std::uint64_t size = static_cast<W>(word ^ static_cast<W>(W{0} - is_negative));
  const unsigned shift = 61 - static_cast<unsigned>(std::countl_zero(size | 7));
  return static_cast<std::uint8_t>(4 * shift + (size >> shift));
}

/// Of all bytes.
template <std::uint8_t sign>
inline constexpr auto magnitudes_of_bytes = [] {
  std::array<std::uint8_t, 256> all{};
  for (unsigned byte = 0; byte < all.size(); ++byte)
    all[byte] = magnitude_of<std::uint8_t>(static_cast<std::uint8_t>(byte), sign);
  return all;
}();

template <core::Word W>
void find_magnitudes(const W* words, std::size_t count, W sign, std::uint8_t* to) {
  if constexpr (sizeof(W) == 1) {
    const auto& of_bytes = sign != 0 ? magnitudes_of_bytes<0x80> : magnitudes_of_bytes<0>;
    for (std::size_t i = 0; i < count; ++i) to[i] = of_bytes[words[i]];
  } else if constexpr (sizeof(W) == 2) {
    // Numbers of 16 bits are floats without rounding, whose exponents and first two digits say the same.
    for (std::size_t i = 0; i < count; ++i) {
      const W is_negative = static_cast<W>((words[i] & sign) >> 15);
      const auto size =
          static_cast<std::int32_t>(static_cast<W>(words[i] ^ static_cast<W>(W{0} - is_negative)));
      const std::int32_t from_four_on = (std::bit_cast<std::int32_t>(static_cast<float>(size)) >> 21) - 512;
      to[i] = static_cast<std::uint8_t>(std::max(std::min(size, 3), from_four_on));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = magnitude_of(words[i], sign);
  }
}

}  // namespace floe::trees
