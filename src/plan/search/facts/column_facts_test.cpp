// Is it seen how different columns are that take turns?
#include "plan/search/facts/column_facts.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/splitmix.hpp"

namespace floe::trees {
namespace {

std::uint64_t information(const std::vector<double>& words, std::uint64_t columns) {
  return information_of_columns({DType::f64, words.data(), words.size()}, columns);
}

TEST(ColumnFacts, SayHowDifferentColumnsAre) {
  std::vector<double> noise(24000), scales(24000);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = std::bit_cast<double>(0x3FF0000000000000 | core::splitmix(i) >> 12);
    scales[i] = std::ldexp(noise[i], 100 * static_cast<int>(i % 3));
  }
  EXPECT_LT(information(noise, 3), 26U);                                            // a tenth of a bit
  EXPECT_NEAR(static_cast<double>(information(scales, 3)), 256 * std::log2(3), 3);  // which of three it is
  EXPECT_LT(information(scales, 2), 26U);
  // Of rows of 93 words, 64 are looked at.
  EXPECT_NEAR(static_cast<double>(information(scales, 93)), 256 * std::log2(3), 20);
  // A hundred rows are enough.
  EXPECT_LT(information(noise, 240), 51U);  // a fifth of a bit
  EXPECT_NEAR(static_cast<double>(information(scales, 240)), 256 * std::log2(3), 30);
  EXPECT_EQ(information(std::vector<double>(600, 1.5), 2), 0U);
}

}  // namespace
}  // namespace floe::trees
