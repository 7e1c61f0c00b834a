// Compact frames that keep the text of a table: when they are made, and that they are read as columns.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/data.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// Rows of names, in an order without a rule: texts of the same columns are told by their text alone.
std::string table_of_names(std::size_t rows, const std::string& end) {
  const std::array<std::string, 5> names{"Ada", "Grace \"\"H\"\"", "Emmy", "Sofia", "Mary"};
  std::string text = "name,born,share" + end;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < rows; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += '"' + names[state >> 33 & 3] + ", " + names[(state >> 40) % 5] + "\",";
    text += (state >> 50) % 9 == 0 ? "NA" : std::to_string(1800 + (state >> 45) % 100);
    text += ",0." + std::to_string((state >> 55) % 90 + 10) + end;
    if (i % 40 == 3) text += "too,many,cells,here" + end + "\n";
  }
  return text + "last,1900,1.50";
}

TEST(CompactText, AreReadAsColumns) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string text = table_of_names(300, end);
    const Bytes frame = table_of(text, {}, {.goal = Goal::max}), usual = table_of(text);
    EXPECT_LT(frame.size(), usual.size());
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
    EXPECT_EQ(text_of(decode_stream(frame).content), text);
    const Reader reader = Reader::open(reader_of(frame), frame.size()).value(),
                 other = Reader::open(reader_of(usual), usual.size()).value();
    EXPECT_EQ(reader.segment(0).value().columns[0].trees[0], "text");
    EXPECT_EQ(reader.info().columns, other.info().columns);
    EXPECT_EQ(reader.info().element_count, 301u);
    for (std::size_t column = 0; column < 3; ++column)
      EXPECT_EQ(reader.read_texts(column, {0, 301}).value(), other.read_texts(column, {0, 301}).value());
    std::vector<std::int64_t> years(301), others(301);
    EXPECT_EQ(reader.read_values(1, {0, 301}, std::as_writable_bytes(std::span(years))).code,
              other.read_values(1, {0, 301}, std::as_writable_bytes(std::span(others))).code);
    EXPECT_EQ(years, others);
    std::vector<double> shares(301), other_shares(301);
    ASSERT_TRUE(reader.read_values(2, {0, 301}, std::as_writable_bytes(std::span(shares))).ok());
    ASSERT_TRUE(other.read_values(2, {0, 301}, std::as_writable_bytes(std::span(other_shares))).ok());
    EXPECT_EQ(shares, other_shares);
  }
}

TEST(CompactText, RatioKeepsShortTexts) {
  const auto tree_of = [](const std::string& text, const Options& options) {
    const Bytes frame = table_of(text, {}, options);
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
    return Reader::open(reader_of(frame), frame.size()).value().segment(0).value().columns[0].trees[0];
  };
  const std::string text = table_of_names(800, "\n"), longer = table_of_names(1300, "\n");
  ASSERT_LE(text.size(), std::size_t{1} << 15);
  ASSERT_GT(longer.size(), std::size_t{1} << 15);
  EXPECT_EQ(tree_of(text, {.goal = Goal::ratio}), "text");
  EXPECT_NE(tree_of(longer, {.goal = Goal::ratio}), "text");
  EXPECT_NE(tree_of(text, {.goal = Goal::balance}), "text");
  EXPECT_NE(tree_of(text, {.goal = Goal::ratio, .decode_megabytes_per_second = 100}), "text");
}

TEST(CompactText, UpToAMebibyte) {
  const std::string text = table_of_names(sanitized ? 12'000 : 20'000, "\n");
  ASSERT_GT(text.size(), std::size_t{1} << 18);
  const Bytes frame = table_of(text, {}, {.goal = Goal::max});
  EXPECT_EQ(version_of(frame), 2u);
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
  if (!sanitized) {
    const std::string larger = table_of_names(60'000, "\n");
    ASSERT_GT(larger.size(), std::size_t{1} << 20);
    EXPECT_EQ(version_of(table_of(larger, {}, {.goal = Goal::max})), 1u);
  }
  const std::string few = table_of_names(2'000, "\n");
  const Bytes values = table_of(few, {.keep_text = false}, {.goal = Goal::max});
  EXPECT_NE(Reader::open(reader_of(values), values.size()).value().segment(0).value().columns[0].trees[0],
            "text");
}

}  // namespace
}  // namespace floe::test
