// Bit formulas shared by every backend, and arithmetic on numbers from outside, in which a wrapped result is
// an error, not a small number.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "core/word.hpp"

static_assert(std::endian::native == std::endian::little,
              "floe's words are little-endian; big-endian hosts are not supported");

namespace floe::core {

/// Bits needed to write `w`: 0 for 0, 1 for 1, 2 for 2 and 3 ... the word's width for a set top bit.
template <Word W>
FLOE_HD constexpr unsigned bit_length(W w) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(W) == 8) return 64 - __clzll(static_cast<long long>(w));
  return 32 - __clz(static_cast<int>(w));
#else
  // Baseline x86 has no bit count that is defined for 0; asking for the length of w | 1 saves a branch.
  return static_cast<unsigned>(std::bit_width(static_cast<W>(w | 1))) - (w == 0);
#endif
}

/// The lowest `bits` bits set; `bits` may be anything from 0 to the word's width.
template <Word W>
FLOE_HD constexpr W low_mask(unsigned bits) noexcept {
  return bits >= word_bits<W> ? static_cast<W>(~W{0}) : static_cast<W>((W{1} << bits) - 1);
}

/// 0, -1, 1, -2 ... become 0, 1, 2, 3 ...: a bijection on words, so the most negative number needs no special
/// case.
template <Word W>
FLOE_HD constexpr W zigzag(W w) noexcept {
  const W sign = static_cast<W>(w >> (word_bits<W> - 1));
  return static_cast<W>(static_cast<W>(w << 1) ^ static_cast<W>(W{0} - sign));
}
template <Word W>
FLOE_HD constexpr W unzigzag(W w) noexcept {
  return static_cast<W>((w >> 1) ^ static_cast<W>(W{0} - static_cast<W>(w & 1)));
}

FLOE_HD constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0);
}

FLOE_HD constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
  return divide_up(value, alignment) * alignment;
}

inline std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// The square root, rounded down.
constexpr std::uint64_t square_root(std::uint64_t number) noexcept {
  std::uint64_t root = 0;
  for (std::uint64_t step = std::uint64_t{1} << 31; step > 0; step /= 2) {
    if ((root + step) * (root + step) <= number) root += step;
  }
  return root;
}

}  // namespace floe::core
