// Tests of chains with far differences that are chosen by windows, and by what lies before them.
#include "plan/search/far/window_chains.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "core/splitmix.hpp"
#include "plan/search/guess.hpp"
#include "plan/search/sampled_planner.hpp"
#include "tests/series/columns.hpp"

namespace floe::trees {
namespace {

/// A segment whose windows, and what lies before them, are at hand.
struct Gathered {
  std::vector<std::uint64_t> words, before;
  SegmentWindows segment;

  Gathered(const test::Column& column, const FarStrides& strides)
      : words(SegmentWindows::words_at_hand(column.count())),
        before(SegmentWindows::words_before(strides.get().size())),
        segment(store_windows(column.view(), 1 << 16, reinterpret_cast<std::uint8_t*>(words.data()))) {
    store_before(column.view(), strides, reinterpret_cast<std::uint8_t*>(before.data()), segment);
  }
};

test::Column column_of(DType type, std::uint64_t count, const std::function<double(std::uint64_t)>& value) {
  test::Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double here = value(i);
    column.set(i, type == DType::f64   ? std::bit_cast<std::uint64_t>(here)
                  : type == DType::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(here))
                                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(here * 1000)));
  }
  return column;
}

/// Rows that are rough, and like those before them.
double rough_rows(std::uint64_t i, std::uint64_t row) {
  const auto noise = [](std::uint64_t of) {
    return static_cast<double>(core::splitmix(of) % 100'000) * 1e-3;
  };
  return (300 + noise(i % row) + 0.0005 * noise(i)) / 7;
}

FarStrides strides_of(std::initializer_list<std::uint64_t> inner_extent) {
  return window_strides(far_strides_of(std::vector<std::uint64_t>(inner_extent)), 1 << 16);
}

std::string guessed(const Gathered& gathered) {
  SearchThreads nobody;
  Scratch scratch;
  const auto guess = guess_tree(gathered.segment, budgeted_objective(), nobody, scratch);
  return guess ? text_of(guess->plan) : "";
}

TEST(FarChains, AreGuessedWhereRowsAreAlike) {
  for (const DType type : {DType::i32, DType::i64, DType::f32, DType::f64, DType::i16}) {
    const auto rows = column_of(type, 300'000, [](std::uint64_t i) { return rough_rows(i, 360); });
    const std::string first = is_float(type) ? "sortable," : "";
    EXPECT_TRUE(guessed(Gathered(rows, strides_of({360}))).starts_with(first + "delta(1,360),"))
        << guessed(Gathered(rows, strides_of({360})));
    EXPECT_EQ(guessed(Gathered(rows, {})).find("360"), std::string::npos);
    EXPECT_EQ(guessed(Gathered(rows, strides_of({310}))).find("310"), std::string::npos);
  }
}

TEST(FarChains, AreOfDecimals) {
  const auto rows = column_of(DType::f64, 300'000,
                              [](std::uint64_t i) { return std::round(rough_rows(i, 100) * 70) / 10; });
  EXPECT_TRUE(guessed(Gathered(rows, strides_of({100}))).starts_with("decimal(1),delta(1,100),"))
      << guessed(Gathered(rows, strides_of({100})));
}

TEST(FarChains, AreOfSecondOrderWhereColumnsAreCurves) {
  const auto curves = column_of(DType::i32, 300'000, [](std::uint64_t i) {
    const auto row = static_cast<double>(i / 3);
    return static_cast<double>(i % 3 * 9000) + 2e-4 * row * row + 3 * std::sin(row / 40);
  });
  EXPECT_TRUE(guessed(Gathered(curves, strides_of({3}))).starts_with("delta(2,3),"))
      << guessed(Gathered(curves, strides_of({3})));
}

TEST(FarChains, AreKnownByTheirStrides) {
  const FarStrides strides = strides_of({7, 4});
  const std::pair<const char*, DType> known[] = {
      {"sortable,delta(1,28),delta,entropy", DType::f64},
      {"delta(2,4),entropy", DType::i64},
      {"decimal(3,8),delta(1,28),delta(1,4),entropy,bitpack,raw", DType::f64}};
  for (const auto& [tree, type] : known) {
    const Plan plan = plan_from_text(tree, type).value();
    const auto chain = far_chain_of(plan, strides);
    ASSERT_TRUE(chain.has_value()) << tree;
    EXPECT_TRUE(chain->plan() == plan) << tree;
    EXPECT_FALSE(far_chain_of(plan, strides_of({9})).has_value());
  }
  for (const char* tree : {"delta(1,4),entropy", "delta(1,28),bitpack", "delta,entropy", "entropy"})
    EXPECT_FALSE(far_chain_of(plan_from_text(tree, DType::i64).value(), strides).has_value()) << tree;
}

/// Kinds of an array with other rows are forgotten.
TEST(FarChains, StayUntilRowsAreOthers) {
  Scratch scratch;
  SearchThreads nobody;
  SampledPlanner planner(budgeted_objective(), &nobody);
  const auto plan = [&](std::uint64_t row) {
    const FarStrides strides = strides_of({row});
    const Gathered gathered(
        column_of(DType::i32, 200'000, [row](std::uint64_t i) { return rough_rows(i, row); }), strides);
    planner.begin_stream(strides);
    return text_of(planner.plan_for(gathered.segment, scratch));
  };
  EXPECT_TRUE(plan(200).starts_with("delta(1,200),"));
  EXPECT_TRUE(plan(200).starts_with("delta(1,200),"));
  EXPECT_EQ(planner.search_count(), 1U);
  EXPECT_TRUE(plan(270).starts_with("delta(1,270),"));
  EXPECT_EQ(planner.search_count(), 1U);
}

TEST(FarChains, AreTheSameWithAnyThreads) {
  SearchThreads helpers(3);
  const Awake awake(&helpers);
  SearchThreads nobody;
  Scratch scratch;
  for (const std::uint64_t row : {100, 1000, 4000}) {
    const Gathered gathered(
        column_of(DType::f32, 100'000, [row](std::uint64_t i) { return rough_rows(i, row); }),
        strides_of({row, 3}));
    const auto plan_with = [&](SearchThreads& threads) {
      SampledPlanner planner(budgeted_objective(), &threads);
      return text_of(planner.plan_for(gathered.segment, scratch));
    };
    EXPECT_EQ(plan_with(helpers), plan_with(nobody));
  }
}

}  // namespace
}  // namespace floe::trees
