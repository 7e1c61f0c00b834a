#include "research/edge_stat_planner.hpp"

#include <gtest/gtest.h>

namespace floe::trees {
namespace {

constexpr PlanNode rle{EncodingId::rle, {}}, scale{EncodingId::int_mult, {}}, afl{EncodingId::bitpack, {}},
    freq{EncodingId::sparse, {}}, delta{EncodingId::delta, {1, 1}};

TEST(EdgeStatistics, MoveHalfWayToWhatIsSeen) {
  EdgeStatistics statistics;
  EXPECT_EQ(statistics.value(0, rle, afl), ratio_one);
  statistics.update(0, rle, afl, 2 * ratio_one);
  EXPECT_EQ(statistics.value(0, rle, afl), ratio_one * 3 / 2);
  statistics.update(0, rle, afl, 3 * ratio_one);
  EXPECT_EQ(statistics.value(0, rle, afl), ratio_one * 9 / 4);
}

TEST(EdgeStatistics, SmallStreamsCountLittle) {
  EdgeStatistics statistics;
  statistics.update(0, rle, afl, 101 * ratio_one, 2);
  EXPECT_EQ(statistics.value(0, rle, afl), ratio_one + ratio_one * 100 * 2 / 512);
}

TEST(EdgeStatistics, TellTheBestPairsOfAPlace) {
  EdgeStatistics statistics;
  statistics.update(3, rle, afl, 2 * ratio_one);
  statistics.update(3, rle, scale, 4 * ratio_one);
  statistics.update(4, rle, delta, 9 * ratio_one);
  const auto pairs = statistics.best_pairs(3);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].child, scale);
  EXPECT_EQ(pairs[1].child, afl);
}

/// Every edge of rle,afl,scale,afl was seen once.
EdgeStatistics statistics_of_edges() {
  EdgeStatistics statistics;
  statistics.update(0, rle, afl, 3 * ratio_one);
  statistics.update(1, rle, scale, 3 * ratio_one);
  statistics.update(slot_below(1, 0), scale, afl, 3 * ratio_one);
  return statistics;
}

TEST(PlanCorrection, ReplacesTheEndOfAnEdge) {
  const Plan plan = plan_from_text("rle,bitpack,int_mult,bitpack", DType::i32).value();
  const EdgeStatistics snapshot = statistics_of_edges();
  EdgeStatistics now = snapshot;
  for (int i = 0; i < 5; ++i) now.update(1, rle, delta, 4 * ratio_one);
  now.update(slot_below(1, 0), delta, afl, 4 * ratio_one);
  EXPECT_EQ(text_of(correct_plan(plan, DType::i32, snapshot, now)), "rle,bitpack,delta,bitpack");
}

TEST(PlanCorrection, ReplacesTheBeginningWhereNoEndIsBetter) {
  const Plan plan = plan_from_text("int_mult,bitpack", DType::i32).value();
  EdgeStatistics snapshot;
  snapshot.update(0, scale, afl, 2 * ratio_one);
  EdgeStatistics now = snapshot;
  for (int i = 0; i < 5; ++i) now.update(0, freq, afl, 9 * ratio_one);
  EXPECT_EQ(text_of(correct_plan(plan, DType::i32, snapshot, now)), "sparse,bitpack,bitpack");
}

TEST(PlanCorrection, KeepsTypes) {
  // An AFL leaf was good for integers at the same position; a float there cannot have it.
  const Plan plan = plan_from_text("rle,bitpack,raw", DType::f64).value();
  EdgeStatistics now;
  for (int i = 0; i < 5; ++i) now.update(1, rle, afl, 9 * ratio_one);
  EXPECT_EQ(correct_plan(plan, DType::f64, {}, now), plan);
}

TEST(PlanCorrection, KeepsATreeThatNothingBeats) {
  const Plan plan = plan_from_text("rle,bitpack,int_mult,bitpack", DType::i32).value();
  EXPECT_EQ(correct_plan(plan, DType::i32, statistics_of_edges(), statistics_of_edges()), plan);
}

}  // namespace
}  // namespace floe::trees
