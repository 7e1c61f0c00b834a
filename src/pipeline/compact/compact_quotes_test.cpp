#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pipeline/compact/compact_table.hpp"

namespace floe::pipeline {
namespace {

struct Texts {
  explicit Texts(const std::vector<std::string>& texts, DType type = DType::u8)
      : lengths(type, texts.size()) {
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (type == DType::u8)
        lengths.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(texts[i].size());
      else
        lengths.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(texts[i].size());
      all += texts[i];
    }
    bytes = rows::byte_words(all);
  }
  [[nodiscard]] std::string all() const {
    const auto view = bytes.bytes();
    return {view.begin(), view.end()};
  }
  rows::Words lengths, bytes;
};

TEST(CompactQuotes, AreTakenOffOnlyWhereAllTextsHaveBoth) {
  Texts quoted({"\"a\"", "\"\"", "\"x,y\""});
  ASSERT_TRUE(take_quotes_off(quoted.lengths, quoted.bytes));
  EXPECT_EQ(quoted.all(), "ax,y");
  ASSERT_TRUE(put_quotes_on(quoted.lengths, quoted.bytes));
  EXPECT_EQ(quoted.all(), "\"a\"\"\"\"x,y\"");
  for (const std::vector<std::string>& others :
       {std::vector<std::string>{}, {"5\"", "12\""}, {"\"a", "\"b"}, {"\""}, {""}, {"\"a\"", "b"}}) {
    Texts texts(others);
    const std::string before = texts.all();
    EXPECT_FALSE(take_quotes_off(texts.lengths, texts.bytes));
    EXPECT_EQ(texts.all(), before);
  }
}

// Lengths of forged frames may say anything.
TEST(CompactQuotes, ArePutOnOnlyWhereLengthsFit) {
  const std::string longest(253, 'x'), too_long(254, 'x');
  Texts fits({longest}), grows({too_long}), wide({too_long}, DType::u16);
  EXPECT_TRUE(put_quotes_on(fits.lengths, fits.bytes));
  EXPECT_FALSE(put_quotes_on(grows.lengths, grows.bytes));
  EXPECT_TRUE(put_quotes_on(wide.lengths, wide.bytes));
  for (const int wrong : {0, 2, 4, 255}) {
    Texts texts({"abc"});
    texts.lengths.as<std::uint8_t>()[0] = static_cast<std::uint8_t>(wrong);
    EXPECT_FALSE(put_quotes_on(texts.lengths, texts.bytes)) << wrong;
  }
}

}  // namespace
}  // namespace floe::pipeline
