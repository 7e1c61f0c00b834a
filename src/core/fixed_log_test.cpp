// Both ways in which devices find logarithms come to the same.
#include "core/fixed_log.hpp"

#include <gtest/gtest.h>

namespace floe::core {
namespace {

TEST(FixedLog, IsTheSameWithMantissasOf32Bits) {
  for (std::uint32_t x = 0; x < 1u << 18; ++x) ASSERT_EQ(calculate_log2_of_32(x), calculate_log2(x)) << x;
  for (std::uint64_t x = 1u << 18; x >> 32 == 0; x += x / 100'000 + 1)
    ASSERT_EQ(calculate_log2_of_32(static_cast<std::uint32_t>(x)), calculate_log2(x)) << x;
  EXPECT_EQ(calculate_log2_of_32(~std::uint32_t{0}), calculate_log2(~std::uint32_t{0}));
}

}  // namespace
}  // namespace floe::core
