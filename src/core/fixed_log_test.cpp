// Devices find logarithms in another way, which comes to the same.
#include "core/fixed_log.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::core {
namespace {

TEST(FixedLog, OfDevicesIsFarEnoughFromWholeNumbers) {
  constexpr double rounding = 1.0 / (1 << 14), error = 256 * max_device_log_error + rounding;
  for (std::uint64_t x = 1; x <= max_device_log; ++x) {
    const unsigned exponent = bit_length(x) - 1;
    const double log = 256 * std::log2(std::ldexp(static_cast<double>(x), -static_cast<int>(exponent))) +
                       static_cast<double>(device_log_margin);
    ASSERT_EQ(256 * exponent + static_cast<std::uint32_t>(std::floor(log - error)), calculate_log2(x)) << x;
    ASSERT_EQ(256 * exponent + static_cast<std::uint32_t>(std::floor(log + error)), calculate_log2(x)) << x;
  }
}

}  // namespace
}  // namespace floe::core
