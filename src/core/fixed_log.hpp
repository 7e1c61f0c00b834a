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

/// What a device's own logarithm of a number between 1 and 2 is off by at most (lg2.approx.f32).
inline constexpr double max_device_log_error = 1.0 / (1u << 22);
/// What is added to 256 times such a logarithm, so that those of powers of two are not rounded down to what
/// is less than a whole number; those of all other numbers up to max_device_log are farther from one.
inline constexpr float device_log_margin = 1.0f / 2048;
inline constexpr std::uint64_t max_device_log = 4096;

#if defined(__CUDA_ARCH__)
__device__ inline std::uint32_t log2_of_device(std::uint32_t x) noexcept {
  if (x == 0) return 0;
  constexpr unsigned mantissa_bits = 23, bias = 127;
  const std::uint32_t bits = __float_as_uint(static_cast<float>(x)),
                      mantissa = (bits & ((1u << mantissa_bits) - 1)) | bias << mantissa_bits;
  const float log = __log2f(__uint_as_float(mantissa)) * (1u << log_fraction_bits) + device_log_margin;
  return (((bits >> mantissa_bits) - bias) << log_fraction_bits) + static_cast<std::uint32_t>(log);
}
#endif

/// The same, by whatever is fastest: a table for small numbers. Precondition on devices: x is not more than
/// max_device_log.
FLOE_HD constexpr std::uint32_t fixed_log2(std::uint64_t x) noexcept {
#if defined(__CUDA_ARCH__)
  return log2_of_device(static_cast<std::uint32_t>(x));
#else
  return x < tabled_logs ? log_table[x] : calculate_log2(x);
#endif
}

}  // namespace floe::core
