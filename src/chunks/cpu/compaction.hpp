// Eight bytes at a time: which of them are chosen, the chosen ones moved together, and back. Choices are
// written as a 64-bit word with 1 in every chosen byte ("flags") or as one bit per byte ("mask").
#pragma once

#include "core/bits.hpp"

namespace floe::cpu {

inline constexpr std::uint64_t every_byte = 0x0101010101010101;

/// Flags of the bytes that are not zero.
inline std::uint64_t nonzero_flags(std::uint64_t bytes) {
  constexpr std::uint64_t low_seven = 0x7f * every_byte;
  return ((((bytes & low_seven) + low_seven) | bytes) >> 7) & every_byte;
}

inline std::uint8_t mask_of(std::uint64_t flags) {
  return static_cast<std::uint8_t>((flags * 0x0102040810204080) >> 56);
}

inline std::uint64_t flags_of(std::uint8_t mask) {
  return nonzero_flags((mask * every_byte) & 0x8040201008040201);
}

/// Byte b: how many of bytes 0 to b are chosen.
inline std::uint64_t ranks_of(std::uint64_t flags) { return flags * every_byte; }

/// Appends the chosen bytes and returns how many they are. Writes up to 8 bytes.
inline std::size_t append_chosen(std::uint64_t bytes, std::uint64_t flags, std::uint8_t* to) {
  if (flags == 0) return 0;
  if (flags == every_byte) {
    core::store(to, bytes);
    return 8;
  }
  // Every byte goes to the position of the next chosen one; a chosen byte overwrites those that were not
  // chosen before it.
  const std::uint64_t ranks = ranks_of(flags), positions = ranks - flags;
  for (unsigned b = 0; b < 8; ++b)
    to[positions >> (8 * b) & 0xff] = static_cast<std::uint8_t>(bytes >> (8 * b));
  return ranks >> 56;
}

/// Takes one byte per flag from `from`; bytes that are not chosen are zero. Reads up to 8 bytes.
inline std::uint64_t spread_chosen(const std::uint8_t* from, std::uint64_t flags) {
  if (flags == 0) return 0;
  if (flags == every_byte) return core::load<std::uint64_t>(from);
  const std::uint64_t positions = ranks_of(flags) - flags;
  std::uint64_t bytes = 0;
  for (unsigned b = 0; b < 8; ++b)
    bytes |= static_cast<std::uint64_t>(from[positions >> (8 * b) & 0xff]) << (8 * b);
  return bytes & (flags * 0xff);
}

inline std::size_t count_ones(const std::uint8_t* bytes, std::size_t size) {
  std::size_t ones = 0, i = 0;
  for (; i + 8 <= size; i += 8)
    ones += static_cast<std::size_t>(std::popcount(core::load<std::uint64_t>(bytes + i)));
  for (; i < size; ++i) ones += static_cast<std::size_t>(std::popcount(bytes[i]));
  return ones;
}

}  // namespace floe::cpu
