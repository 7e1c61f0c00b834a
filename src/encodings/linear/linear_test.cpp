// Do the weights predict what follows a rule, and is that the prediction that the format says?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/encoding.hpp"
#include "encodings/linear/weights.hpp"
#include "tree/tree_decoder.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

/// An oscillation, and noise of a few steps.
template <core::Word W>
std::vector<W> oscillation(std::size_t count, double amplitude) {
  std::vector<W> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = amplitude * std::sin(0.07 * static_cast<double>(i));
    words[i] =
        static_cast<W>(static_cast<std::int64_t>(value) + static_cast<std::int64_t>(core::splitmix(i) % 5));
  }
  return words;
}

template <core::Word W>
std::vector<W> errors_of(const std::vector<W>& words, std::uint32_t count) {
  Scratch scratch;
  core::ByteWriter header;
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  const ColumnView view{signed_type(sizeof(W)), words.data(), words.size()};
  EXPECT_TRUE(encoding_of(EncodingId::linear).encode(view, {count, 1}, encoded));
  const std::span<const W> errors = children[0].view().template words<W>();
  return {errors.begin(), errors.end()};
}

template <core::Word W>
double mean_error(const std::vector<W>& errors) {
  double sum = 0;
  for (const W error : errors)
    sum += std::fabs(static_cast<double>(static_cast<std::make_signed_t<W>>(error)));
  return sum / static_cast<double>(errors.size());
}

TEST(LinearEncoding, PredictsOscillations) {
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint32_t>(20000, 1e6), 8)), 50);
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint16_t>(20000, 3e4), 8)), 50);
  // Weights of 16 bits behind the point cannot do better.
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint64_t>(20000, 1e15), 8)), 1e11);
}

/// What encoding some words made.
struct EncodedWords {
  std::vector<std::uint32_t> distances;
  std::vector<std::int64_t> weights;
  std::vector<std::uint8_t> errors;
};

EncodedWords encoded_words(const ColumnView& words, std::uint32_t count, std::uint32_t row) {
  Scratch scratch;
  core::ByteWriter header;
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  EXPECT_TRUE(encoding_of(EncodingId::linear).encode(words, {count, row}, encoded));
  EncodedWords made;
  core::ByteReader bytes(header.bytes());
  for (std::uint32_t j = 0, distance = 0; j < count; ++j) {
    distance += row == 1 ? 1 : static_cast<std::uint32_t>(bytes.get_varint());
    made.distances.push_back(distance);
  }
  for (std::uint32_t j = 0; j < count; ++j)
    made.weights.push_back(static_cast<std::int32_t>(bytes.get_signed<std::uint32_t>()));
  const ColumnView errors = children[0].view();
  const auto* const first = static_cast<const std::uint8_t*>(errors.values);
  made.errors.assign(first, first + errors.bytes());
  return made;
}

/// The words before a word, as the format says, one at a time.
template <core::Word W>
struct WordsBefore {
  const std::vector<W>& words;
  std::int64_t row;
  bool are_signed;

  [[nodiscard]] std::int64_t number(std::int64_t i) const {
    if (i < 0) return 0;
    const W word = words[static_cast<std::size_t>(i)];
    const auto number = are_signed ? static_cast<std::int64_t>(static_cast<std::make_signed_t<W>>(word))
                                   : static_cast<std::int64_t>(word);
    if (sizeof(W) < 8) return number;
    return are_signed ? number >> 16 : static_cast<std::int64_t>(std::uint64_t{word} >> 16);
  }
  [[nodiscard]] std::int64_t before(std::int64_t i, std::int64_t distance) const {
    if (row < 32 || sizeof(W) > 2) return number(i - distance);
    const std::int64_t rows_before = (distance + (row - 1) / 2) / row, of_row = i / row - rows_before,
                       column = i % row - (distance - rows_before * row);
    if (column < 0) return number((of_row - 1) * row);
    return of_row < 0 ? 0 : number(of_row * row + std::min(column, row - 1));
  }
};

template <core::Word W>
void expect_errors_of_the_format(DType type, std::uint32_t count, std::uint32_t row) {
  SCOPED_TRACE(testing::Message() << name_of(type) << ", " << count << " weights, rows of " << row);
  std::vector<W> words = oscillation<W>(9000, std::ldexp(0.7, static_cast<int>(8 * sizeof(W)) - 1));
  const EncodedWords made = encoded_words({type, words.data(), words.size()}, count, row);
  const WordsBefore<W> before{words, row, is_signed(type)};
  std::vector<W> expected(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t sum = sizeof(W) < 8 ? 1 << 15 : 0;
    for (std::size_t j = 0; j < count; ++j)
      sum += static_cast<std::uint64_t>(made.weights[j]) *
             static_cast<std::uint64_t>(before.before(static_cast<std::int64_t>(i), made.distances[j]));
    expected[i] = static_cast<W>(words[i] - static_cast<W>(sizeof(W) < 8 ? sum >> 16 : sum));
  }
  std::vector<W> errors(words.size());
  std::memcpy(errors.data(), made.errors.data(), made.errors.size());
  EXPECT_EQ(errors, expected);

  Scratch scratch;
  const Plan plan{{{EncodingId::linear, {count, row}}, {EncodingId::raw, {}}}};
  const EncodedTree tree = encode_tree({type, words.data(), words.size()}, plan, scratch);
  std::vector<W> decoded(words.size());
  ASSERT_TRUE(decode_tree(tree.plan, tree.body.bytes(), type, words.size(), decoded.data()));
  EXPECT_EQ(decoded, words);
}

TEST(LinearEncoding, PredictsAsTheFormatSays) {
  unsigned turn = 0;
  for (const std::uint32_t row : {1U, 2U, 5U, 37U, 300U, 2000U}) {
    for (const std::uint32_t count : {1U, 4U, 16U}) {
      // Words of 16 and 64 bits have signs where the others have none, and the other way round.
      const bool turned = turn++ % 2 != 0;
      expect_errors_of_the_format<std::uint8_t>(turned ? DType::i8 : DType::u8, count, row);
      expect_errors_of_the_format<std::uint16_t>(turned ? DType::u16 : DType::i16, count, row);
      expect_errors_of_the_format<std::uint32_t>(turned ? DType::i32 : DType::u32, count, row);
      expect_errors_of_the_format<std::uint64_t>(turned ? DType::u64 : DType::i64, count, row);
    }
  }
}

/// Words of rows that are predicted from the rows around them, read a few at a time.
TEST(LinearEncoding, ReadsRowsInAnyPieces) {
  constexpr std::size_t columns = 200, rows = 43;
  std::vector<std::uint8_t> words(rows * columns - 7);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::uint8_t>(i % columns + 3 * (i / columns) + core::splitmix(i) % 4);
  Scratch scratch;
  const Plan plan{{{EncodingId::linear, {8, columns}}, {EncodingId::raw, {}}}};
  const EncodedTree tree = encode_tree({DType::u8, words.data(), words.size()}, plan, scratch);
  for (const std::size_t piece : {1U, 77U, 200U, 1601U, 4096U}) {
    core::ByteReader bytes(tree.body.bytes());
    const auto source = open_tree(tree.plan, bytes, DType::u8, words.size(), Wanted::all);
    ASSERT_NE(source, nullptr);
    std::vector<std::uint8_t> read(words.size());
    for (std::size_t i = 0; i < read.size(); i += piece)
      ASSERT_TRUE(source->read(read.data() + i, std::min(piece, read.size() - i)));
    EXPECT_EQ(read, words) << "pieces of " << piece;
  }
}

TEST(LinearEncoding, FindsRowsAndPlanes) {
  // Of planes of 30 rows of 50 words, each word is the sum of two before it, and noise.
  std::vector<std::uint32_t> words(45000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto noise = static_cast<std::uint32_t>(core::splitmix(i) % 7);
    words[i] = i < 1500 ? static_cast<std::uint32_t>(core::splitmix(i) >> 44)
                        : static_cast<std::uint32_t>((words[i - 50] + words[i - 1500]) / 2 + noise);
  }
  const auto numbers_of = [](std::span<const std::uint32_t> some) {
    return Numbers<std::uint32_t>{some, false};
  };
  const auto distances = find_distances(numbers_of(words), 4, 50);
  ASSERT_TRUE(distances);
  EXPECT_TRUE(std::is_sorted(distances->begin(), distances->begin() + 4));
  for (const std::uint32_t distance : {50U, 1500U})
    EXPECT_NE(std::find(distances->begin(), distances->begin() + 4, distance), distances->begin() + 4);
  EXPECT_FALSE(find_distances(numbers_of(std::span(words).first(100)), 4, 20));
}

TEST(LinearEncoding, FindsNoWeightsForZerosAndFewWords) {
  const std::vector<std::uint32_t> zeros(1000), few(20, 7);
  EXPECT_FALSE(find_weights(Numbers<std::uint32_t>{zeros, false}, 4));
  EXPECT_FALSE(find_weights(Numbers<std::uint32_t>{few, false}, 16));
}

}  // namespace
}  // namespace floe::trees
