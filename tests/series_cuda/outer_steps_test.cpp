// Tests of what a few warps decode above a leaf of entropy: differences with strides, once and twice, one
// above the other, decimals, and floats on a grid; of any number of words, and with damage.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/series_cuda/expect_decoded.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

/// Rows of a field that is smooth along both axes, but for noise; some words are 0.
Column smooth_rows(DType type, std::uint64_t count, std::uint64_t row_words) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i % row_words) / static_cast<double>(row_words),
                 y = static_cast<double>(i / row_words) / 50,
                 noise = static_cast<double>(core::splitmix(i) % 1000) * 1e-5,
                 value = i % 97 == 5 ? 0 : 40 * std::sin(4 * x + y) + 3 * std::cos(9 * y) + noise + 0.001;
    if (type == DType::f64) {
      column.set(i, std::bit_cast<std::uint64_t>(value));
    } else if (type == DType::f32) {
      column.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else if (type == DType::bf16) {
      column.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
    } else {
      column.set(i, static_cast<std::uint64_t>(static_cast<std::int64_t>(value * 1000)));
    }
  }
  return column;
}
/// The same, rounded to decimals.
Column decimal_rows(DType type, std::uint64_t count, std::uint64_t row_words) {
  const Column thousandths = smooth_rows(DType::i64, count, row_words);
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t word = thousandths.view().words<std::uint64_t>()[static_cast<std::size_t>(i)];
    const double value = static_cast<double>(static_cast<std::int64_t>(word)) / 1000;
    column.set(i, type == DType::f64 ? std::bit_cast<std::uint64_t>(value)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  return column;
}

std::vector<std::string> outer_trees(DType type, std::uint64_t stride) {
  const std::string far = std::to_string(stride), first = is_float(type) ? "sortable," : "";
  std::vector<std::string> trees;
  for (const char* below : {"entropy", "delta,entropy", "delta(2),entropy", "delta(1,2),entropy"})
    trees.push_back(first + "delta(1," + far + ")," + below);
  for (const char* below : {"entropy", "delta(2),entropy"})
    trees.push_back(first + "delta(2," + far + ")," + below);
  for (const char* below : {"entropy", "delta,entropy"}) trees.push_back(first + "delta(2,2)," + below);
  trees.push_back(first + "delta(1," + std::to_string(7 * stride) + "),delta(1," + far + "),delta,entropy");
  if (size_of(type) == 2) return trees;
  if (!is_float(type)) {
    trees.push_back("int_mult,delta(1," + far + "),delta,entropy");
    return trees;
  }
  trees.emplace_back("grid,delta,entropy,raw,bitpack,raw");
  trees.push_back("grid,delta(1," + far + "),delta,entropy,raw,bitpack,raw");
  trees.push_back("grid,delta(2," + far + "),delta(2),entropy,raw,bitpack,raw");
  return trees;
}

/// Of integers of four bytes and, for doubles, of eight.
std::vector<std::string> decimal_trees(DType type, std::uint64_t stride) {
  std::vector<std::string> trees;
  for (const char* decimal : {"decimal(3),", "decimal(3,8),"}) {
    if (type == DType::f32 && decimal[9] == ',') continue;
    for (const std::string& tree : outer_trees(DType::i64, stride))
      if (!tree.starts_with("int_mult")) trees.push_back(decimal + tree + ",bitpack,raw");
  }
  return trees;
}

class OuterStepsOf : public testing::TestWithParam<DType> {};

TEST_P(OuterStepsOf, GiveTheWordsOfTheCpu) {
  std::size_t number = 0, round = 0;
  for (const std::uint64_t stride : {5, 16, 32, 64, 65, 128, 131, 360, 1018}) {
    for (const std::string& tree : outer_trees(GetParam(), stride)) {
      if (!is_sampled(GetParam(), number++)) continue;
      for (const std::uint64_t count : {std::uint64_t{1}, stride, stride + 1, std::uint64_t{1500},
                                        std::uint64_t{4096}, 4100 + stride, std::uint64_t{12345}}) {
        if (sanitized && round++ % 3 != 0) continue;
        expect_decoded(tree, smooth_rows(GetParam(), count, stride));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(OuterStepsOf, GiveTheDecimalsOfTheCpu) {
  if (!is_wide_float(GetParam())) return;
  std::size_t number = 0;
  for (const std::uint64_t stride : {5, 32, 64, 65, 360}) {
    for (const std::string& tree : decimal_trees(GetParam(), stride)) {
      if (!is_sampled(GetParam(), number++)) continue;
      for (const std::uint64_t count : {stride + 1, std::uint64_t{4096}, std::uint64_t{12345}}) {
        expect_decoded(tree, decimal_rows(GetParam(), count, stride));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(OuterStepsOf, GiveDifficultWords) {
  for (const std::string& tree : outer_trees(GetParam(), 70)) {
    for (const auto& [name, column] : sampled_columns(GetParam(), 5001)) {
      expect_decoded(tree, column);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(OuterStepsOf, TakeRandomStrides) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 6 : 24); ++seed) {
    const std::uint64_t random = core::splitmix(seed + 31),
                        stride = 5 + random % (seed % 2 == 0 ? 200 : 9000);
    const auto trees = outer_trees(GetParam(), stride);
    expect_decoded(trees[random / 7 % trees.size()],
                   smooth_rows(GetParam(), 1 + random / 11 % 20000, 1 + random / 13 % (2 * stride)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(OuterStepsOf, NeedNoBlock) {
  const Column column = smooth_rows(GetParam(), 20000, 360);
  for (const std::uint64_t stride : {32, 360}) {
    for (const std::string& tree : outer_trees(GetParam(), stride)) {
      if (tree.starts_with("grid,delta(2,32)")) continue;
      EXPECT_TRUE(needs_no_block_emulated(encode_with(tree, column), GetParam(), 20000)) << tree;
    }
    if (!is_wide_float(GetParam())) continue;
    const Column decimals = decimal_rows(GetParam(), 20000, 360);
    for (const std::string& tree : decimal_trees(GetParam(), stride))
      EXPECT_TRUE(needs_no_block_emulated(encode_with(tree, decimals), GetParam(), 20000)) << tree;
  }
}

TEST_P(OuterStepsOf, RefuseOrDecodeDamagedBytes) {
  for (const std::uint64_t stride : {32, 100}) {
    for (const std::string& tree : outer_trees(GetParam(), stride)) {
      expect_refused_or_decoded(tree, smooth_rows(GetParam(), 3000, stride), sanitized ? 8 : 60);
      if (HasFatalFailure()) return;
    }
    if (!is_wide_float(GetParam())) continue;
    for (const std::string& tree : decimal_trees(GetParam(), stride)) {
      expect_refused_or_decoded(tree, decimal_rows(GetParam(), 3000, stride), sanitized ? 8 : 30);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, OuterStepsOf,
                         testing::Values(DType::i16, DType::i32, DType::i64, DType::bf16, DType::f32,
                                         DType::f64),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace floe::test
