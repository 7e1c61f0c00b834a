// SplitMix64: pseudo-random constants of the format, and its mixing function.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstdint>

#include "core/word.hpp"

namespace floe::core {

inline constexpr std::uint64_t splitmix_step = 0x9E3779B97F4A7C15;

/// A bijection of 64-bit words in which every bit of the argument reaches every bit of the result.
FLOE_HD constexpr std::uint64_t splitmix(std::uint64_t word) noexcept {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

}  // namespace floe::core
