// Tests of segments of two streams that a few warps decode: quotients and remainders, codes and dictionaries,
// values and lengths of runs; of any number of words, and with damage.
#include <gtest/gtest.h>

#include <set>

#include "gpu/unpack/unpack_chain.hpp"
#include "tests/series_cuda/expect_decoded.hpp"
#include "tests/series_cuda/two_stream_columns.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

class TwoStreamsOf : public testing::TestWithParam<DType> {};

TEST_P(TwoStreamsOf, GiveTheWordsOfTheCpu) {
  std::size_t number = 0;
  for (const std::uint64_t count : {1, 4095, 4097, 5120, 9001, 16384, 21000}) {
    for (const auto& [tree, column] : cases_of(GetParam(), count)) {
      if (sanitized && (number++ + static_cast<std::size_t>(GetParam())) % 8 != 0) continue;
      expect_decoded(tree, column);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(TwoStreamsOf, GiveDifficultWords) {
  std::vector<std::string> trees = trees_with_dictionaries(GetParam());
  for (const auto& more : {run_trees(GetParam()), quotient_trees("3"), quotient_trees("1,9")})
    trees.insert(trees.end(), more.begin(), more.end());
  for (const std::string& tree : trees) {
    for (const auto& [name, column] : sampled_columns(GetParam(), 6001)) {
      expect_decoded(tree, column);
      if (HasFatalFailure()) return;
    }
  }
}

std::size_t distinct_words(const Column& column) {
  const std::size_t width = size_of(column.type);
  std::set<std::vector<std::uint8_t>> all;
  for (auto at = column.bytes.begin(); at != column.bytes.end(); at += static_cast<std::ptrdiff_t>(width))
    all.emplace(at, at + static_cast<std::ptrdiff_t>(width));
  return all.size();
}

TEST_P(TwoStreamsOf, NeedNoBlock) {
  std::size_t number = 0;
  for (const auto& [tree, column] : cases_of(GetParam(), 20000)) {
    if (!is_sampled(GetParam(), number++)) continue;
    // Dictionaries that a few warps have no room for are left to blocks, unless codes are vectors.
    const bool fits = !tree.starts_with("dict") || tree.ends_with(",bitpack,raw") ||
                      distinct_words(column) * size_of(column.type) <= gpu::max_small_table_bytes;
    EXPECT_EQ(needs_no_block_emulated(encode_with(tree, column), GetParam(), 20000), fits) << tree;
  }
}

TEST_P(TwoStreamsOf, RefuseOrDecodeDamagedBytes) {
  std::size_t number = 0;
  for (const auto& [tree, column] : cases_of(GetParam(), 9000)) {
    if (!is_sampled(GetParam(), number++)) continue;
    expect_refused_or_decoded(tree, column, sanitized ? 8 : 24);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TwoStreamsOf, testing::Values(DType::i32, DType::i64, DType::f32, DType::f64),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace floe::test
