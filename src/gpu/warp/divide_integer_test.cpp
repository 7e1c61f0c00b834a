// Tests of integers divided by a power of ten: the numbers are those of a division.
#include "gpu/warp/divide_integer.hpp"

#include <gtest/gtest.h>

#include "core/splitmix.hpp"

namespace floe::gpu {
namespace {

void expect_quotient(std::int64_t integer, double power) {
  const double dividend = double_of(integer), inverse = 1 / power;
  ASSERT_EQ(dividend, static_cast<double>(integer));
  ASSERT_EQ(std::bit_cast<std::uint64_t>(divide_exactly(dividend, power, inverse)),
            std::bit_cast<std::uint64_t>(static_cast<double>(integer) / power))
      << integer << " / " << power;
}

TEST(DivideInteger, GivesWhatADivisionGives) {
  constexpr std::int64_t limit = std::int64_t{1} << 51;
  double power = 1;
  for (unsigned digits = 0; digits <= 22; ++digits, power *= 10) {
    for (const std::int64_t middle :
         {std::int64_t{0}, std::int64_t{1} << 20, std::int64_t{1} << 31, std::int64_t{1} << 50}) {
      for (std::int64_t i = -300; i <= 300; ++i) {
        expect_quotient(middle + i, power);
        expect_quotient(-middle + i, power);
      }
    }
    for (std::int64_t i = 1; i < 300; ++i) {
      expect_quotient(limit - i, power);
      expect_quotient(i - limit, power);
    }
    expect_quotient(-limit, power);
    for (std::uint64_t i = 0; i < 100000; ++i) {
      const std::uint64_t random = core::splitmix(i + (std::uint64_t{digits} << 32));
      expect_quotient(static_cast<std::int64_t>(random >> (13 + random % 48)) -
                          static_cast<std::int64_t>(random >> 13) % 7,
                      power);
      if (HasFatalFailure()) return;
    }
  }
}

/// Quotients that lie as close as they can to the middle between two doubles: q * 10^k + r with small
/// remainders.
TEST(DivideInteger, RoundsHardCasesAsADivisionDoes) {
  double power = 1;
  std::int64_t divisor = 1;
  for (unsigned digits = 0; digits <= 15; ++digits, power *= 10, divisor *= 10) {
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const std::int64_t max = ((std::int64_t{1} << 51) - 2) / divisor;
      const auto quotient =
          static_cast<std::int64_t>(core::splitmix(i) % static_cast<std::uint64_t>(max + 1));
      for (const std::int64_t rest : {std::int64_t{0}, std::int64_t{1}, divisor / 2, divisor - 1}) {
        if (quotient * divisor + rest < std::int64_t{1} << 51)
          expect_quotient(quotient * divisor + rest, power);
      }
      if (HasFatalFailure()) return;
    }
  }
}

/// A quotient by 10^k is near the middle between two doubles where a power of two times the integer leaves a
/// small rest, or its negative, when it is divided by 5^k.
TEST(DivideInteger, RoundsQuotientsNextToTheMiddleOfTwoDoubles) {
  double power = 10;
  std::uint64_t five = 5;
  for (unsigned digits = 1; digits <= 22; ++digits, power *= 10, five *= 5) {
    unsigned found = 0;
    std::uint64_t inverse = 1;  // of 2^shift
    for (unsigned shift = 1; shift <= 62; ++shift) {
      inverse = inverse % 2 == 0 ? inverse / 2 : (inverse + five) / 2;
      for (std::uint64_t rest = 1; rest <= 20; ++rest) {
        const std::uint64_t above = inverse * rest % five;
        for (std::uint64_t integer : {above, five - above}) {
          for (unsigned i = 0; i < 4 && integer < std::uint64_t{1} << 51; ++i, integer += five, ++found)
            expect_quotient(static_cast<std::int64_t>(integer), power);
        }
      }
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(found, 1000u) << digits;
  }
}

TEST(DivideInteger, TakesAllIntegersOf32Bits) {
  for (const std::int32_t integer : {0, 1, -1, 2147483647, -2147483647 - 1})
    EXPECT_EQ(double_of(integer), static_cast<double>(integer));
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const auto integer = static_cast<std::int32_t>(core::splitmix(i));
    ASSERT_EQ(double_of(integer), static_cast<double>(integer));
  }
}

}  // namespace
}  // namespace floe::gpu
