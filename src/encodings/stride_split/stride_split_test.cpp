// Parts in one child: their order, blocks, and words that are passed over.
#include <gtest/gtest.h>

#include "encodings/encodings.hpp"
#include "tests/series/columns.hpp"
#include "tree/tree_decoder.hpp"

namespace floe::trees {
namespace {

constexpr std::uint32_t one_child = StrideSplitRules::max_children;

/// A tree of one child that has the words as they are.
EncodedTree transposed(const test::Column& column, std::uint32_t parts) {
  Scratch scratch;
  return encode_tree(column.view(),
                     {{{EncodingId::stride_split, {one_child + parts, 0}}, {EncodingId::raw, {}}}}, scratch);
}

test::Column numbers(DType type, std::uint64_t count) {
  test::Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) column.set(i, core::splitmix(i));
  return column;
}

/// Where the rules say that a word lies.
std::uint64_t place_of(std::uint64_t i, std::uint64_t count, std::uint64_t parts, std::uint64_t block) {
  const std::uint64_t first = i / block * block, words = std::min(block, count - first), row = i - first,
                      part = row % parts;
  return first + words / parts * part + std::min(part, words % parts) + row / parts;
}

TEST(StrideSplit, PartsLieOneBehindTheOther) {
  for (const DType type : {DType::u8, DType::f16, DType::i32, DType::f64}) {
    for (const std::uint32_t parts : {2U, 3U, 16U, 17U, 100U, 65535U}) {
      for (const std::uint64_t count : {2U, 7U, 16U, 51U, 1600U, 4999U}) {
        const test::Column column = numbers(type, count);
        const EncodedTree tree = transposed(column, parts);
        ASSERT_EQ(tree.body.size(), column.bytes.size());
        const std::size_t bytes = size_of(type);
        for (std::uint64_t i = 0; i < count; ++i) {
          ASSERT_EQ(std::memcmp(tree.body.bytes().data() + place_of(i, count, parts, count) * bytes,
                                column.bytes.data() + i * bytes, bytes),
                    0)
              << parts << " parts, word " << i << " of " << count;
        }
      }
    }
  }
}

/// Blocks end within rows of the decoder, and parts of the last one differ in length.
TEST(StrideSplit, BlocksComeBackInAnyPieces) {
  struct Case {
    DType type;
    std::uint32_t parts;
    std::uint64_t block;
  };
  for (const auto& [type, parts, block] :
       {Case{DType::f64, 65535, 16 * 65535}, {DType::u64, 3, 1048575}, {DType::f32, 1018, 2097080}}) {
    const test::Column column = numbers(type, 2 * block + block / 3);
    const EncodedTree tree = transposed(column, parts);
    const std::size_t bytes = size_of(type);
    for (std::uint64_t i = 0; i < column.count(); i += 997) {
      ASSERT_EQ(std::memcmp(tree.body.bytes().data() + place_of(i, column.count(), parts, block) * bytes,
                            column.bytes.data() + i * bytes, bytes),
                0)
          << parts << " parts, word " << i;
    }
    for (const std::uint64_t step : {std::uint64_t{4096}, std::uint64_t{70001}, block + 5}) {
      ByteReader body(tree.body.bytes());
      const auto source = open_tree(tree.plan, body, type, column.count(), Wanted::parts);
      ASSERT_NE(source, nullptr);
      std::vector<std::uint64_t> words(step);
      for (std::uint64_t first = 0, turn = 0; first < column.count(); ++turn) {
        const std::uint64_t count = std::min(step, column.count() - first);
        if (turn % 3 == 2) {
          ASSERT_TRUE(source->skip(count));
        } else {
          ASSERT_TRUE(source->read(words.data(), static_cast<std::size_t>(count)));
          ASSERT_EQ(std::memcmp(words.data(), column.bytes.data() + first * bytes, count * bytes), 0)
              << parts << " parts, words from " << first;
        }
        first += count;
      }
    }
  }
}

/// What a few bytes claim takes no more memory than a block.
TEST(StrideSplit, ManyWordsTakeABlockOfMemory) {
  const Plan plan{{{EncodingId::stride_split, {one_child + 65535, 0}}, {EncodingId::constant, {}}}};
  const std::vector<std::uint8_t> word(8, 0x3F);
  ByteReader body(word);
  const std::uint64_t count = std::uint64_t{1} << 60;
  const auto source = open_tree(plan, body, DType::f64, count, Wanted::parts);
  ASSERT_NE(source, nullptr);
  std::uint64_t last = 0;
  ASSERT_TRUE(source->skip(count / 2 + 12345));
  ASSERT_TRUE(source->read(&last, 1));
  EXPECT_EQ(last, 0x3F3F3F3F3F3F3F3F);
}

}  // namespace
}  // namespace floe::trees
