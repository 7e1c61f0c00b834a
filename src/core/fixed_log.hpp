// Logarithms in fixed point: the same on every machine, so that whoever compares costs decides the same.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.hpp"

namespace floe::core {

inline constexpr unsigned log_fraction_bits = 8;

/// log2(x) * 256, rounded down; 0 for 0. Each squaring of the mantissa gives one more bit.
FLOE_HD constexpr std::uint32_t calculate_log2(std::uint64_t x) noexcept {
  if (x == 0) return 0;
  const unsigned whole = bit_length(x) - 1;
  std::uint64_t mantissa = whole >= 31 ? x >> (whole - 31) : x << (31 - whole);
  std::uint32_t log = whole;
  for (unsigned i = 0; i < log_fraction_bits; ++i) {
    mantissa = mantissa * mantissa >> 31;
    const auto bit = static_cast<std::uint32_t>(mantissa >> 32);
    mantissa >>= bit;
    log = log << 1 | bit;
  }
  return log;
}

#if !defined(__CUDA_ARCH__)
inline constexpr std::uint64_t tabled_logs = 4096;
inline constexpr auto log_table = [] {
  std::array<std::uint16_t, tabled_logs> table{};
  for (std::uint64_t x = 0; x < tabled_logs; ++x) table[x] = static_cast<std::uint16_t>(calculate_log2(x));
  return table;
}();
#endif

/// The same for numbers of 32 bits. The mantissa has 32 of them, so that half of its square is one
/// multiplication.
FLOE_HD constexpr std::uint32_t calculate_log2_of_32(std::uint32_t x) noexcept {
  if (x == 0) return 0;
  const unsigned whole = bit_length(x) - 1;
  std::uint32_t mantissa = x << (31 - whole), zeros = 0;
  for (unsigned i = 0; i < log_fraction_bits; ++i) {
    const std::uint64_t square = std::uint64_t{mantissa} * mantissa;
    const auto is_small = static_cast<std::uint32_t>(square >> 63 ^ 1);
    mantissa = static_cast<std::uint32_t>(square << is_small >> 32);
    zeros = zeros << 1 | is_small;
  }
  return (whole + 1) * (1u << log_fraction_bits) - 1 - zeros;
}

/// The same, from a table for small numbers. Devices calculate faster than they look up.
FLOE_HD constexpr std::uint32_t fixed_log2(std::uint64_t x) noexcept {
#if defined(__CUDA_ARCH__)
  return x >> 32 == 0 ? calculate_log2_of_32(static_cast<std::uint32_t>(x)) : calculate_log2(x);
#else
  return x < tabled_logs ? log_table[x] : calculate_log2(x);
#endif
}

}  // namespace floe::core
