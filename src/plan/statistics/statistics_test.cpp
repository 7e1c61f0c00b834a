#include "plan/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include "tests/series/columns.hpp"

namespace floe::trees {
namespace {

template <class T>
Statistics statistics_of(DType type, const std::vector<T>& values) {
  return collect_statistics({type, values.data(), values.size()});
}

template <class T>
T as(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

TEST(Statistics, KeepAllBitsOfExtremes) {
  const std::vector<std::int64_t> values = {9007199254740993, std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max(), 0};
  const Statistics statistics = statistics_of(DType::i64, values);
  EXPECT_EQ(as<std::int64_t>(statistics.least), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(as<std::int64_t>(statistics.most), std::numeric_limits<std::int64_t>::max());
}

TEST(Statistics, SeeBothOrders) {
  std::vector<std::int32_t> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2500 - static_cast<std::int32_t>(i);
  EXPECT_TRUE(statistics_of(DType::i32, values).is_descending());
  EXPECT_FALSE(statistics_of(DType::i32, values).is_ascending());
  std::reverse(values.begin(), values.end());
  EXPECT_TRUE(statistics_of(DType::i32, values).is_ascending());
}

TEST(Statistics, CountRunsOfFractionsAndLongWords) {
  EXPECT_EQ(statistics_of<float>(DType::f32, {0.25F, 0.25F, 0.5F, 0.75F, 0.75F}).runs, 3U);
  EXPECT_EQ(statistics_of<std::int64_t>(DType::i64, {5'000'000'000, 5'000'000'000, 705'032'704}).runs, 2U);
  EXPECT_EQ(statistics_of<float>(DType::f32, {0.0F, -0.0F, 0.0F}).runs, 3U);
  EXPECT_EQ(statistics_of<double>(DType::f64, {1.0, 1.0, 1.0, 2.0}).mean_run(), 512U);
}

TEST(Statistics, TellSpecialFloats) {
  using Limits = std::numeric_limits<double>;
  const Statistics statistics = statistics_of<double>(
      DType::f64,
      {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0, 0.0, Limits::denorm_min(), 1.5});
  EXPECT_EQ(statistics.nans, 1U);
  EXPECT_EQ(statistics.infinities, 2U);
  EXPECT_EQ(statistics.negative_zeros, 1U);
  EXPECT_EQ(statistics.subnormals, 1U);
  EXPECT_EQ(as<double>(statistics.least), -Limits::infinity());
}

TEST(Statistics, HaveHistograms) {
  const Statistics statistics = statistics_of<std::int32_t>(DType::i32, {10, 11, 12, 20});
  EXPECT_EQ(statistics.offsets[0], 1U);      // 10 - 10
  EXPECT_EQ(statistics.offsets[4], 1U);      // 20 - 10
  EXPECT_EQ(statistics.differences[2], 2U);  // 1 becomes 2
  EXPECT_EQ(statistics.differences[5], 1U);  // 8 becomes 16
}

TEST(Statistics, OfPartsMakeTheWhole) {
  for (const DType type : word_types) {
    for (const auto& [name, column] : test::difficult_columns(type, 20000)) {
      const ColumnView whole = column.view();
      Statistics sum;
      for (std::uint64_t first = 0; first < whole.count; first += 8192) {
        const auto* const words = column.bytes.data() + first * size_of(type);
        sum =
            merge(sum, collect_statistics({type, words, std::min<std::uint64_t>(8192, whole.count - first)}));
      }
      EXPECT_EQ(sum, collect_statistics(whole)) << name_of(type) << " " << name;
    }
  }
}

TEST(Statistics, OfNothing) {
  EXPECT_EQ(collect_statistics({DType::f64, nullptr, 0}).count, 0U);
  EXPECT_EQ(collect_statistics({DType::f64, nullptr, 0}).mean_run(), 0U);
}

}  // namespace
}  // namespace floe::trees
