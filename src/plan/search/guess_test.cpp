// The tree of simple columns is guessed, of runs, and of words that repeat.
#include "plan/search/guess.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/search/budgeted_search.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t count = 1 << 17;

std::string guess_for(const test::Column& column) {
  static SearchThreads nobody, helpers(2);
  Scratch scratch;
  const auto guess_with = [&](SearchThreads& threads) {
    const Awake awake(&threads);
    const auto guess = guess_tree(windows_of(column.view(), planning_window_words, planning_windows),
                                  column.count(), budgeted_objective(), threads, scratch);
    return guess ? text_of(guess->plan) : "none";
  };
  std::string guess = guess_with(nobody);
  EXPECT_EQ(guess_with(helpers), guess);
  return guess;
}

/// Where something has begun with a tree, or with none.
std::string searched_for(const test::Column& column, const Plan* begun = nullptr) {
  Scratch scratch;
  SearchThreads nobody;
  const auto windows = windows_of(column.view(), planning_window_words, planning_windows);
  return text_of(plan_budgeted(windows, column.count(), budgeted_objective(), max_plan_depth, nobody, scratch,
                               {{}, {begun}}));
}

template <class T, class Value>
test::Column column_of(DType type, const Value& value) {
  std::vector<T> words(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = static_cast<T>(value(i));
  return {type, words};
}

TEST(Guess, IsTheTreeOfSimpleColumns) {
  test::Random random(3);
  std::int32_t walk = 0, in_cents = 0;
  std::int64_t time = 0, speed = 1000;
  const auto step = [&] { return static_cast<std::int32_t>(random.below(1001)) - 500; };
  const std::vector<std::pair<std::string, test::Column>> cases = {
      {"bitpack", column_of<std::uint8_t>(DType::u8, [&](std::uint64_t) { return random.below(32); })},
      {"bitpack", column_of<std::int32_t>(DType::i32, [&](std::uint64_t) { return random.below(100'000); })},
      {"delta,bitpack", column_of<std::int32_t>(DType::i32, [&](std::uint64_t) { return walk += step(); })},
      {"delta,bitpack", test::Column(DType::i64, test::time_column(count, 100'000, 10, random))},
      {"delta(2),bitpack",
       column_of<std::int64_t>(DType::i64, [&](std::uint64_t) { return time += speed += step(); })},
      {"delta(1,2),bitpack",
       test::Column(DType::i32, test::pattern_b<std::int32_t>(count, 0, count / 4, 3, 10'000'000, random))},
      {"decimal(2),bitpack,bitpack,raw",
       column_of<double>(DType::f64,
                         [&](std::uint64_t) { return static_cast<double>(random.below(100'000)) / 100; })},
      {"decimal(2),delta,bitpack,bitpack,raw",
       column_of<double>(DType::f64, [&](std::uint64_t) { return (in_cents += step()) / 100.0; })},
      {"decimal(2),bitpack,bitpack,raw",
       column_of<float>(DType::f32,
                        [&](std::uint64_t) {
                          return static_cast<float>(static_cast<double>(random.below(100'000)) / 100);
                        })},
      {"entropy", column_of<std::int32_t>(
                      DType::i32, [&](std::uint64_t) { return random.below(1 << random.below(20)); })},
      {"delta,entropy", column_of<std::int64_t>(DType::i64,
                                                [&](std::uint64_t) {
                                                  return time += static_cast<std::int64_t>(
                                                             random.below(1 << random.below(20)));
                                                })},
      {"sortable,delta,entropy", column_of<double>(DType::f64,
                                                   [&](std::uint64_t i) {
                                                     return 1000 + std::sin(static_cast<double>(i) / 1000) +
                                                            std::pow(random.bell(), 5) / 1000;
                                                   })},
  };
  for (const auto& [tree, column] : cases) {
    EXPECT_EQ(guess_for(column), tree);
    EXPECT_EQ(searched_for(column), tree);
  }
}

/// A column of runs: each begins where `begins` says so, with the next of `values`.
template <class T, class Begins, class Value>
test::Column runs_of(DType type, const Begins& begins, const Value& value) {
  T here = static_cast<T>(value());
  return column_of<T>(type, [&](std::uint64_t i) {
    if (begins(i)) here = static_cast<T>(value());
    return here;
  });
}

TEST(Guess, IsTheTreeOfRuns) {
  test::Random random(3);
  std::int64_t walk = 0;
  const auto seldom = [&](std::uint64_t) { return random.below(20) == 0; };
  const std::vector<std::pair<std::string, test::Column>> cases = {
      {"rle,bitpack,bitpack",
       runs_of<std::int32_t>(DType::i32, seldom, [&] { return random.below(100'000); })},
      {"rle,bitpack,bitpack", runs_of<std::uint8_t>(DType::u8, seldom, [&] { return random.below(200); })},
      {"rle,bitpack,delta,bitpack",
       runs_of<std::int64_t>(DType::i64, seldom,
                             [&] { return walk += static_cast<std::int64_t>(random.below(200)); })},
      {"rle,bitpack,decimal(2),bitpack,bitpack,raw",
       runs_of<double>(DType::f64, seldom, [&] { return static_cast<double>(random.below(100'000)) / 100; })},
      {"constant", column_of<std::int32_t>(DType::i32, [](std::uint64_t) { return 7; })},
  };
  for (const auto& [tree, column] : cases) {
    EXPECT_EQ(guess_for(column), tree);
    EXPECT_EQ(searched_for(column), tree);
  }
  // Searches try leaves that guesses do not: of lengths of few kinds symbols are fewer bits.
  const test::Column periodic(DType::i32, test::pattern_a<std::int32_t>(count, 0, 100, 5, 1, 1'000'000));
  EXPECT_EQ(guess_for(periodic), "rle,delta(1,2),bitpack,delta(1,2),bitpack");
  EXPECT_EQ(searched_for(periodic), "rle,delta(1,2),entropy,delta(1,2),bitpack");
}

TEST(Guess, IsTheTreeOfWordsThatRepeatOrEndAlike) {
  test::Random random(3);
  std::vector<double> prices(300);
  for (double& price : prices) price = std::exp(random.bell());
  std::int32_t walk = 0;
  const auto narrow = [&](std::uint64_t) {
    walk += static_cast<std::int32_t>(random.below(1001)) - 500;
    return static_cast<float>(std::exp(walk * 1e-6));
  };
  const std::vector<std::pair<std::string, test::Column>> cases = {
      {"dict(1),sortable,delta,bitpack,bitpack,raw",
       column_of<double>(DType::f64, [&](std::uint64_t) { return prices[random.below(300)]; })},
      {"divide(1,29),delta,bitpack,constant", column_of<double>(DType::f64, narrow)},
  };
  for (const auto& [tree, column] : cases) {
    EXPECT_EQ(guess_for(column), tree);
    const Plan begun = plan_from_text(tree, DType::f64).value();
    EXPECT_EQ(searched_for(column, &begun), tree);
  }
}

/// Entries of a dictionary are few bytes.
TEST(Guess, IsTheSameTreeWhateverEntriesBecome) {
  test::Random random(3);
  std::vector<double> prices(300);
  for (double& price : prices) price = std::exp(random.bell());
  const test::Column column =
      column_of<double>(DType::f64, [&](std::uint64_t) { return prices[random.below(300)]; });
  const auto is_guessed = [&](std::string_view tree) {
    Scratch scratch;
    SearchThreads nobody;
    return guesses_tree(plan_from_text(tree, DType::f64).value(),
                        windows_of(column.view(), planning_window_words, planning_windows), column.count(),
                        budgeted_objective(), nobody, scratch);
  };
  EXPECT_TRUE(is_guessed("dict(1),sortable,bitpack,bitpack,raw"));
  EXPECT_TRUE(is_guessed("dict(1),entropy,bitpack,raw"));
  for (const std::string_view other :
       {"dict(2),sortable,bitpack,bitpack,raw", "dict(1),sortable,bitpack,entropy,raw", "sortable,entropy"})
    EXPECT_FALSE(is_guessed(other)) << other;
}

/// Words that are equal in the middle of some windows, and runs that are hardly better than a chain.
TEST(Guess, ComparesChainsWithUncertainRuns) {
  test::Random random(3);
  EXPECT_EQ(guess_for(column_of<std::int32_t>(DType::i32,
                                              [&](std::uint64_t i) {
                                                return i < count / 2 ? static_cast<std::int64_t>(i / 1000)
                                                                     : random.below(100'000);
                                              })),
            "none");
  EXPECT_EQ(guess_for(runs_of<std::int32_t>(
                DType::i32, [](std::uint64_t i) { return i % 2 == 0; }, [&] { return random.below(30); })),
            "rle,bitpack,bitpack");
}

/// Short columns, and words that are easy to lose.
TEST(Guess, IsATreeForItsType) {
  std::size_t guesses = 0;
  for (const DType type : word_types) {
    for (const std::uint64_t words : {1, 2, 17, 600, 2000}) {
      for (const auto& [name, column] : test::difficult_columns(type, words)) {
        const std::string guess = guess_for(column);
        if (guess == "none") continue;
        ++guesses;
        EXPECT_TRUE(plan_from_text(guess, type).status().ok())
            << guess << " for " << name << " of " << name_of(type);
      }
    }
  }
  EXPECT_GT(guesses, 100U);
}

}  // namespace
}  // namespace floe::trees
