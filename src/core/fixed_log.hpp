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

/// The same, from a table for small numbers. Devices calculate faster than they look up.
FLOE_HD constexpr std::uint32_t fixed_log2(std::uint64_t x) noexcept {
#if defined(__CUDA_ARCH__)
  return calculate_log2(x);
#else
  return x < tabled_logs ? log_table[x] : calculate_log2(x);
#endif
}

}  // namespace floe::core
