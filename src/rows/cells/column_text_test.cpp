// Whatever stands in the cells of a column: what is read is written again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>

#include "rows/cells/column_printer.hpp"
#include "rows/cells/column_reader.hpp"

namespace floe::rows {
namespace {

using Cells = std::vector<std::string>;

std::uint64_t plain_cost(const Words& words) { return words.bytes().size(); }

struct Column {
  Cells cells;
  CellFormat format;
  ValueRange range;
  std::size_t exception_count = 0;
};

Column read_and_print(const Cells& cells, bool keep_text = true) {
  std::string text;
  for (const std::string& cell : cells) text += "," + cell + "\n";
  CellIndex index;
  index.build(text, {}, 2, static_cast<std::uint32_t>(cells.size()), true);
  EXPECT_EQ(index.row_count(), cells.size());
  const ColumnContent content = read_column(index, 1, {keep_text, plain_cost});
  EXPECT_EQ(content.streams.size(), stream_count(content.format));
  ColumnPrinter printer;
  EXPECT_TRUE(printer.open(content, index.row_count()).ok());
  Column result{{}, content.format, content.range, 0};
  std::vector<char> to(printer.longest_bytes());
  for (std::uint32_t row = 0; row < index.row_count(); ++row) {
    result.cells.emplace_back(to.data(), printer.print(to.data(), row));
    result.exception_count += has_numbers(content.format.kind) && printer.is_exception(row);
  }
  return result;
}

Column expect_same(const Cells& cells) {
  Column column = read_and_print(cells);
  EXPECT_EQ(column.cells, cells);
  return column;
}

TEST(ColumnText, IntegersAreDecimalsWithoutDigits) {
  const Column column = expect_same({"1", "-2", "0", "9223372036854775807"});
  EXPECT_EQ(column.format.kind, CellKind::decimal);
  EXPECT_EQ(column.format.decimals, 0);
  EXPECT_FALSE(column.format.has_exceptions);
  EXPECT_EQ(column.range,
            (ValueRange{RangeKind::integer, static_cast<std::uint64_t>(-2), 9223372036854775807}));
}

TEST(ColumnText, ZerosThatAllHaveAreNotStored) {
  const Column column = expect_same({"1.2500", "-0.7500", "12.0000"});
  EXPECT_EQ(column.format.decimals, 4);
  EXPECT_EQ(column.format.min_decimals, 4);
  EXPECT_EQ(column.format.scale, 2);
}

TEST(ColumnText, StrippedZerosNeedNoLiterals) {
  const Column column = expect_same({"1.79", "4.92", "16.1", "38", "-0.05"});
  EXPECT_EQ(column.format.min_decimals, 0);
  EXPECT_EQ(column.exception_count, 0u);
  EXPECT_EQ(expect_same({"1.0", "2.5", "0.25"}).exception_count, 0u);
}

TEST(ColumnText, ZerosBeforeThePointMayBeLeftOut) {
  const Column column = expect_same({".498", "-.05", "1.25", "0", "-2", ".5"});
  EXPECT_EQ(column.format.kind, CellKind::decimal);
  EXPECT_TRUE(column.format.omits_zero);
  EXPECT_EQ(column.exception_count, 0u);
  EXPECT_EQ(column.range.kind, RangeKind::integer);
  const Column fixed = expect_same({"\".00\"", "\"-.25\"", "\"10.75\""});
  EXPECT_EQ(fixed.format.min_decimals, 2);
  EXPECT_EQ(fixed.exception_count, 0u);
}

TEST(ColumnText, TheRarerWayToWriteFractionsIsAnException) {
  Cells cells(100, ".75");
  cells[7] = "0.5";
  cells[8] = "-0.25";
  EXPECT_EQ(expect_same(cells).exception_count, 2u);
  cells.assign(100, "0.75");
  cells[7] = ".5";
  const Column column = expect_same(cells);
  EXPECT_FALSE(column.format.omits_zero);
  EXPECT_EQ(column.exception_count, 1u);
  for (const char* odd :
       {"-.", ".", "-", "", "0.", "-.0", "-0", "+.5", ".5.", "..5", ".1234567890123456789"}) {
    cells.assign(50, ".5");
    cells[3] = odd;
    EXPECT_EQ(expect_same(cells).exception_count, 1u) << odd;
  }
}

TEST(ColumnText, DigitsMayVaryWithoutZerosBeforeThePoint) {
  Cells cells;
  for (int i = 0; i < 400; ++i)
    cells.push_back(std::string(i % 3 == 0 ? "-." : ".") + std::string(i % 7 + 1, '5') + "0");
  EXPECT_TRUE(expect_same(cells).format.omits_zero);
}

TEST(ColumnText, MissingValuesAndOddCellsAreLiterals) {
  Cells cells(100, "7.25");
  cells[0] = "NA";
  cells[3] = cells[4] = cells[99] = "NA";
  cells[50] = "";
  cells[60] = "-0.00";
  cells[61] = "+1.00";
  cells[62] = "07.25";
  cells[63] = "nan";
  const Column column = expect_same(cells);
  EXPECT_EQ(column.format.kind, CellKind::decimal);
  EXPECT_EQ(column.exception_count, 9u);
  EXPECT_EQ(column.format.listed_exceptions, 1);
  EXPECT_EQ(column.range, (ValueRange{RangeKind::integer, 725, 725}));
}

TEST(ColumnText, MostlyMissingColumnsAreStillNumbers) {
  Cells cells(1000, "");
  for (std::size_t i = 0; i < cells.size(); i += 7) cells[i] = std::to_string(i);
  EXPECT_EQ(expect_same(cells).format.kind, CellKind::decimal);
}

TEST(ColumnText, FloatsThatAreNoPlainDecimals) {
  const Column column = expect_same({"1e-05", "0.1", "123.456", "1e+20", "0.30000000000000004"});
  EXPECT_EQ(column.format.kind, CellKind::f64);
  EXPECT_EQ(expect_same({"5.000000000000000000e-01", "1.000000000000000056e-01"}).format.floats.style,
            FloatStyle::scientific);
  EXPECT_EQ(expect_same({"1e-05", "1.0", "0.1", "1e+16"}).format.floats.style, FloatStyle::repr);
}

TEST(ColumnText, TimesBecomeNumbers) {
  EXPECT_EQ(expect_same({"2013-04-03 09:30:00", "2013-04-03 09:30:01", "2013-02-30 09:30:01"}).format.kind,
            CellKind::time);
  EXPECT_EQ(expect_same({"\"2013-04-03\"", "\"2013-04-04\""}).format.is_quoted, true);
  EXPECT_EQ(expect_same({"Wed Apr  3 09:30:00 2013"}).format.times.layout, TimeLayout::ctime);
}

TEST(ColumnText, QuotedNumbersAreNumbers) {
  const Column column = expect_same({"\"1.5\"", "\"2.5\"", "\"\"", "3.5", "\""});
  EXPECT_EQ(column.format.kind, CellKind::decimal);
  EXPECT_EQ(column.exception_count, 3u);
}

TEST(ColumnText, TextsOfFewAndOfManyKinds) {
  Cells few, many;
  for (int i = 0; i < 3000; ++i) {
    few.push_back(i % 3 == 0 ? "north" : i % 7 == 0 ? "" : "\"a, b\"");
    many.push_back("id-" + std::to_string(i * 7919));
  }
  EXPECT_EQ(expect_same(few).format.kind, CellKind::words);
  EXPECT_EQ(expect_same(many).format.kind, CellKind::text);
  expect_same({});
  expect_same({""});
}

TEST(ColumnText, NumbersThatTurnOutToBeTexts) {
  Cells cells;
  for (int i = 0; i < 5000; ++i) cells.push_back(std::to_string(i).insert(0, i % 5 == 0 ? 0 : 1, 'x'));
  EXPECT_EQ(expect_same(cells).format.kind, CellKind::text);
}

TEST(ColumnText, ValuesAloneIgnoreHowTheyAreWritten) {
  const Column column = read_and_print({"1.50", "+2", "003", ".5", "NA", "-0", "7."}, false);
  EXPECT_EQ(column.cells, (Cells{"1.5", "2", "3", "0.5", "NA", "-0", "7"}));
}

RC_GTEST_PROP(ColumnText, AnyDecimalsComeBack, (std::uint32_t seed)) {
  std::mt19937_64 random(seed);
  Cells cells;
  const unsigned max_decimals = static_cast<unsigned>(random() % 19),
                 range_bits = static_cast<unsigned>(random() % 63);
  const unsigned odd = static_cast<unsigned>(random() % 50) + 2;
  for (std::size_t i = 0, count = random() % 400; i < count; ++i) {
    char to[longest_decimal_bytes];
    const auto mantissa =
        static_cast<std::int64_t>(random() >> 1 >> range_bits) * (random() % 3 == 0 ? -1 : 1);
    cells.emplace_back(
        to, print_decimal(to, mantissa,
                          random() % odd == 0 ? static_cast<unsigned>(random() % 19) : max_decimals));
    if (random() % odd == 1) cells.back() += "0";
  }
  const Column column = read_and_print(cells);
  RC_ASSERT(column.cells == cells);
}

RC_GTEST_PROP(ColumnText, AnyCellsComeBack, (std::uint32_t seed)) {
  std::mt19937_64 random(seed);
  static constexpr const char* pieces[] = {"1",   "0",  "-",  ".",           "e", "\"\"",
                                           "7",   "+",  "25", "2013-04-03",  " ", "12:30:00",
                                           "nan", "E5", "Z",  "999999999999"};
  Cells cells;
  for (std::size_t i = 0, count = random() % 60; i < count; ++i) {
    cells.emplace_back();
    for (std::size_t j = 0, parts = random() % 4; j < parts; ++j)
      cells.back() += pieces[random() % std::size(pieces)];
  }
  const Column column = read_and_print(cells);
  RC_ASSERT(column.cells == cells);
}

}  // namespace
}  // namespace floe::rows
