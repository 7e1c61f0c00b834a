// Are differences to rows and planes found where arrays have some, and not where they have none?
#include "plan/search/far/words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "core/splitmix.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr std::uint32_t row = 150, plane = 150 * 90, words = 20 * plane;

Objective objective_with_strides(std::initializer_list<std::uint32_t> strides) {
  Objective objective = objective_of(Preset::balanced);
  for (const std::uint32_t stride : strides) objective.strides.add(stride);
  return objective;
}

std::vector<Choice> choices_for(const ColumnView& stream, std::uint64_t distinct = 0) {
  Scratch scratch;
  return find_far_choices(stream, distinct, objective_with_strides({row, plane}), max_plan_depth, scratch);
}

/// The cheapest of them; no nodes if there is none.
std::vector<PlanNode> best_of(const std::vector<Choice>& choices) {
  const auto best = std::min_element(choices.begin(), choices.end(),
                                     [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
  return best == choices.end() ? std::vector<PlanNode>{} : best->nodes;
}

bool has_node(const std::vector<PlanNode>& nodes, const PlanNode& node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// Every row, and every plane, has a random level and slope of its own.
std::vector<std::int32_t> sum_of_rows_and_planes() {
  std::vector<std::int32_t> all(words);
  const auto noise = [](std::uint64_t seed, std::int64_t range) {
    return static_cast<std::int64_t>(core::splitmix(seed) % static_cast<std::uint64_t>(range));
  };
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint64_t position = i % row, line = i / row % (plane / row), level = i / plane;
    all[i] = static_cast<std::int32_t>(noise(position, 50000) + noise(1000 + line, 50000) +
                                       noise(5000 + level * 1000 + line, 3) + noise(9000 + i, 3));
  }
  return all;
}

TEST(FarWords, FindsRowsAndPlanes) {
  const std::vector<std::int32_t> all = sum_of_rows_and_planes();
  const std::vector<Choice> choices = choices_for({DType::i32, all.data(), words});
  ASSERT_FALSE(choices.empty());
  EXPECT_TRUE(has_node(best_of(choices), {EncodingId::delta, {1, plane}}));
  for (const Choice& choice : choices) {
    EXPECT_TRUE(check_plan({choice.nodes}, DType::i32).ok()) << text_of({choice.nodes});
    EXPECT_LT(choice.cost, words * 16 * cost_of_bit);
  }
}

TEST(FarWords, EstimateOfTheBestIsNearWhatIsWritten) {
  const std::vector<std::int32_t> all = sum_of_rows_and_planes();
  const ColumnView stream{DType::i32, all.data(), words};
  Scratch scratch;
  Objective objective = objective_with_strides({row, plane});
  objective.encode_nanosecond = objective.decode_nanosecond = 0;
  bool has_entropy = false;
  for (const Choice& choice : find_far_choices(stream, 0, objective, max_plan_depth, scratch)) {
    if (choice.nodes.back().encoding != EncodingId::entropy || choice.nodes.size() > 3) continue;
    has_entropy = true;
    const std::size_t bytes = encode_tree(stream, {choice.nodes}, scratch).body.size();
    EXPECT_NEAR(static_cast<double>(choice.cost) / cost_of_byte, static_cast<double>(bytes),
                0.15 * static_cast<double>(bytes))
        << text_of({choice.nodes});
  }
  EXPECT_TRUE(has_entropy);
}

TEST(FarWords, FindsDecimals) {
  const std::vector<std::int32_t> integers = sum_of_rows_and_planes();
  std::vector<double> all(words);
  for (std::uint32_t i = 0; i < words; ++i) all[i] = integers[i] / 100.0;
  const std::vector<PlanNode> best = best_of(choices_for({DType::f64, all.data(), words}));
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best[0], (PlanNode{EncodingId::decimal, {2, 4}}));
  EXPECT_TRUE(check_plan({best}, DType::f64).ok());
}

TEST(FarWords, FindsCodesOfWordsThatRepeat) {
  const std::vector<std::int32_t> integers = sum_of_rows_and_planes();
  std::vector<double> all(words);
  for (std::uint32_t i = 0; i < words; ++i) all[i] = std::sqrt(integers[i] / 40);
  const std::vector<PlanNode> best = best_of(choices_for({DType::f64, all.data(), words}, 2500));
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best[0].encoding, EncodingId::dict);
  EXPECT_TRUE(check_plan({best}, DType::f64).ok());
}

TEST(FarWords, FindsNoneInNoiseAndLines) {
  std::vector<std::uint64_t> noise(words), line(words);
  for (std::uint32_t i = 0; i < words; ++i) {
    noise[i] = core::splitmix(i);
    line[i] = 1000 * i + core::splitmix(i) % 7;
  }
  EXPECT_TRUE(choices_for({DType::u64, noise.data(), words}).empty());
  EXPECT_TRUE(choices_for({DType::u64, line.data(), words}).empty());
}

TEST(FarWords, TakesNoStridesThatAreTooLong) {
  const std::vector<std::int32_t> all = sum_of_rows_and_planes();
  Scratch scratch;
  EXPECT_TRUE(find_far_choices({DType::i32, all.data(), words}, 0, objective_with_strides({words - 1}),
                               max_plan_depth, scratch)
                  .empty());
  EXPECT_TRUE(find_far_choices({DType::i32, all.data(), words}, 0, objective_of(Preset::balanced),
                               max_plan_depth, scratch)
                  .empty());
}

TEST(FarStrides, AreAscendingAndDifferent) {
  FarStrides strides;
  for (const std::uint64_t stride : {360, 1, 64800, 360, 3, 1 << 21}) strides.add(stride);
  EXPECT_EQ(std::vector<std::uint32_t>(strides.get().begin(), strides.get().end()),
            (std::vector<std::uint32_t>{3, 360, 64800}));
}

/// Signs and exponents let words look longer than differences are.
TEST(FarWords, NoneForFloatsOfBothSigns) {
  std::vector<float> all(words);
  for (std::uint32_t i = 0; i < words; ++i) {
    all[i] = -6;
    for (std::uint32_t k = 0; k < 12; ++k)
      all[i] += static_cast<float>(core::splitmix(12 * std::uint64_t{i} + k) >> 40) * 0x1p-24F;
  }
  EXPECT_TRUE(choices_for({DType::f32, all.data(), words}).empty());
}

}  // namespace
}  // namespace floe::trees
