// Powers of ten as floats.
#pragma once

#include <cstdint>

#include "core/word.hpp"

namespace floe::core {

/// The largest n for which 10^n is a double.
inline constexpr std::uint32_t max_decimal_digits = 22;

/// 10^digits, exactly up to max_decimal_digits.
FLOE_HD constexpr double power_of_ten(std::uint32_t digits) noexcept {
  double power = 1;
  for (; digits > 0; --digits) power *= 10;
  return power;
}

}  // namespace floe::core
