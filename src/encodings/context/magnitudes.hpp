// How large words are: their size in bits, in steps of a quarter.
#pragma once

#include <bit>
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

}  // namespace floe::trees
