// Are any bytes safe to take for an encoded stream? What is cut short or changed gives an error or other
// words, never more.
#include <gtest/gtest.h>

#include "tests/encodings/every_encoding.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {
namespace {

/// Encoded streams with every encoding in them.
std::vector<std::pair<Column, std::vector<std::uint8_t>>> streams() {
  std::vector<std::pair<Column, std::vector<std::uint8_t>>> all;
  for (const auto& [name, column] : difficult_columns(DType::i32, 1100)) {
    for (const char* tree : trees_of_integers)
      all.emplace_back(column,
                       ColumnEncoder(trees::plan_from_text(tree, DType::i32).value()).encode(column.view()));
  }
  for (const auto& [name, column] : difficult_columns(DType::f64, 1100)) {
    for (const char* tree : trees_of_floats)
      all.emplace_back(column,
                       ColumnEncoder(trees::plan_from_text(tree, DType::f64).value()).encode(column.view()));
  }
  for (const DType type : {DType::f64, DType::i32}) {
    for (const std::string& tree : wide_trees()) {
      const auto plan = trees::plan_from_text(tree, type);
      if (!plan) continue;
      for (const auto& [name, column] : difficult_columns(type, 1100))
        all.emplace_back(column, ColumnEncoder(*plan).encode(column.view()));
    }
  }
  // Several tables of an entropy code take more words.
  std::vector<std::uint16_t> bursts(5000);
  for (std::size_t i = 0; i < bursts.size(); ++i)
    bursts[i] = static_cast<std::uint16_t>(core::splitmix(i) % (i / 500 % 2 == 0 ? 4 : 500));
  const Column column(DType::u16, bursts);
  all.emplace_back(
      column,
      ColumnEncoder(trees::plan_from_text("multi_entropy(3)", DType::u16).value()).encode(column.view()));
  return all;
}

TEST(DamagedStream, CutShortIsRefused) {
  for (const auto& [column, bytes] : streams()) {
    for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 40) {
      const std::vector<std::uint8_t> prefix(bytes.begin(),
                                             bytes.begin() + static_cast<std::ptrdiff_t>(length));
      Column decoded(column.type, column.count());
      EXPECT_EQ(decode(prefix, decoded).code, ErrorCode::corrupt_frame);
    }
  }
}

TEST(DamagedStream, ChangedBytesDoNoHarm) {
  for (const auto& [column, bytes] : streams()) {
    for (std::uint64_t change = 0; change < 300; ++change) {
      std::vector<std::uint8_t> damaged = bytes;
      const std::uint64_t random = core::splitmix(change * 977 + bytes.size());
      const std::size_t range = change % 2 == 0 ? std::min<std::size_t>(damaged.size(), 40) : damaged.size();
      damaged[random % range] = static_cast<std::uint8_t>(random >> 32);
      Column decoded(column.type, column.count());
      const Status status = decode(damaged, decoded);
      EXPECT_TRUE(status.ok() || status.code == ErrorCode::corrupt_frame ||
                  status.code ==
                      ErrorCode::unsupported_version)  // the number of an encoding that is not known
          << status.message();
    }
  }
}

/// A stream of two words, 7 and 9, by a list of all different words, as a writer would make it who says
/// `entry_count` and `last_code`.
Status decode_forged_unique(std::uint8_t entry_count, std::uint8_t last_code) {
  const std::vector<std::uint8_t> bytes = {1, 0, 15, 0, 0, entry_count, 7, 9, 0, 0, 0, 0, last_code, 0, 0, 0};
  Column decoded(DType::u8, 2);
  return decode(bytes, decoded);
}

TEST(DamagedStream, NumbersOfNoEntryAreRefused) {
  EXPECT_TRUE(decode_forged_unique(2, 1).ok());
  EXPECT_EQ(decode_forged_unique(2, 2).code, ErrorCode::corrupt_frame);
  EXPECT_EQ(decode_forged_unique(0, 0).code, ErrorCode::corrupt_frame);
  EXPECT_EQ(decode_forged_unique(3, 1).code, ErrorCode::corrupt_frame);  // more entries than words
  // 2^20 + 1 entries, all of them 7.
  const std::vector<std::uint8_t> too_many = {1, 0, 15, 1, 1, 0x81, 0x80, 0x40, 7, 0, 0, 0, 0};
  Column decoded(DType::u8, (1 << 20) + 1);
  EXPECT_EQ(decode(too_many, decoded).code, ErrorCode::corrupt_frame);
  const std::vector<std::uint8_t> largest = {1, 0, 15, 1, 1, 0x80, 0x80, 0x40, 7, 0, 0, 0, 0};
  EXPECT_TRUE(decode(largest, decoded).ok());
  EXPECT_EQ(decoded.bytes, std::vector<std::uint8_t>((1 << 20) + 1, 7));
}

TEST(DamagedStream, PartsWithoutWordsAreRefused) {
  Column decoded(DType::u8, 2);
  EXPECT_TRUE(decode(std::vector<std::uint8_t>{1, 0, 0, 7, 9}, decoded).ok());
  // Two parts, the first of which has all words and all bytes; the other one is not there.
  EXPECT_EQ(decode(std::vector<std::uint8_t>{2, 2, 0, 0, 7, 9}, decoded).code, ErrorCode::corrupt_frame);
  EXPECT_EQ(decode(std::vector<std::uint8_t>{3, 2, 0, 0, 7, 9}, decoded).code, ErrorCode::corrupt_frame);
}

TEST(DamagedStream, ClaimsCostNoMemory) {
  // A constant claims any number of words in a few bytes; the decoder holds no more than pieces of them.
  Column column(DType::u64, 1);
  const std::vector<std::uint8_t> bytes = ColumnEncoder().encode(column.view());
  Column many(DType::u64, 1 << 20);
  EXPECT_TRUE(decode(bytes, many).ok());
  EXPECT_EQ(many.bytes, std::vector<std::uint8_t>(8 << 20));
}

}  // namespace
}  // namespace floe::test
