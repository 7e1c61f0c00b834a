// Does the planner split words that are columns of different kinds, and only those?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "floe/floe.hpp"
#include "pipeline/array_plan.hpp"
#include "plan/segment/segment_search.hpp"
#include "plan/tree_time.hpp"
#include "tests/plan/batches.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

/// What stands in a row of a table, in two columns each: a number, a price, noise, a state, a curve, one of a
/// few words.
double cell_at(std::uint64_t row, std::uint64_t column) {
  const std::uint64_t random = core::splitmix(8 * row + column);
  switch (column / 2 % 6) {
    case 0:
      return static_cast<double>(1000000 + row);
    case 1:
      return static_cast<double>(random % 1000) / 100;
    case 2:
      return std::bit_cast<double>(0x3FF0000000000000 | random >> 12);
    case 3:
      return static_cast<double>(row / 500);
    case 4:
      return std::sin(static_cast<double>(row) / 1000);
    default:
      return std::sqrt(static_cast<double>(random % 7));
  }
}

std::vector<double> table_of(std::uint64_t rows, std::uint64_t columns) {
  std::vector<double> words;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t column = 0; column < columns; ++column) words.push_back(cell_at(row, column));
  }
  return words;
}

trees::ColumnView view_of(const std::vector<double>& words) {
  return {DType::f64, words.data(), words.size()};
}

trees::EncodedTree tree_of(const trees::ColumnView& words, std::initializer_list<std::uint32_t> strides) {
  trees::Objective ratio = trees::objective_of(Preset::ratio);
  for (const std::uint32_t stride : strides) ratio.strides.add(stride);
  trees::Scratch scratch;
  return encode_searched(words, ratio, scratch);
}
trees::EncodedTree tree_of(const std::vector<double>& words, std::initializer_list<std::uint32_t> strides) {
  return tree_of(view_of(words), strides);
}

TEST(Planner, GivesColumnsInTheRowsOfAnArrayTreesOfTheirOwn) {
  const std::vector<double> words = table_of(4000, 12);
  const trees::EncodedTree split = tree_of(words, {12}), whole = tree_of(words, {});
  ASSERT_EQ(split.plan.nodes[0].encoding, trees::EncodingId::stride_split) << text_of(split.plan);
  EXPECT_EQ(split.plan.nodes[0].parameters[0], 12U);
  EXPECT_LT(encoded_bytes(split), encoded_bytes(whole)) << text_of(whole.plan);
}

TEST(Planner, SplitsColumnsWhereTimeCountsIfTheySaveMuch) {
  const std::vector<double> words = table_of(4000, 12);
  trees::Objective balanced = trees::objective_of(Preset::balanced);
  trees::Scratch scratch;
  const trees::EncodedTree whole = encode_searched(view_of(words), balanced, scratch);
  balanced.strides.add(12);
  const trees::EncodedTree split = encode_searched(view_of(words), balanced, scratch);
  ASSERT_EQ(split.plan.nodes[0].encoding, trees::EncodingId::stride_split) << text_of(split.plan);
  EXPECT_LT(encoded_bytes(split), encoded_bytes(whole) - encoded_bytes(whole) / 8) << text_of(whole.plan);
}

TEST(Planner, SegmentsConsistOfWholeRowsOfFewColumns) {
  const auto segment_bytes = [](std::uint64_t columns) {
    Extent shape;
    shape.rank = 2;
    shape.size[0] = 100000;
    shape.size[1] = columns;
    return pipeline::plan_array(DType::f64, shape, {})->segment_bytes;
  };
  EXPECT_EQ(segment_bytes(12) % (12 * sizeof(double)), 0U);
  EXPECT_EQ(segment_bytes(8), std::uint64_t{1} << 20);
  EXPECT_EQ(segment_bytes(1000), std::uint64_t{1} << 20);
}

TEST(Planner, DoesNotSplitColumnsOfOneKind) {
  std::vector<double> noise(24000);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = cell_at(i, 4);
  EXPECT_EQ(tree_of(noise, {6}).plan, tree_of(noise, {}).plan);
}

/// Noise of another magnitude in every column.
std::vector<std::int32_t> many_scales(std::uint64_t rows, std::uint64_t columns) {
  std::vector<std::int32_t> words;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t column = 0; column < columns; ++column) {
      const std::uint64_t random = core::splitmix(columns * row + column);
      words.push_back(static_cast<std::int32_t>(random >> (44 + core::splitmix(column) % 18)));
    }
  }
  return words;
}

TEST(Planner, PutsColumnsBehindEachOther) {
  const std::vector<std::int32_t> words = many_scales(300, 200);
  const trees::ColumnView view{DType::i32, words.data(), words.size()};
  const trees::EncodedTree transposed = tree_of(view, {200}), rows = tree_of(view, {});
  ASSERT_EQ(transposed.plan.nodes[0].encoding, trees::EncodingId::stride_split) << text_of(transposed.plan);
  EXPECT_EQ(transposed.plan.nodes[0].parameters[0], trees::StrideSplitRules::max_children + 200);
  EXPECT_LT(encoded_bytes(transposed), encoded_bytes(rows)) << text_of(rows.plan);
}

TEST(Planner, ArraysOfColumnsComeBack) {
  for (const std::uint64_t columns : {2U, 6U, 12U, 48U, 333U}) {
    const std::uint64_t rows = columns > 64 && sanitized ? 600 : 1500;  // of two segments
    std::vector<double> words = table_of(rows, columns);
    if (columns > 64) std::ranges::copy(many_scales(rows, columns), words.begin());
    Extent shape;
    shape.rank = 2;
    shape.size[0] = rows;
    shape.size[1] = columns;
    for (const Goal goal : {Goal::balance, Goal::ratio, Goal::max}) {
      Options options;
      options.goal = goal;
      const auto frame = compress(std::as_bytes(std::span(words)), DType::f64, shape, options);
      ASSERT_TRUE(frame.status().ok());
      std::vector<double> back(words.size());
      const auto reader = Reader::open(*frame);
      ASSERT_TRUE(reader.status().ok());
      EXPECT_TRUE(reader->decompress(std::as_writable_bytes(std::span(back))).ok());
      EXPECT_EQ(back, words) << columns;
    }
  }
}

}  // namespace
}  // namespace floe::test
