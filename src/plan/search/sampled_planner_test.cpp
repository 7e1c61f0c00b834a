// A planner that sees windows only chooses what it would choose seeing all words.
#include "plan/search/sampled_planner.hpp"

#include <gtest/gtest.h>

#include "plan/search/finalists.hpp"
#include "plan/search/guess.hpp"
#include "plan/search/search.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::trees {
namespace {

/// The words that a device would gather.
std::vector<std::uint64_t> gather(const ColumnView& segment) {
  std::vector<std::uint64_t> words(SegmentWindows::words_at_hand(segment.count));
  store_windows(segment, 0, reinterpret_cast<std::uint8_t*>(words.data()));
  return words;
}

std::vector<std::uint64_t> counts() {
  return {1, 63, 1535, 1536, 1537, 5000, 12288, 12289, 12300, 13000, 40000, 65537};
}

TEST(SampledPlanner, WindowsAreThoseOfTheWholeSegment) {
  for (const DType type : {DType::u8, DType::i16, DType::f32, DType::f64}) {
    for (std::uint64_t count = 1; count < 300000; count += count / 7 + 1) {
      test::Column column(type, count);
      for (std::uint64_t i = 0; i < count; ++i) column.set(i, core::splitmix(i));
      const auto words = gather(column.view());
      for (const std::uint64_t size : {fingerprint_words, planning_window_words}) {
        const auto expected = windows_of(column.view(), size, planning_windows),
                   found = windows_of({type, count, words.data()}, size);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_EQ(found[i].count, expected[i].count) << count;
          ASSERT_EQ(std::memcmp(found[i].values, expected[i].values, found[i].bytes()), 0)
              << count << " " << size;
        }
      }
    }
  }
}

TEST(SampledPlanner, ChoosesTheSameTree) {
  Scratch scratch;
  std::size_t cases = 0;
  for (const DType type : word_types) {
    for (const std::uint64_t count : counts()) {
      for (const auto& [name, column] : test::sampled_columns(type, count)) {
        if (++cases % 2 != 0 && test::sanitized) continue;
        const auto words = gather(column.view());
        const Objective objective = objective_of(Preset::balanced);
        SampledPlanner planner(objective);
        EXPECT_EQ(planner.plan_for({type, count, words.data()}, scratch),
                  plan_windows(windows_of(column.view(), planning_window_words, planning_windows), count,
                               objective, max_plan_depth, scratch))
            << name_of(type) << " " << name << " " << count;
      }
    }
  }
}

TEST(SampledPlanner, KnowsWhatItHasSeen) {
  Scratch scratch;
  SampledPlanner planner(objective_of(Preset::balanced));
  test::Column column(DType::i32, 20000), other(DType::i32, 20000);
  for (std::uint64_t i = 0; i < column.count(); ++i) {
    column.set(i, core::splitmix(i) % 100);
    other.set(i, core::splitmix(i));
  }
  const auto words = gather(column.view()), other_words = gather(other.view());
  EXPECT_EQ(planner.known_plan_for(SampledPlanner::fingerprint({DType::i32, 20000, words.data()})), nullptr);
  const Plan plan = planner.plan_for({DType::i32, 20000, words.data()}, scratch);
  const Plan* const known =
      planner.known_plan_for(SampledPlanner::fingerprint({DType::i32, 20000, words.data()}));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(*known, plan);
  EXPECT_EQ(planner.known_plan_for(SampledPlanner::fingerprint({DType::i32, 20000, other_words.data()})),
            nullptr);
}

TEST(SampledPlanner, ChoosesTheSameTreeWithAnyThreads) {
  Scratch scratch;
  std::vector<std::unique_ptr<SearchThreads>> threads;
  for (const std::uint32_t helpers : {1U, 3U}) threads.push_back(std::make_unique<SearchThreads>(helpers));
  const test::Random random(7);
  for (const std::uint64_t count : {5000, 20000}) {
    std::vector<std::pair<std::string, test::Column>> columns;
    for (const DType type : {DType::i32, DType::f64}) {
      for (auto& [name, column] : test::difficult_columns(type, count))
        columns.emplace_back(name, std::move(column));
    }
    columns.emplace_back(
        "staircase", test::Column(DType::i32, test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1'000'000)));
    columns.emplace_back(
        "noise and slope",
        test::Column(DType::i32, test::pattern_b<std::int32_t>(count, 0, 40'000, 3, 10'000'000, random)));
    columns.emplace_back("times", test::Column(DType::i64, test::time_column(count, 100'000, 10, random)));
    columns.emplace_back("outliers",
                         test::Column(DType::i32, test::outliers(count, 0, 100, 5, 1, 1'000'000, 2, random)));
    for (const auto& [name, column] : columns) {
      const auto words = gather(column.view());
      const SegmentWindows segment{column.type, count, words.data()};
      const Plan alone = SampledPlanner(budgeted_objective()).plan_for(segment, scratch);
      const auto windows = windows_of(column.view(), planning_window_words, planning_windows);
      ASSERT_EQ(alone, plan_windows(windows, count, budgeted_objective(), max_plan_depth, scratch))
          << name << " " << count;
      for (const auto& helping : threads) {
        SampledPlanner planner(budgeted_objective(), helping.get());
        int searches = 0;
        const auto plan_again = [&] {
          return text_of(planner.plan_for(segment, scratch, [&searches] {
            ++searches;
            return BegunTree{};
          }));
        };
        ASSERT_EQ(plan_again(), text_of(alone)) << name_of(column.type) << " " << name << " " << count;
        ASSERT_EQ(plan_again(), text_of(alone));
        ASSERT_EQ(searches, 1);
      }
    }
  }
}

/// What trees cost that are searched with and without a budget, by words at hand.
TEST(SampledPlanner, ABudgetCostsLittle) {
  Scratch scratch;
  Objective thorough = objective_of(Preset::fast, true);
  thorough.search_work = 1 << 18;
  thorough.max_candidates = 16;
  thorough.promising_part = 1;
  thorough.windows = planning_windows;
  thorough.window_words = planning_window_words;
  const test::Random random(5);
  const std::uint64_t count = 1 << 18;
  std::vector<std::pair<std::string, test::Column>> columns = test::difficult_columns(DType::f64, count);
  for (auto& [name, column] : test::difficult_columns(DType::i32, count))
    columns.emplace_back(name, std::move(column));
  columns.emplace_back(
      "staircase", test::Column(DType::i32, test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1'000'000)));
  columns.emplace_back(
      "noise and slope",
      test::Column(DType::i32, test::pattern_b<std::int32_t>(count, 0, 60'000, 3, 10'000'000, random)));
  columns.emplace_back("times", test::Column(DType::i64, test::time_column(count, 100'000, 10, random)));
  columns.emplace_back("outliers",
                       test::Column(DType::i32, test::outliers(count, 0, 100, 5, 1, 1'000'000, 2, random)));
  for (const auto& [name, column] : columns) {
    const auto windows = windows_of(column.view(), planning_window_words, planning_windows);
    const auto cost_with = [&](const Objective& objective) {
      const Plan plan = plan_windows(windows, count, objective, max_plan_depth, scratch);
      std::uint64_t cost = 0;
      for (const ColumnView& window : windows)
        cost += estimate_tree(plan.nodes, window, count, thorough, scratch);
      return cost;
    };
    const std::uint64_t thorough_cost = cost_with(thorough);
    EXPECT_LE(cost_with(budgeted_objective()), thorough_cost + thorough_cost / 16) << name;
  }
}

TEST(SampledPlanner, RemembersTreesOfKinds) {
  Scratch scratch;
  SampledPlanner planner(objective_of(Preset::balanced));
  for (std::uint64_t part = 0; part < 24; ++part) {
    const bool is_first_kind = part / 6 % 2 == 0;
    const test::Column column =
        is_first_kind ? test::Column(DType::i32, test::pattern_a<std::int32_t>(20000, 1, 100, 5, 1, 1000000))
                      : test::Column(DType::i32, test::random_numbers(20000, 10, 10000, test::Random(part)));
    const auto words = gather(column.view());
    planner.plan_for({DType::i32, column.count(), words.data()}, scratch);
  }
  EXPECT_EQ(planner.search_count(), 2U);
}

TEST(SampledPlanner, TakesWhatWasBegunWithWhereItCostsHardlyMore) {
  Scratch scratch;
  const test::Column column(DType::i32, test::random_numbers(100'000, 0, 100'000, test::Random(1)));
  const auto words = gather(column.view());
  const auto plan_with = [&](const char* begun) {
    const Plan plan = plan_from_text(begun, column.type).value();
    SearchThreads nobody;
    return text_of(SampledPlanner(budgeted_objective(), &nobody)
                       .plan_for({column.type, column.count(), words.data()}, scratch,
                                 [&] { return BegunTree{&plan}; }));
  };
  EXPECT_EQ(plan_with("bitpack"), "bitpack");
  EXPECT_EQ(plan_with("int_mult,bitpack"), "int_mult,bitpack");
  EXPECT_EQ(plan_with("raw"), "bitpack");
}

/// A dictionary of each segment, but none for so many words as a batch has.
TEST(SampledPlanner, GoesByWhatIsEncodedTogether) {
  Scratch scratch;
  const std::uint64_t count = std::uint64_t{1} << 25;
  test::Random random(2);
  std::vector<std::uint64_t> words(SegmentWindows::words_at_hand(count));
  for (std::uint64_t& word : words) word = core::splitmix(random.below(300));
  const auto plan_for = [&](std::uint64_t words_together) {
    return text_of(SampledPlanner(budgeted_objective())
                       .plan_for({DType::u64, count, words.data(), words_together}, scratch));
  };
  EXPECT_TRUE(plan_for(65536).starts_with("dict")) << plan_for(65536);
  EXPECT_FALSE(plan_for(0).starts_with("dict")) << plan_for(0);
}

/// The words of a sorted table are near to each other: their differences are stored, with a guess and
/// without.
TEST(SampledPlanner, TakesDifferencesOfEntries) {
  const std::uint64_t count = 300'000;
  for (const DType type : {DType::f32, DType::f64}) {
    const test::Column column = test::walk_through_table(type, count, 2000);
    const auto words = gather(column.view());
    const SegmentWindows segment{type, count, words.data(), 65536};
    SearchThreads nobody;
    Scratch scratch;
    const std::string tree =
        text_of(SampledPlanner(budgeted_objective(), &nobody).plan_for(segment, scratch));
    EXPECT_TRUE(tree.starts_with("dict(1),sortable,delta")) << tree;
    const auto guess = guess_tree(segment, budgeted_objective(), nobody, scratch);
    if (type == DType::f64) {
      EXPECT_TRUE(guess && text_of(guess->plan).starts_with("dict(1),sortable,delta"));
    }
  }
}

/// Whatever threads there are; and segments of a kind get one tree, once it was searched twice.
TEST(SampledPlanner, PlansSegmentsSideBySide) {
  const std::uint64_t count = 40000, at_once = 6;
  const auto columns = test::difficult_columns(DType::i32, count);
  std::vector<std::vector<std::uint64_t>> words;
  std::vector<SegmentWindows> segments;
  for (std::size_t i = 0; i < 3 * columns.size(); ++i) {
    const test::Column& column = columns[i % columns.size()].second;
    words.push_back(gather(column.view()));
    segments.push_back({DType::i32, count, words.back().data()});
  }
  const auto plan = [&](std::uint32_t helpers, std::uint64_t& searches) {
    SearchThreads threads(helpers);
    const Awake awake(&threads);
    SampledPlanner planner(budgeted_objective(), &threads);
    Scratch scratch;
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < segments.size(); i += at_once) {
      const auto some = std::span(segments).subspan(i, std::min<std::size_t>(at_once, segments.size() - i));
      for (Plan& chosen : planner.plan_all(some, scratch)) plans.push_back(std::move(chosen));
    }
    searches = planner.search_count();
    return plans;
  };
  std::uint64_t searches = 0, searches_by_many = 0;
  const std::vector<Plan> plans = plan(0, searches), by_many = plan(3, searches_by_many);
  EXPECT_TRUE(plans == by_many);
  EXPECT_LE(searches, 2 * columns.size());
  EXPECT_EQ(searches, searches_by_many);
  ASSERT_EQ(plans.size(), segments.size());
  for (std::size_t i = columns.size(); i + columns.size() < plans.size(); ++i)
    EXPECT_TRUE(plans[i] == plans[i + columns.size()]) << columns[i % columns.size()].first;
}

/// After many searches new kinds get the tree of another one, the one that suits them.
TEST(SampledPlanner, SearchesSeldomWhereAllIsNew) {
  const std::uint64_t count = 20000, kinds = 60;
  SampledPlanner planner(budgeted_objective());
  Scratch scratch;
  std::size_t packed = 0;
  for (std::uint64_t i = 0; i < kinds; ++i) {
    test::Column column(DType::i32, count);
    for (std::uint64_t k = 0; k < count; ++k) column.set(k, core::splitmix(k) >> (33 + i % 30));
    const auto words = gather(column.view());
    const SegmentWindows segment{DType::i32, count, words.data()};
    const std::vector<Plan> plans = planner.plan_all({&segment, 1}, scratch);
    ASSERT_EQ(plans.size(), 1u);
    packed += plans[0].nodes[0].encoding == EncodingId::raw ? 0 : 1;
  }
  EXPECT_LT(planner.search_count(), kinds);
  EXPECT_GE(packed, kinds - 2);
}

}  // namespace
}  // namespace floe::trees
