// Small tables as compact frames: when they are made, and that they are read as all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "floe/recover.hpp"
#include "tests/support/data.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// Numbers, repeated texts in quotes, other texts, times, and lines that are no rows.
std::string small_table(std::size_t rows) {
  std::string text = "\"\",\"city\",\"note\",\"when\",\"price\"\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += std::to_string(i) + ",\"" + (i % 3 == 0 ? "Ulm" : "Bonn") + "\",note " +
            std::to_string(i * i % 17) + ",2024-01-" + std::to_string(10 + i % 20) + "," +
            std::to_string(i % 7) + ".25\n";
    if (i % 50 == 49) text += "# no row\n";
  }
  return text;
}

constexpr std::array all_goals{Goal::speed, Goal::balance, Goal::ratio, Goal::max};

TEST(Compact, SmallTablesTakeFewerBytes) {
  const std::string text = small_table(120);
  for (const Goal goal : all_goals) {
    const Bytes frame = table_of(text, {}, {.goal = goal});
    EXPECT_EQ(version_of(frame), 2u);
    EXPECT_LT(frame.size(), table_of(text, ordinary_table(), {.goal = goal}).size() * 3 / 5);
    EXPECT_EQ(table_of(text, {}, {.goal = goal, .threads = 3}), frame);
  }
}

/// Short columns of doubles, whose cells may be read in several ways, with many missing ones.
std::string table_of_doubles(std::size_t columns, std::size_t rows) {
  Random random(5);
  std::string text;
  for (std::size_t i = 0; i < columns * rows; ++i) {
    char cell[32] = "NA";
    const double number = static_cast<double>(random.below(std::uint64_t{1} << 40)) * 0x1p-37;
    char* const end = i / columns < rows / 3 ? cell + 2 : std::to_chars(cell, cell + 31, number).ptr;
    text += std::string(cell, end) + (i % columns + 1 == columns ? '\n' : ',');
  }
  return text;
}

TEST(Compact, SlowerGoalsDoNotTakeMoreBytes) {
  std::vector<std::string> texts{small_table(120), table_of_doubles(12, 30)};
  if (!sanitized) {
    texts.push_back(small_table(1000));
    texts.push_back(table_of_doubles(20, 200));
  }
  for (const std::string& text : texts) {
    std::size_t bytes = text.size();
    for (const Goal goal : all_goals) {
      const Bytes frame = table_of(text, {}, {.goal = goal});
      EXPECT_LE(frame.size(), bytes);
      bytes = frame.size();
      EXPECT_EQ(text_of(decode_restored(frame).content), text);
    }
  }
}

TEST(Compact, AListOfOneLineIsNoRow) {
  const auto columns_of = [](const Bytes& frame) {
    return Reader::open(reader_of(frame), frame.size()).value().info().columns.size();
  };
  std::string list;
  const int cells = sanitized ? 2000 : 5000;
  for (int i = 0; i < cells; ++i) list += (i == 0 ? " " : ", ") + std::to_string(i * 37 % 101) + ".5";
  for (const std::string& text : {list, list + '\n'}) {
    const Bytes frame = table_of(text, {}, {.goal = Goal::ratio});
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
    EXPECT_EQ(columns_of(frame), 1u);
    EXPECT_LT(frame.size(), text.size() / 8);
    EXPECT_EQ(columns_of(table_of(text, {.name_row = NameRow::no})), static_cast<std::size_t>(cells));
  }
  EXPECT_EQ(columns_of(table_of("1,2,3\n", {})), 3u);
}

TEST(Compact, OthersDoNot) {
  const std::string text = small_table(120), longer = small_table(12'000), long_one = small_table(160'000);
  TableOptions given, short_segments;
  given.trees = {{"price", 0, "raw"}};
  short_segments.segment_rows = 200;
  for (const Goal goal : all_goals) {
    EXPECT_EQ(version_of(table_of(text, given, {.goal = goal})), 1u);
    EXPECT_EQ(version_of(table_of(text, short_segments, {.goal = goal})), 1u);
    EXPECT_EQ(version_of(table_of(text, {}, {.goal = goal, .profile = Profile::gpu})), 1u);
    EXPECT_EQ(version_of(table_of(text, {}, {.goal = goal, .checksum = false})), 1u);
  }
  EXPECT_GT(longer.size(), std::size_t{5} << 14);
  EXPECT_EQ(version_of(table_of(longer, {}, {.goal = Goal::speed})), 1u);
  EXPECT_EQ(version_of(table_of(longer, {}, {.goal = Goal::balance})), 1u);
  EXPECT_GT(long_one.size(), std::size_t{1} << 22);
  EXPECT_EQ(version_of(table_of(long_one, {}, {.goal = Goal::ratio})), 1u);
}

/// Columns of numbers with two decimals, of integers, and of words, in turn.
std::string wide_table(std::size_t columns, std::size_t rows) {
  Random random(7);
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) text += (i == 0 ? "c" : ",c") + std::to_string(i);
  text += '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (i > 0) text += ',';
      if (i % 3 == 0) text += std::to_string(random.below(90)) + '.' + std::to_string(10 + random.below(90));
      if (i % 3 == 1) text += std::to_string(random.below(20'000));
      if (i % 3 == 2) text += random.below(2) == 0 ? "yes" : "no";
    }
    text += '\n';
  }
  return text;
}

TEST(Compact, WideTablesTakeFewerBytes) {
  const std::string text = wide_table(sanitized ? 400 : 1200, sanitized ? 12 : 30);
  for (const Goal goal : all_goals) {
    const Bytes frame = table_of(text, {}, {.goal = goal});
    EXPECT_EQ(version_of(frame), 2u);
    EXPECT_LT(frame.size(), table_of(text, ordinary_table(), {.goal = goal}).size() / 2);
    EXPECT_EQ(table_of(text, {}, {.goal = goal, .threads = 3}, 999), frame);
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
    EXPECT_EQ(text_of(decode_stream(frame).content), text);
  }
}

TEST(Compact, HaveThousandsOfColumns) {
  const std::string text = wide_table(sanitized ? 4000 : 10'000, 2);
  for (const Goal goal : {Goal::speed, Goal::ratio}) {  // words, and a text
    const Bytes frame = table_of(text, {}, {.goal = goal});
    EXPECT_EQ(version_of(frame), 2u);
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
  }
}

// Integers of 8 bytes, because one in each column is large: fewer bytes of text than of words.
TEST(Compact, HaveUpToFourMebibytesOfWords) {
  for (const std::size_t rows : {400u, 1200u}) {
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < 500; ++i)
        text += (i == 0 ? "" : ",") + std::to_string(row == 7 ? 9'000'000'000'000'000 : row * i % 10);
      text += '\n';
    }
    ASSERT_LT(text.size(), std::size_t{500} << 14);
    const Bytes frame = table_of(text, {}, {.goal = Goal::speed});
    EXPECT_EQ(version_of(frame), rows == 400 ? 2u : 1u);
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
  }
}

// Columns of few rows show little of it: 3000 different numbers of 9 digits among 40 000.
TEST(Compact, NumbersOfManyColumnsAreListed) {
  Random random(3);
  std::vector<std::string> numbers;
  for (int i = 0; i < 3000; ++i) numbers.push_back(std::to_string(100'000'000 + random.below(900'000'000)));
  std::string text;
  for (int row = 0; row < 40; ++row) {
    for (int i = 0; i < 1000; ++i) text += (i == 0 ? "" : ",") + numbers[random.below(numbers.size())];
    text += '\n';
  }
  const Bytes frame = table_of(text, {}, {.goal = Goal::balance});
  EXPECT_LT(frame.size(), std::size_t{80'000});  // 12 of 30 bits for each, and the list
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
}

TEST(Compact, PlansSayWhatBecomesOfColumns) {
  const std::string text = small_table(120);
  for (const Goal goal : all_goals) {
    std::vector<PlannedSegment> planned;
    Options options{.goal = goal};
    options.on_segment = [&](const PlannedSegment& segment) { planned.push_back(segment); };
    const Bytes frame = table_of(text, {}, options);
    const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
    const StoredSegment stored = reader.segment(0).value();
    ASSERT_EQ(planned.size(), 1u);
    EXPECT_EQ(planned[0].stored.count, 120u);
    EXPECT_EQ(planned[0].stored.stored_bytes, frame.size());
    ASSERT_EQ(planned[0].columns.size(), 5u);
    ASSERT_EQ(planned[0].stored.columns.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(planned[0].stored.columns[i].trees, stored.columns[i].trees);
      EXPECT_EQ(planned[0].stored.columns[i].cell_format, stored.columns[i].cell_format);
      EXPECT_EQ(planned[0].columns[i].streams.size(), stored.columns[i].trees.size());
      EXPECT_GT(planned[0].columns[i].source_bytes, 120u);
    }
  }
}

TEST(Compact, AllWaysOfReadingGiveTheSame) {
  const std::string text = small_table(120);
  const Bytes frame = table_of(text, {}, {.goal = Goal::max}), usual = table_of(text);
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
  EXPECT_EQ(text_of(decode_stream(frame).content), text);
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value(),
               other = Reader::open(reader_of(usual), usual.size()).value();
  EXPECT_EQ(reader.info().columns, other.info().columns);
  EXPECT_EQ(reader.info().element_count, 120u);
  EXPECT_EQ(reader.info().format_version, 2u);
  EXPECT_EQ(reader.info().frame_bytes, frame.size());
  for (std::size_t column = 0; column < 5; ++column)
    EXPECT_EQ(reader.read_texts(column, {7, 90}).value(), other.read_texts(column, {7, 90}).value());
  std::vector<double> prices(20), others(20);
  ASSERT_TRUE(reader.read_values(4, {100, 20}, std::as_writable_bytes(std::span(prices))).ok());
  ASSERT_TRUE(other.read_values(4, {100, 20}, std::as_writable_bytes(std::span(others))).ok());
  EXPECT_EQ(prices, others);
}

TEST(Compact, SaysWhatItStoresOfEachColumn) {
  const Bytes frame = table_of(small_table(120), {}, {.goal = Goal::max});
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  const StoredSegment segment = reader.segment(0).value();
  EXPECT_EQ(segment.stored_bytes, frame.size());
  std::uint64_t bytes = 0;
  for (const StoredColumn& column : segment.columns) bytes += column.stored_bytes;
  EXPECT_LT(bytes, frame.size());
  EXPECT_GT(bytes, frame.size() / 4);  // the rest says what the table is, and which lines are no rows
  for (const StoredColumn& column : segment.columns) {
    EXPECT_GT(column.stored_bytes, 0u);
    EXPECT_FALSE(column.trees[0].empty());
  }
}

/// Of numbers that only their shortest decimals give back.
template <class Float>
std::string table_of_floats(Float& min_value, Float& max_value) {
  Random random(5);
  std::string text = "x\n";
  for (int i = 0; i < 200; ++i) {
    const auto number = static_cast<Float>(random.unit() * 8 - 4);
    min_value = i == 0 ? number : std::min(min_value, number);
    max_value = i == 0 ? number : std::max(max_value, number);
    std::array<char, 40> digits{};
    text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
    text += '\n';
  }
  return text;
}

TEST(Compact, FloatsHaveARange) {
  float min_float = 0, max_float = 0;
  double min_value = 0, max_value = 0;
  const std::string floats = table_of_floats(min_float, max_float),
                    doubles = table_of_floats(min_value, max_value);
  const auto expect_range = [](const std::string& text, const char* format, double min, double max) {
    const Bytes frame = table_of(text, {}, {.goal = Goal::balance});
    ASSERT_EQ(version_of(frame), 2u);
    const StoredColumn column =
        Reader::open(reader_of(frame), frame.size()).value().segment(0).value().columns[0];
    EXPECT_EQ(column.cell_format, format);
    EXPECT_TRUE(column.bounds.is_known);
    EXPECT_EQ(column.bounds.min, min);
    EXPECT_EQ(column.bounds.max, max);
  };
  expect_range(floats, "f32 as text", min_float, max_float);
  expect_range(doubles, "f64 as text", min_value, max_value);
}

TEST(Compact, EveryChangedBitAndEveryLengthIsNoticed) {
  for (const Goal goal : {Goal::balance, Goal::max}) {  // of words, and of text
    const Bytes frame = table_of(small_table(40), {}, {.goal = goal});
    for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
      Bytes changed = frame;
      changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 1U << bit % 8);
      ASSERT_FALSE(decode_restored(changed).status.ok()) << bit;
    }
    for (std::size_t size = 0; size < frame.size(); ++size) {
      const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(decode_restored(cut).status.code, ErrorCode::truncated_frame) << size;
      ASSERT_EQ(decode_stream(cut).status.code, ErrorCode::truncated_frame) << size;
    }
  }
}

TEST(Compact, TakeMemoryByTheirWords) {
  const Bytes frame = table_of(small_table(120), {}, {.goal = Goal::balance});
  EXPECT_TRUE(Reader::open(reader_of(frame), frame.size(), 256 << 10).status().ok());
  EXPECT_EQ(Reader::open(reader_of(frame), frame.size(), 8 << 10).status().code, ErrorCode::out_of_memory);
}

TEST(Compact, TakeMemoryByTheirText) {
  const Bytes frame = table_of(small_table(120), {}, {.goal = Goal::max});
  EXPECT_TRUE(Reader::open(reader_of(frame), frame.size(), 4 << 20).status().ok());
  EXPECT_EQ(Reader::open(reader_of(frame), frame.size(), 1 << 20).status().code, ErrorCode::out_of_memory);
}

TEST(Compact, MayBeShorterThanAHeader) {
  const std::string text = "a\n1\n2\n";
  const Bytes frame = table_of(text, {}, {.goal = Goal::max});
  EXPECT_LT(frame.size(), 24u);
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
  EXPECT_EQ(text_of(decode_stream(frame).content), text);
  EXPECT_EQ(Reader::open(reader_of(frame), frame.size()).value().info().element_count, 2u);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(decode_restored(cut).status.code, ErrorCode::truncated_frame) << size;
    EXPECT_EQ(decode_stream(cut).status.code, ErrorCode::truncated_frame) << size;
  }
}

TEST(Compact, RecoveryReadsIntactOnes) {
  const std::string text = small_table(120);
  const Bytes frame = table_of(text, {}, {.goal = Goal::max});
  const Recovery recovery = Recovery::open(std::as_bytes(std::span(frame))).value();
  std::string restored;
  const auto map = recovery.restore([&](std::span<const std::byte> bytes) {
    restored.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  });
  ASSERT_TRUE(map.status().ok());
  EXPECT_EQ(restored, text);
}

// Inches, and what else ends as texts in quotes do.
TEST(Compact, TextsThatEndInQuotesComeBack) {
  std::string text = "size,price\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(5 + i % 7) + "\"," + std::to_string(i) + ".5\n";
  const Bytes frame = table_of(text, {}, {.goal = Goal::ratio});
  EXPECT_EQ(version_of(frame), 2u);
  EXPECT_EQ(text_of(decode_restored(frame).content), text);
}

}  // namespace
}  // namespace floe::test
