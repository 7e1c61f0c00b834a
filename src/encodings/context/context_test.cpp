// Do words come in the order of their contexts, and do tables gain by that?
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/context/magnitudes.hpp"
#include "encodings/encoding.hpp"
#include "tree/plan.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

TEST(ContextEncoding, MagnitudesAreQuartersOfBits) {
  for (std::uint8_t small = 0; small < 8; ++small) EXPECT_EQ(magnitude_of(small, std::uint8_t{0}), small);
  EXPECT_EQ(magnitude_of(std::uint16_t{9}, std::uint16_t{0}), 8);
  EXPECT_EQ(magnitude_of(std::uint16_t{20}, std::uint16_t{0}), 13);
  EXPECT_EQ(magnitude_of(~std::uint64_t{0}, std::uint64_t{0}), max_contexts - 1);
  const auto of_signed = [](int word) {
    return magnitude_of(static_cast<std::uint8_t>(word), std::uint8_t{0x80});
  };
  EXPECT_EQ(of_signed(-1), 0);
  EXPECT_EQ(of_signed(-3), 2);
  EXPECT_EQ(of_signed(-128), of_signed(127));
  // No larger word has a smaller one.
  for (unsigned word = 1; word < 1 << 16; ++word)
    EXPECT_GE(magnitude_of(word, 0U), magnitude_of(word - 1, 0U));
}

template <core::Word W>
void expect_same_magnitudes(W sign) {
  std::vector<W> words(1 << 16);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<W>(i);
  std::vector<std::uint8_t> found(words.size()), expected(words.size());
  find_magnitudes(words.data(), words.size(), sign, found.data());
  std::ranges::transform(words, expected.begin(), [&](W word) { return magnitude_of(word, sign); });
  EXPECT_EQ(found, expected);
}

TEST(ContextEncoding, MagnitudesOfManyWordsAreThoseOfEach) {
  expect_same_magnitudes<std::uint8_t>(0);
  expect_same_magnitudes<std::uint8_t>(0x80);
  expect_same_magnitudes<std::uint16_t>(0);
  expect_same_magnitudes<std::uint16_t>(0x8000);
  expect_same_magnitudes<std::uint32_t>(0x80000000);
}

TEST(ContextEncoding, WordsOfTheExampleAreInOrder) {
  const std::vector<std::int8_t> words{1, -3, 0, 20, -30, 9};
  Scratch scratch;
  core::ByteWriter header;
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  ASSERT_TRUE(
      encoding_of(EncodingId::context).encode({DType::i8, words.data(), words.size()}, {3, 1}, encoded));
  const std::vector<std::uint8_t> in_header{0, 4, 3, 2, 0, 1};
  EXPECT_TRUE(std::ranges::equal(header.bytes(), in_header));
  const std::vector<std::uint8_t> sorted{0x01, 0xfd, 0x00, 0x14, 0xe2, 0x09};
  EXPECT_TRUE(std::ranges::equal(children[0].view().words<std::uint8_t>(), sorted));
}

/// Noise that is larger in some columns.
std::vector<std::int32_t> noise(std::size_t rows, std::size_t columns) {
  std::vector<std::int32_t> words(rows * columns);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t mask = i % columns % 20 < 10 ? 3 : 1023;
    words[i] = static_cast<std::int32_t>(core::splitmix(i) & mask) - static_cast<std::int32_t>(mask / 2);
  }
  return words;
}

std::uint64_t bytes_of(const std::vector<std::int32_t>& words, const char* tree) {
  Scratch scratch;
  const ColumnView view{DType::i32, words.data(), words.size()};
  return encode_tree(view, plan_from_text(tree, DType::i32).value(), scratch).body.size();
}

TEST(ContextEncoding, NoiseThatIsLargerInSomeColumnsGetsTablesOfItsOwn) {
  const std::vector<std::int32_t> words = noise(200, 100);
  const std::uint64_t plain = bytes_of(words, "multi_entropy");
  EXPECT_LT(bytes_of(words, "context(100),multi_entropy") * 10, plain * 9);
}

}  // namespace
}  // namespace floe::trees
