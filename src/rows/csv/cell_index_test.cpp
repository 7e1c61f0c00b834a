#include "rows/csv/cell_index.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floe::rows {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Cut {
  Rows rows;
  std::vector<std::string> malformed;
  std::size_t consumed_bytes;
};

Cut cut(const std::string& text, std::uint32_t columns, Dialect dialect = {}, bool is_last = true,
        std::uint32_t row_limit = 1000) {
  CellIndex index;
  index.build(text, dialect, columns, row_limit, is_last);
  Cut result{{}, {}, index.consumed_bytes()};
  for (std::uint32_t row = 0; row < index.row_count(); ++row) {
    result.rows.emplace_back();
    for (std::uint32_t column = 0; column < columns; ++column)
      result.rows.back().emplace_back(index.cell(row, column));
  }
  for (const MalformedLine& malformed : index.malformed())
    result.malformed.push_back(text.substr(malformed.begin, malformed.end - malformed.begin));
  return result;
}

TEST(CellIndex, CutsRowsIntoCells) {
  const Cut result = cut("a,b,c\n1,,3\n,,\n", 3);
  EXPECT_EQ(result.rows, (Rows{{"a", "b", "c"}, {"1", "", "3"}, {"", "", ""}}));
  EXPECT_TRUE(result.malformed.empty());
  EXPECT_EQ(result.consumed_bytes, 14u);
}

TEST(CellIndex, QuotesHideSeparatorsAndLineEnds) {
  EXPECT_EQ(cut("\"a,\"\"b\n\",2\n3,4\n", 2).rows, (Rows{{"\"a,\"\"b\n\"", "2"}, {"3", "4"}}));
  EXPECT_EQ(cut("5\" pipe,2\n", 2).rows, (Rows{{"5\" pipe", "2"}}));
  const std::string wide(100, 'x');
  EXPECT_EQ(cut("\"" + wide + ",\"," + wide + "\n1,2\n", 2).rows,
            (Rows{{"\"" + wide + ",\"", wide}, {"1", "2"}}));
}

TEST(CellIndex, ALostQuoteCostsNoMoreThanItsLine) {
  const Cut result = cut("1,\"2\n3,4\n5,6\n", 2);
  EXPECT_EQ(result.rows, (Rows{{"1", "\"2"}, {"3", "4"}, {"5", "6"}}));
}

TEST(CellIndex, KeepsLinesThatAreNoRows) {
  const Cut result = cut("# note\n1,2\n\n1,2,3\n4,5\nx", 2);
  EXPECT_EQ(result.rows, (Rows{{"1", "2"}, {"4", "5"}}));
  EXPECT_EQ(result.malformed, (std::vector<std::string>{"# note\n", "\n", "1,2,3\n", "x"}));
  CellIndex index;
  const std::string text = "1,\"\n\"\n1\n";
  index.build(text, {}, 2, 9, true);
  ASSERT_EQ(index.malformed().size(), 1u);
  EXPECT_EQ(index.malformed()[0].line_index, 2u);
  EXPECT_EQ(index.malformed()[0].cell_count, 1u);
  EXPECT_EQ(index.malformed()[0].before_row, 1u);
}

TEST(CellIndex, TakesCrLf) {
  const Cut result = cut("1,2\r\n3,4\n5,6\r\n", 2, {',', true});
  EXPECT_EQ(result.rows, (Rows{{"1", "2"}, {"5", "6"}}));
  EXPECT_EQ(result.malformed, (std::vector<std::string>{"3,4\n"}));
}

TEST(CellIndex, TheLastLineMayLackItsEnd) {
  CellIndex index;
  index.build("1,2\n3,4", {}, 2, 9, true);
  EXPECT_EQ(index.row_count(), 2u);
  EXPECT_TRUE(index.lacks_last_line_end());
  index.build("1,2\n3,4", {}, 2, 9, false);
  EXPECT_EQ(index.row_count(), 1u);
  EXPECT_EQ(index.consumed_bytes(), 4u);
  index.build("1\n\n", {}, 1, 9, true);
  EXPECT_EQ(index.row_count(), 2u);
  EXPECT_FALSE(index.lacks_last_line_end());
}

TEST(CellIndex, StopsAtTheRowLimit) {
  const Cut result = cut("1,2\n3,4\n5,6\n", 2, {}, true, 2);
  EXPECT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.consumed_bytes, 8u);
}

TEST(CellIndex, FindsTheSameCellsAtEveryPlaceOfABlock) {
  for (std::size_t shift = 0; shift < 130; ++shift) {
    const std::string text = std::string(shift, 'a') + ",b\n\"c,d\",e\nf,g\n";
    EXPECT_EQ(cut(text, 2).rows, (Rows{{std::string(shift, 'a'), "b"}, {"\"c,d\"", "e"}, {"f", "g"}}));
  }
}

TEST(CellIndex, NothingHasNoRows) {
  EXPECT_TRUE(cut("", 3).rows.empty());
  EXPECT_TRUE(cut("", 1).rows.empty());
}

}  // namespace
}  // namespace floe::rows
