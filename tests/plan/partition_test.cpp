// Is a segment cut where parts need trees of their own, and not elsewhere?
#include <gtest/gtest.h>

#include "core/splitmix.hpp"
#include "tests/plan/batches.hpp"
#include "tree/stream_parts.hpp"

namespace floe::test {
namespace {

TEST(Partition, GivesPartsOfASegmentTreesOfTheirOwn) {
  std::vector<std::int32_t> column = pattern_b<std::int32_t>(100000, 0, 100000, 0, 1000000, Random(1));
  const auto slope = pattern_b<std::int32_t>(100000, 1, 100000, 0, 1000000, Random(1));
  column.insert(column.end(), slope.begin(), slope.end());
  const Column whole(DType::i32, column);
  const auto parts = trees::parts_of(ColumnEncoder().encode(whole.view()), DType::i32, whole.count());
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_NE((*parts)[0].plan, (*parts)[1].plan);
  EXPECT_NEAR(static_cast<double>((*parts)[0].count), 100000, 512);
}

TEST(Partition, DoesNotCutWhereEachPartWouldHoldTheSameWords) {
  constexpr std::uint64_t period = 12000, narrow = 3000;  // of which the first ones need fewer bits
  std::vector<std::int32_t> words(80000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t position = i % period;
    words[i] = static_cast<std::int32_t>(core::splitmix((position + 1) * core::splitmix_step) >>
                                         (position < narrow ? 50 : 40));
  }
  const Column column(DType::i32, words);
  const auto stream = ColumnEncoder(Preset::ratio).encode(column.view());
  const auto parts = trees::parts_of(stream, DType::i32, column.count());
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 1U);
  EXPECT_LE(stream.size(), period * sizeof words[0]);
}

}  // namespace
}  // namespace floe::test
