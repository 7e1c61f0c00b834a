#include "research/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "research/generated_table.hpp"

namespace floe::research {
namespace {

TEST(Generators, TimesStandStillAsOftenAsWanted) {
  TimeSeries series(100, 0.1, 7);
  std::int64_t last = 100;
  int flat = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::int64_t time = series.next();
    ASSERT_LE(time - last, 2);
    ASSERT_GE(time, last);
    flat += time == last;
    last = time;
  }
  EXPECT_NEAR(flat, 11000, 500);
}

TEST(Generators, PatternAIsAStaircaseWithPeaks) {
  std::vector<std::int32_t> values(12);
  pattern_a<std::int32_t>(values, 0, 4, 5, 0, 12);
  EXPECT_EQ(values, (std::vector<std::int32_t>{12, 5, 5, 5, 12, 10, 10, 10, 12, 12, 12, 12}));
}

TEST(Generators, PatternBTakesTurns) {
  std::vector<std::int32_t> values(16);
  pattern_b<std::int32_t>(values, 0, 8, -100, 100, 1);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LE(std::abs(values[i] - (i % 2 == 0 ? 100 : -100)), 5);
  EXPECT_EQ(std::vector<std::int32_t>(values.begin() + 8, values.end()),
            (std::vector<std::int32_t>{100, 50, 0, -50, -100, -50, 0, 50}));
  // Parts continue each other's regimes.
  std::vector<std::int32_t> second(8);
  pattern_b<std::int32_t>(second, 1, 8, -100, 100, 1);
  EXPECT_TRUE(std::equal(second.begin(), second.end(), values.begin() + 8));
}

TEST(Generators, OutliersAreAsManyAsWanted) {
  std::vector<std::int32_t> values(100000);
  outliers(values, 0, 20, 1, 0, 1000000, 0.1, 5);
  EXPECT_NEAR(static_cast<double>(
                  std::count_if(values.begin(), values.end(), [](std::int32_t v) { return v > 999000; })),
              10000, 400);
}

TEST(Generators, DecimalsHaveFewDigits) {
  std::vector<float> values(1000);
  decimals(values, 3, 9);
  for (const float value : values) {
    const float scaled = value * 1000;
    EXPECT_NEAR(scaled, std::round(scaled), 1e-3);
    EXPECT_LE(value, 1);
  }
}

TEST(GeneratedTable, IsTheSameEverywhere) {
  std::string text;
  const Sink sink = [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  };
  ASSERT_TRUE(generate_table(20000, sink).ok());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20001);
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  EXPECT_EQ(hash, 18144184508940916748U);
}

}  // namespace
}  // namespace floe::research
