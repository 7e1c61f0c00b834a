// Powers of ten are exact, as far as they are doubles.
#include "core/power_of_ten.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace floe::core {
namespace {

TEST(PowerOfTen, IsWhatItsTextSays) {
  for (std::uint32_t digits = 0; digits <= max_decimal_digits; ++digits)
    EXPECT_EQ(power_of_ten(digits), std::stod("1e" + std::to_string(digits))) << digits;
}

TEST(PowerOfTen, IsExact) {
  // No product loses a bit.
  for (std::uint32_t digits = 1; digits <= max_decimal_digits; ++digits) {
    const double before = power_of_ten(digits - 1);
    EXPECT_EQ(std::fma(before, 10, -power_of_ten(digits)), 0) << digits;
  }
  const double last = power_of_ten(max_decimal_digits);
  EXPECT_NE(std::fma(last, 10, -power_of_ten(max_decimal_digits + 1)), 0);
}

}  // namespace
}  // namespace floe::core
