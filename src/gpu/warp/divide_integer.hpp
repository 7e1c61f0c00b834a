// Divides an integer by a power of ten without a division, and without a conversion, which devices do slowly.
#pragma once

#include <bit>

#include "gpu/warp/device.hpp"

namespace floe::gpu {

/// An integer of less than 2^51 in magnitude: its bits below an exponent of 2^52, less 1.5 * 2^52.
FLOE_DEVICE double double_of(std::int64_t integer) {
  constexpr std::uint64_t bits = 0x4338000000000000;
  return std::bit_cast<double>(static_cast<std::uint64_t>(integer) + bits) - std::bit_cast<double>(bits);
}
/// The same for all integers of 32 bits.
FLOE_DEVICE double double_of(std::int32_t integer) {
  constexpr std::uint64_t bits = 0x4330000080000000;
  return std::bit_cast<double>(std::uint64_t{0x43300000} << 32 |
                               (static_cast<std::uint32_t>(integer) ^ 0x80000000)) -
         std::bit_cast<double>(bits);
}

/// a * b + c, rounded once.
FLOE_DEVICE double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// `dividend` / `divisor` as the machine rounds it; `inverse` is 1 / `divisor`. Of an integer of at most 2^51
/// in magnitude and a power of ten up to 10^22, so that nothing overflows or is lost at the lower end. The
/// product is off by two units of its last place at most; what is left of the dividend, which a fused
/// operation has exactly, corrects it (P. Markstein, 1990). As the inverse is off by 2^-53 of itself, the
/// correction is by 2^-52 units, and by half of that for 10^22; the middle between two doubles is at least 1
/// / (2 * 5^n) units from a quotient by 10^n, and never one. So the corrected number is rounded as the
/// quotient would be.
FLOE_DEVICE double divide_exactly(double dividend, double divisor, double inverse) {
  const double about = dividend * inverse;
  return multiply_add(multiply_add(-about, divisor, dividend), inverse, about);
}

}  // namespace floe::gpu
