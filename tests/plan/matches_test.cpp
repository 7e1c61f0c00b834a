// Does the planner find what repeats at a distance, in words and in what other encodings make of them?
#include <gtest/gtest.h>

#include "tests/plan/batches.hpp"

namespace floe::test {
namespace {

/// Rows of random numbers, of which each stands four times, far from each other.
std::vector<double> repeated_rows() {
  std::vector<double> column(1 << 16);
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] = std::bit_cast<double>(0x3FF0000000000000 | core::splitmix(i % (1 << 14)) >> 12);
  return column;
}

/// Words for a text, in random order.
std::vector<std::uint8_t> sentences() {
  std::vector<std::uint8_t> text;
  for (std::uint64_t i = 0; text.size() < 1 << 16; ++i) {
    std::uint64_t letters = core::splitmix(core::splitmix(i) % 64);
    for (; letters > 1 << 20; letters >>= 6) text.push_back(static_cast<std::uint8_t>('a' + letters % 26));
    text.push_back(' ');
  }
  return text;
}

TEST(Planner, FindsWhatRepeatsAtADistance) {
  for (const Column& column : {Column(DType::f64, repeated_rows()), Column(DType::u8, sentences())}) {
    for (const Preset preset : {Preset::balanced, Preset::ratio, Preset::max}) {
      ColumnEncoder encoder(preset);
      const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
      const auto plan = trees::plan_of(bytes, column.type);
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->nodes[0].encoding, trees::EncodingId::match) << text_of(*plan);
      EXPECT_LT(bytes.size() * 3, column.bytes.size());
      Column decoded(column.type, column.count());
      ASSERT_TRUE(decode(bytes, decoded).ok());
      EXPECT_EQ(decoded.bytes, column.bytes);
    }
    for (const Preset preset : {Preset::fast, Preset::gpu}) {
      ColumnEncoder encoder(preset);
      const auto plan = trees::plan_of(encoder.encode(column.view()), column.type);
      ASSERT_TRUE(plan);
      EXPECT_NE(plan->nodes[0].encoding, trees::EncodingId::match);
    }
  }
}

/// Times of an instrument that goes on in one of few sequences of steps, though no time comes twice.
std::vector<double> times_of_sequences() {
  std::vector<double> column;
  double time = 0;
  for (std::uint64_t sequence = 0; column.size() < 1 << 15; ++sequence) {
    const std::uint64_t which = core::splitmix(sequence) % 8;
    for (std::uint64_t i = 0; i < 256; ++i) {
      column.push_back(time);
      time += static_cast<double>(2046 + core::splitmix(which * 256 + i) % 5) / 1024;
    }
  }
  return column;
}

TEST(Planner, FindsStepsThatRepeatThoughNoWordDoes) {
  const Column column(DType::f64, times_of_sequences());
  for (const Preset preset : {Preset::ratio, Preset::max}) {
    ColumnEncoder encoder(preset);
    const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
    const auto plan = trees::plan_of(bytes, column.type);
    ASSERT_TRUE(plan);
    EXPECT_NE(text_of(*plan).find("match"), std::string::npos) << text_of(*plan);
    EXPECT_LT(bytes.size() * 40, column.bytes.size()) << "the entropy of a step alone is a 28th";
    Column decoded(column.type, column.count());
    ASSERT_TRUE(decode(bytes, decoded).ok());
    EXPECT_EQ(decoded.bytes, column.bytes);
  }
}

/// Positions of a box of molecules that was copied in space, x, y and z of one after the other: no position
/// comes twice, and in differences of neighbouring words no copy is like another one.
std::vector<float> copied_box() {
  constexpr std::uint64_t molecules = 3000, copies = 12;
  std::vector<float> column;
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    for (std::uint64_t i = 0; i < 3 * molecules; ++i) {
      const std::uint64_t shift = 1000 * core::splitmix(3 * copy + i % 3) % 7919;
      column.push_back(static_cast<float>(static_cast<double>(shift + core::splitmix(i) % 6000) / 1000));
    }
  }
  return column;
}

/// Rows of a map of areas: each goes through the same ones, of which none has the same width in two rows.
std::vector<std::int32_t> rows_of_areas() {
  constexpr std::uint64_t areas = 200, rows = 64;
  std::vector<std::int32_t> column;
  for (std::uint64_t i = 0; i < areas * rows; ++i)
    column.insert(column.end(), 1 + core::splitmix(i) % 8,
                  static_cast<std::int32_t>(core::splitmix(i % areas) % 100'000));
  return column;
}

/// That the planner finds matches, though not of the words, and makes no more of a column than that.
void expect_inner_matches(const Column& column, trees::Objective objective, std::uint64_t max_bytes) {
  ColumnEncoder encoder(objective);
  const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
  const auto plan = trees::plan_of(bytes, column.type);
  ASSERT_TRUE(plan);
  EXPECT_NE(plan->nodes[0].encoding, trees::EncodingId::match);
  EXPECT_NE(text_of(*plan).find("match"), std::string::npos) << text_of(*plan);
  EXPECT_LE(bytes.size(), max_bytes) << text_of(*plan);
  Column decoded(column.type, column.count());
  ASSERT_TRUE(decode(bytes, decoded).ok());
  EXPECT_EQ(decoded.bytes, column.bytes);
}

TEST(Planner, FindsStepsOfRowsThatRepeat) {
  const Column column(DType::f32, copied_box());
  for (const Preset preset : {Preset::ratio, Preset::max}) {
    trees::Objective objective = trees::objective_of(preset);
    objective.strides.add(3);
    expect_inner_matches(column, objective, 18'000);  // one box has 9000 words of 13 bits
  }
}

TEST(Planner, FindsRunsOfWordsThatRepeat) {
  const Column column(DType::i32, rows_of_areas());
  for (const Preset preset : {Preset::ratio, Preset::max})
    expect_inner_matches(column, trees::objective_of(preset), 6'000);  // 12 800 widths of 3 bits
}

}  // namespace
}  // namespace floe::test
