// Do estimates from samples come near to what they stand for?
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "encodings/encodings.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/entropy_estimate.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "plan/search/search.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"

namespace floe::trees {
namespace {

using test::Column;
using test::Random;

TEST(DistinctWords, AreEstimatedFromAFewOfThem) {
  Scratch scratch;
  for (const std::uint64_t different : {500U, 5000U, 20000U}) {
    Random random(different);
    std::vector<std::int64_t> sample(4096);
    for (std::int64_t& word : sample)
      word = static_cast<std::int64_t>(core::splitmix(random.below(different)));
    const auto estimated = estimate_distinct_words(Column(DType::i64, sample).view(), scratch).words;
    EXPECT_NEAR(static_cast<double>(estimated), static_cast<double>(different),
                0.2 * static_cast<double>(different));
  }
}

TEST(DistinctWords, AreUnknownWhereNoneRepeats) {
  Scratch scratch;
  std::vector<std::int32_t> sample(2048);
  for (std::size_t i = 0; i < sample.size(); ++i)
    sample[i] = static_cast<std::int32_t>(i / 2);  // but in runs
  EXPECT_EQ(estimate_distinct_words(Column(DType::i32, sample).view(), scratch).words, 0U);
}

/// Samples say nothing of words that occur near each other alone; all words do.
TEST(DistinctWords, AreCountedWhereTheyAreNearEachOther) {
  constexpr std::uint64_t count = 1 << 17;
  Scratch scratch;
  for (const std::uint64_t different : {1U, 100U, 3000U, 30000U}) {
    std::vector<std::int64_t> words(count);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = static_cast<std::int64_t>(core::splitmix(i * different / count));
    const DistinctCount counted = count_distinct_words(Column(DType::i64, words).view(), scratch);
    EXPECT_TRUE(counted.is_exact);
    EXPECT_NEAR(static_cast<double>(counted.words), static_cast<double>(different),
                0.03 * static_cast<double>(different));
  }
}

TEST(DistinctWords, AreNoMoreThanAll) {
  Scratch scratch;
  std::vector<std::int32_t> words(1 << 15);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::int32_t>(i);
  const std::uint64_t counted = count_distinct_words(Column(DType::i32, words).view(), scratch).words;
  EXPECT_GT(counted, words.size() / 2);
  EXPECT_LE(counted, words.size());
}

/// The estimate and the leaf itself, in bits per word.
void expect_near(const Column& column) {
  Scratch scratch;
  std::vector<Stream> no_children;
  ByteWriter bytes;
  Encoded encoded{bytes, no_children, scratch};
  ASSERT_TRUE(encoding_of(EncodingId::entropy).encode(column.view(), {}, encoded));
  const EntropyCost cost = estimate_entropy_cost(column.view());
  const auto words = static_cast<double>(column.count());
  EXPECT_NEAR(static_cast<double>(cost.coded + cost.table) / 256 / words,
              8 * static_cast<double>(bytes.size()) / words, 0.4);
}

TEST(EntropyEstimate, IsNearToWhatTheLeafTakes) {
  constexpr std::uint64_t count = 1 << 15;
  expect_near(Column(DType::i32, test::random_numbers(count, 0, 100, Random(1))));
  expect_near(Column(DType::i32, test::random_numbers(count, -5, 1000000, Random(2))));
  std::vector<std::int32_t> skewed(count);
  Random random(4);
  for (std::int32_t& word : skewed)
    word = static_cast<std::int32_t>(random.below(std::uint64_t{1} << random.below(24)));
  expect_near(Column(DType::i32, skewed));
  std::vector<std::int64_t> wide(count);
  for (std::int64_t& word : wide) word = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 40)) - 5;
  expect_near(Column(DType::i64, wide));
}

/// Of either sign, with exponents of which small ones are rare.
template <class F>
std::vector<F> noise_floats(std::uint64_t count, Random random) {
  std::vector<F> floats(count);
  for (F& word : floats)
    word = static_cast<F>(static_cast<std::int64_t>(random.below(2000001)) - 1000000) / F{7};
  return floats;
}

TEST(EntropyEstimate, KnowsExponentsOfFloats) {
  constexpr std::uint64_t count = 1 << 15;
  expect_near(Column(DType::f32, noise_floats<float>(count, Random(5))));
  expect_near(Column(DType::f64, noise_floats<double>(count, Random(6))));
  std::vector<std::int32_t> sortable(count);
  const std::vector<float> floats = noise_floats<float>(count, Random(7));
  std::transform(floats.begin(), floats.end(), sortable.begin(), [](float word) {
    const auto bits = std::bit_cast<std::int32_t>(word);
    return bits < 0 ? static_cast<std::int32_t>(~bits ^ std::numeric_limits<std::int32_t>::min()) : bits;
  });
  expect_near(Column(DType::i32, sortable));
}

TEST(DecimalFacts, OfSortedDoublesAreFromAllOver) {
  std::vector<double> words(4096);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool in_middle = i >= 1024 && i < 3072;
    words[i] = in_middle ? static_cast<double>(i) / 100 : static_cast<double>(10000 * i + i % 97) / 1e6;
  }
  const std::vector<DecimalFacts> parts = find_decimals_of_parts({DType::f64, words.data(), words.size()});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].digits, 2U);
  EXPECT_GT(parts[0].exceptions, parts[0].sampled / 4);
  EXPECT_EQ(parts[1].digits, 6U);
  EXPECT_EQ(parts[1].exceptions, 0U);
  EXPECT_EQ(find_decimals_of_parts({DType::f64, words.data() + 1024, 2048}).size(), 1U);
}

/// Devices map decimals while they read words, but not where some word is none.
TEST(DeviceTimes, OfDecimals) {
  Column exact(DType::f64, 50'000), some(DType::f64, 50'000);
  for (std::uint64_t i = 0; i < exact.count(); ++i) {
    const double value = static_cast<double>(core::splitmix(i) % 5000) / 100;
    exact.set(i, std::bit_cast<std::uint64_t>(value));
    some.set(i, std::bit_cast<std::uint64_t>(i % 100 == 7 ? std::sqrt(value + 2) : value));
  }
  Scratch scratch;
  const Plan plan = plan_from_text("decimal(2,4),entropy,bitpack,raw", DType::f64).value();
  const auto encoding_time = [&](const Column& column) {
    Objective objective = budgeted_objective();
    objective.decode_nanosecond = 0;
    const auto cost = [&](std::uint32_t weight) {
      objective.encode_nanosecond = weight;
      return estimate_tree(plan.nodes, column.view(), column.count(), objective, scratch);
    };
    return (cost(1'000'000) - cost(0)) / (1000 * column.count());
  };
  EXPECT_LE(encoding_time(exact), 18u);
  EXPECT_GE(encoding_time(some), 30u);
}

}  // namespace
}  // namespace floe::trees
