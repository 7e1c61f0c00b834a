// Are trees known ahead those of kinds of data, however the work is shared, and found with few searches?
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/ahead_planner.hpp"
#include "plan/search/windows.hpp"
#include "tests/plan/batches.hpp"
#include "tests/series/generators.hpp"

namespace floe::test {
namespace {

using trees::AheadPlanner;
using trees::AheadSegment;
using trees::Scratch;
using Order = std::function<void(std::vector<std::size_t>&)>;

const Order in_order = [](std::vector<std::size_t>&) {};
const Order backwards = [](std::vector<std::size_t>& indices) {
  std::reverse(indices.begin(), indices.end());
};

/// Does tasks one after the other, each with scratch memory of its own.
AheadPlanner::ForEach one_by_one(const Order& order) {
  return [order](std::size_t count, const auto& work) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    order(indices);
    for (const std::size_t index : indices) {
      Scratch scratch;
      work(index, scratch);
    }
  };
}

std::vector<AheadSegment> planned(AheadPlanner& planner, const std::vector<Column>& columns,
                                  std::size_t together, const Order& order = in_order) {
  std::vector<AheadSegment> segments(columns.size());
  std::vector<AheadSegment*> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    segments[i].words = columns[i].view();
    all.push_back(&segments[i]);
  }
  for (std::size_t at = 0; at < all.size(); at += together)
    planner.plan(std::span(all).subspan(at, std::min(together, all.size() - at)), one_by_one(order));
  return segments;
}

/// Three kinds in turn.
std::vector<Column> three_kinds(std::size_t count) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> numbers = random_numbers(20'000, 0, i % 3 == 0 ? 200 : 1 << 20, Random(i));
    if (i % 3 == 1) std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(i << 16));
    columns.emplace_back(DType::i32, numbers);
  }
  return columns;
}

TEST(AheadPlanner, SearchesOnceForAKind) {
  const std::vector<Column> columns = three_kinds(90);
  for (const std::size_t together : {1, 32, 90}) {
    AheadPlanner planner(trees::objective_of(Preset::gpu));
    const std::vector<AheadSegment> segments = planned(planner, columns, together);
    EXPECT_EQ(planner.search_count(), 3U);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      EXPECT_EQ(segments[i].tree.has_value(), i < 3);
      EXPECT_EQ(segments[i].plan, segments[i % 3].plan) << i;
    }
    EXPECT_NE(segments[0].plan, segments[1].plan);
    EXPECT_NE(segments[1].plan, segments[2].plan);
  }
}

TEST(AheadPlanner, TreesDoNotDependOnTheOrderOfTasks) {
  std::vector<Column> columns = three_kinds(20);
  for (std::uint64_t i = 0; i < 20; ++i)
    columns.emplace_back(DType::i32, pattern_b<std::int32_t>(5000, i, 30000, -10000, 10000, Random(i)));
  for (const Preset preset : {Preset::gpu, Preset::ratio, Preset::fast}) {
    AheadPlanner one(trees::objective_of(preset, true)), other(trees::objective_of(preset, true));
    const std::vector<AheadSegment> segments = planned(one, columns, 16),
                                    again = planned(other, columns, 16, backwards);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      EXPECT_EQ(segments[i].plan, again[i].plan) << i;
      EXPECT_EQ(segments[i].tree.has_value(), again[i].tree.has_value()) << i;
    }
    EXPECT_EQ(one.search_count(), other.search_count());
  }
}

TEST(AheadPlanner, ATreeOfItsOwnIsFoundWhereAKindCostsMore) {
  std::vector<Column> columns;
  for (std::uint64_t i = 0; i < 40; ++i)
    columns.emplace_back(DType::i32, random_numbers(20'000, 0, i == 0 ? 200 : 450, Random(i)));
  AheadPlanner planner(trees::objective_of(Preset::gpu));
  const std::vector<AheadSegment> segments = planned(planner, columns, 1);
  EXPECT_EQ(text_of(segments[0].plan), "entropy");
  for (std::size_t i = 1; i < segments.size(); ++i) EXPECT_EQ(text_of(segments[i].plan), "bitpack");
  EXPECT_EQ(planner.search_count(), 2U);
}

/// Segments whose fingerprints do not show that they need two bits more than the first, for which there is no
/// better tree.
TEST(AheadPlanner, SearchesInVainBecomeRare) {
  constexpr std::uint64_t words = 60'000;
  std::vector<Column> columns;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<std::int32_t> numbers = random_numbers(words, 0, i == 0 ? 250 : 1010, Random(i));
    for (std::uint64_t window = 0; window < trees::planning_windows; ++window) {
      const std::uint64_t first =
          trees::window_position(words, trees::fingerprint_words, trees::planning_windows, window);
      for (std::uint64_t k = first; k < first + trees::fingerprint_words; ++k) numbers[k] %= 250;
    }
    columns.emplace_back(DType::i32, numbers);
  }
  AheadPlanner planner(trees::objective_of(Preset::gpu));
  for (const AheadSegment& segment : planned(planner, columns, 1))
    EXPECT_EQ(text_of(segment.plan), "bitpack");
  EXPECT_GE(planner.search_count(), 4U);
  EXPECT_LE(planner.search_count(), 12U);
}

/// As on coasts: the first segment of a kind is mostly one number.
TEST(AheadPlanner, ATreeThatFitsOnlyTheFirstSegmentIsNotKept) {
  std::vector<Column> columns;
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::vector<std::int32_t> heights(60'000);
    Random random(i);
    std::int32_t height = 0;
    for (std::size_t k = 0; k < heights.size(); ++k) {
      height += static_cast<std::int32_t>(20 * random.bell());
      heights[k] = k % 6000 < 600 * (i + 1) ? height : 0;
    }
    columns.emplace_back(DType::i32, heights);
  }
  AheadPlanner planner(trees::objective_of(Preset::gpu));
  const std::vector<AheadSegment> segments = planned(planner, columns, columns.size());
  Scratch scratch;
  const auto bytes = [&](const AheadSegment& segment) {
    return encode_tree(segment.words, segment.plan, scratch).body.size();
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    AheadPlanner alone(trees::objective_of(Preset::gpu));
    const std::vector<Column> column{columns[i]};
    const std::vector<AheadSegment> best = planned(alone, column, 1);
    EXPECT_LE(bytes(segments[i]), bytes(best[0]) * 11 / 10) << i << ": " << text_of(segments[i].plan);
  }
}

}  // namespace
}  // namespace floe::test
