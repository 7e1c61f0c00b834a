// Which decimal digits doubles are rounded to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/power_of_ten.hpp"

namespace floe::trees {

/// All digits are kept, or so many after the point, or so many significant ones.
struct DecimalRounding {
  enum Kind : std::uint32_t { none = 0, after_point = 1, significant = 2 };
  static constexpr std::uint32_t max_digits_after_point = core::max_decimal_digits,
                                 max_significant_digits = 15;
  Kind kind = none;
  std::uint32_t digits = 0;
};

/// Decades of floats, from 10^-22 to 10^14.
class Decades {
 public:
  static constexpr std::uint32_t below_one = core::max_decimal_digits, count = below_one + 15;

  constexpr Decades() {
    std::array<std::uint32_t, count> begins{};  // the bits of the smallest float in each
    for (std::uint32_t i = 0; i < count; ++i) {
      const double begin =
          i < below_one ? 1 / core::power_of_ten(below_one - i) : core::power_of_ten(i - below_one);
      const auto nearest = static_cast<float>(begin);
      begins[i] = std::bit_cast<std::uint32_t>(nearest) + (static_cast<double>(nearest) < begin ? 1 : 0);
    }
    std::uint64_t begun = 0;
    for (std::uint32_t exponent = 0; exponent < exponents; ++exponent) {
      while (begun < count && begins[begun] <= exponent << mantissa_bits) ++begun;
      // From the next one on, the sum reaches the upper half.
      const std::uint64_t next = begun < count ? begins[begun] : exponents << mantissa_bits;
      sums_[exponent] = ((begun + 1) << half) - next;
    }
  }

  /// How many begin at or below a float, given by its bits without the sign: 22 at 0.1, 23 at 1.
  [[nodiscard]] constexpr std::size_t begun(std::uint32_t bits) const {
    return static_cast<std::size_t>((sums_[bits >> mantissa_bits] + bits) >> half);
  }

 private:
  static constexpr unsigned mantissa_bits = 23, half = 32;
  static constexpr std::uint32_t exponents = 256;
  std::array<std::uint64_t, exponents> sums_{};  ///< Less the bits of the next decade, by exponents.
};
inline constexpr Decades decades{};

/// What floats are multiplied by, for `digits` significant ones before the point: no less than 1, no more
/// than 10^22.
struct PowersOfDecades {
  constexpr PowersOfDecades() = default;
  explicit constexpr PowersOfDecades(std::uint32_t digits) {
    double power = 1;
    std::uint32_t after_point = 0;
    for (std::uint32_t begun = Decades::count + 1; begun-- > 0;) {
      all[begun] = power;
      if (begun > Decades::below_one + digits || after_point == core::max_decimal_digits) continue;
      power *= 10;
      ++after_point;
    }
  }
  std::array<double, Decades::count + 1> all{};  ///< By the decades that have begun.
};
using PowersByDigits = std::array<PowersOfDecades, DecimalRounding::max_significant_digits + 1>;
constexpr PowersByDigits make_powers_of_decades() {
  PowersByDigits powers{};
  for (std::uint32_t i = 1; i < powers.size(); ++i) powers[i] = PowersOfDecades(i);
  return powers;
}
inline constexpr PowersByDigits powers_of_decades = make_powers_of_decades();

}  // namespace floe::trees
