// Parts of tables: one column, some rows, ranges.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/support/tables.hpp"
#include "tests/support/watched_file.hpp"

namespace floe::test {
namespace {

Bytes compressed(const std::string& text, std::uint32_t segment_rows, Schema schema = {}) {
  TableOptions table;
  table.segment_rows = segment_rows;
  table.schema = std::move(schema);
  return table_of(text, table);
}

template <class T>
std::vector<T> values(const Reader& reader, std::size_t column, Slice rows,
                      std::vector<std::uint8_t>* valid = nullptr) {
  std::vector<T> out(rows.count);
  if (valid != nullptr) valid->resize(rows.count);
  const Status status = reader.read_values(column, rows, std::as_writable_bytes(std::span(out)),
                                           valid == nullptr ? std::span<std::uint8_t>() : *valid);
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

TEST(TableReader, WritesRecords) {
  Schema schema = {{"i", DType::i16}, {"d", DType::f32}, {"s", DType::text}, {"t", DType::time}};
  const Bytes table = compressed(
      "i,d,s,t\n1,1.5,x,60\n-2,NA,y,1970-01-01 00:00:05\nno row\n3.0,,z,7\nseven,4,z,8\n", 2, schema);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  std::string records;
  const Sink append = [&records](std::span<const std::byte> bytes) {
    records.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  };
  const std::array<std::size_t, 4> columns = {3, 1, 0, 0};
  ASSERT_TRUE(reader.write_records(columns, {1, 2}, append).ok());
  ASSERT_EQ(records.size(), 2u * (8 + 4 + 2 + 2));
  const auto at = [&records]<class T>(std::size_t offset, T value) {
    std::memcpy(&value, records.data() + offset, sizeof value);
    return value;
  };
  EXPECT_EQ(at(0, std::int64_t{}), 5);
  EXPECT_TRUE(std::isnan(at(8, float{})));
  EXPECT_EQ(at(12, std::int16_t{}), -2);
  EXPECT_EQ(at(14, std::int16_t{}), -2);
  EXPECT_EQ(at(16, std::int64_t{}), 7);
  EXPECT_EQ(at(28, std::int16_t{}), 3);
  MissingValue missing;
  EXPECT_EQ(reader.write_records(columns, {0, 4}, append, {}, &missing).code, ErrorCode::invalid_argument);
  EXPECT_EQ(missing.row, 3u);
  EXPECT_EQ(missing.column, 0u);
  EXPECT_EQ(reader.write_records(std::array<std::size_t, 1>{2}, {0, 1}, append).code,
            ErrorCode::invalid_argument);  // texts
  EXPECT_EQ(reader.write_records(std::array<std::size_t, 1>{0}, {0, 5}, append).code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(reader.write_records({}, {0, 1}, append).code, ErrorCode::invalid_argument);
  const Sink full = [](std::span<const std::byte>) { return Status{ErrorCode::io_error, 0, "full"}; };
  EXPECT_EQ(reader.write_records(columns, {0, 2}, full).code, ErrorCode::io_error);
}

TEST(TableReader, ReadsValuesOfAllKinds) {
  const Bytes table = compressed(
      "i,d,w,t,s,g\n"
      "1,1.50,1e-05,1970-01-01 00:01:00,x,7\n"
      "-2,NA,0.5,1970-01-02 00:00:00.5,y,\n"
      "3,-0.00,1e20,bad,\"z\",-1\n",
      2);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  EXPECT_EQ(reader.info().element_count, 3u);
  EXPECT_EQ(reader.info().segment_count, 2u);
  ASSERT_EQ(reader.info().columns.size(), 6u);
  EXPECT_EQ(reader.info().columns[0], (Column{"i", DType::i64, 0}));
  EXPECT_EQ(values<std::int64_t>(reader, 0, {0, 3}), (std::vector<std::int64_t>{1, -2, 3}));
  std::vector<std::uint8_t> valid;
  const std::vector<double> decimals = values<double>(reader, 1, {0, 3}, &valid);
  EXPECT_EQ(valid, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(decimals[0], 1.5);
  EXPECT_TRUE(decimals[2] == 0 && std::signbit(decimals[2]));
  EXPECT_EQ(values<double>(reader, 2, {1, 2}), (std::vector<double>{0.5, 1e20}));
  EXPECT_EQ(reader.read_texts(4, {1, 2}).value(), (std::vector<std::string>{"y", "\"z\""}));
  EXPECT_EQ(reader.read_texts(3, {2, 1}).value(), (std::vector<std::string>{"bad"}));
}

TEST(TableReader, GivesTheTypesOfTheSchema) {
  const Bytes table = compressed("1,300,2.5,1970-01-01 00:00:10,true\n-1,7,3,20,0\n", 10,
                                 {{"a", DType::i8, 0},
                                  {"b", DType::u8, 0},
                                  {"c", DType::f32, 1},
                                  {"d", DType::time, 0},
                                  {"e", DType::boolean, 0}});
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  EXPECT_EQ(values<std::int8_t>(reader, 0, {0, 2}), (std::vector<std::int8_t>{1, -1}));
  std::vector<std::uint8_t> valid;
  EXPECT_EQ(values<std::uint8_t>(reader, 1, {0, 2}, &valid), (std::vector<std::uint8_t>{0, 7}));
  EXPECT_EQ(valid, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(values<float>(reader, 2, {0, 2}), (std::vector<float>{2.5F, 3}));
  EXPECT_EQ(values<std::int64_t>(reader, 3, {0, 2}), (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(values<std::uint8_t>(reader, 4, {0, 2}), (std::vector<std::uint8_t>{1, 0}));
}

std::string printed(const Reader& reader, std::vector<std::size_t> columns, Slice rows,
                    std::uint32_t threads = 1) {
  std::string text;
  const auto append = [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  };
  const Status status = reader.print_rows(columns, rows, append, {.threads = threads});
  EXPECT_TRUE(status.ok()) << status.message();
  return text;
}

TEST(TableReader, PrintsRows) {
  std::string text = "a|b|\"c|d\"\n", chosen = "\"c|d\"|a\n";
  for (int i = 0; i < 30000; ++i) {
    const std::string a = i % 7 == 0 ? "NA" : std::to_string(i * 31 % 1000),
                      c = i % 5 == 0 ? "\"x|\n\"" : std::to_string(i) + ".5";
    text += a + "|" + std::to_string(i) + "|" + c + "\n";
    if (i >= 3000 && i < 29999) chosen += c + "|" + a + "\n";
    if (i == 20000) text += "stray\n";
  }
  const Bytes table = compressed(text, 11000);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  EXPECT_EQ(reader.info().element_count, 30000u);
  for (const std::uint32_t threads : {1u, 2u, 7u})
    EXPECT_EQ(printed(reader, {2, 0}, {3000, 26999}, threads), chosen);
  EXPECT_EQ(printed(reader, {1, 1}, {10999, 2}), "b|b\n10999|10999\n11000|11000\n");
  EXPECT_EQ(printed(reader, {0}, {30000, 0}), "a\n");
}

// Columns of which some rows are decoded alone (a word per row), and such of which all are.
TEST(TableReader, PartsOfRowsAreThoseOfAll) {
  constexpr std::uint64_t rows = 7000;
  Random random(1);
  std::vector<std::string> lines;
  std::string text = "a,b,c,d\n";
  for (std::uint64_t i = 0; i < rows; ++i) {
    lines.push_back(std::to_string(i * i % 1009) + "," + std::to_string(random.below(1000)) + ".25," +
                    (i % 100 == 7 ? "NA" : std::to_string(i)) + ",word" + std::to_string(i % 17) + "\n");
    text += lines.back();
  }
  const Bytes table = compressed(text, 3000);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  const auto a = values<double>(reader, 0, {0, rows}), b = values<double>(reader, 1, {0, rows});
  for (int turn = 0; turn < 60; ++turn) {
    const std::uint64_t first = random.below(rows),
                        count =
                            1 + random.below(std::min(rows - first, std::uint64_t{1} << random.below(13)));
    const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(first + count);
    EXPECT_EQ(values<double>(reader, 0, {first, count}),
              std::vector<double>(a.begin() + begin, a.begin() + end));
    EXPECT_EQ(values<double>(reader, 1, {first, count}),
              std::vector<double>(b.begin() + begin, b.begin() + end));
    std::string expected = "a,b,c,d\n";
    for (std::uint64_t row = first; row < first + count; ++row) expected += lines[row];
    EXPECT_EQ(printed(reader, {0, 1, 2, 3}, {first, count}), expected);
  }
}

TEST(TableReader, PrintsNoMoreThanItMay) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919 % 65536) + ",1\n";
  const Bytes table = compressed(text, 5000);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  const std::vector<std::size_t> both = {0, 1}, none, third = {2};
  const Sink nowhere = [](std::span<const std::byte>) { return Status{}; };
  EXPECT_EQ(reader.print_rows(both, {0, 5000}, nowhere, {.threads = 1, .memory_limit_bytes = 9000}).code,
            ErrorCode::out_of_memory);
  EXPECT_EQ(reader.print_rows(none, {0, 1}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(third, {0, 1}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(both, {4999, 2}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(both, {0, 1}, {}).code, ErrorCode::invalid_argument);
  const Sink full = [](std::span<const std::byte>) { return Status{ErrorCode::io_error, 0, "full"}; };
  EXPECT_EQ(reader.print_rows(both, {0, 1}, full).code, ErrorCode::io_error);
}

TEST(TableReader, ReadsNoMoreThanItNeeds) {
  Random random(1);
  std::string text = "a,b\n";
  std::vector<std::int64_t> first;
  for (int i = 0; i < 20000; ++i) {
    first.push_back(static_cast<std::int64_t>(random.below(1'000'000'000)));
    text += std::to_string(first.back()) + "," + std::to_string(random.below(1'000'000)) + "\n";
  }
  const Bytes table = compressed(text, 1000);
  WatchedFile file(table);
  const Reader reader = Reader::open(file.reader(), table.size()).value();
  EXPECT_LE(file.take_read_bytes(), 32 + 160 + 16 + 64 + 20 * 16u);
  EXPECT_EQ(values<std::int64_t>(reader, 0, {5500, 10}).front(), first[5500]);
  const StoredSegment segment = reader.segment(5).value();
  file.take_read_bytes();
  values<std::int64_t>(reader, 0, {5500, 10});
  EXPECT_LE(file.take_read_bytes(), segment.columns[0].stored_bytes + 3 * 256);
  EXPECT_LT(segment.columns[0].stored_bytes + 3 * 256, table.size() / 20);
}

// A hundred columns, of which one costs about what it takes.
TEST(TableReader, OneColumnOfAHundredCostsLittle) {
  constexpr std::size_t columns = 100, rows = 20'000;
  Schema schema;
  std::vector<Bytes> words;
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i < columns; ++i) {
    schema.push_back({std::to_string(i), DType::f64, 0});
    words.push_back(make_bytes(64, 5, 8 * rows, i));  // hardly compressible
  }
  for (const Bytes& column : words) pointers.push_back(column.data());
  TableOptions options;
  options.segment_rows = 5000;
  const Bytes table = columns_frame(pointers, rows, schema, options);
  WatchedFile file(table);
  const Reader reader = Reader::open(file.reader(), table.size()).value();
  const std::size_t opening_bytes = file.take_read_bytes();
  EXPECT_LE(opening_bytes, 24 + columns * 24 + 256 + 16 + 48 + 4 * 16);
  std::uint64_t header_bytes = 0, column_bytes = 0;
  for (std::uint64_t i = 0; i < reader.info().segment_count; ++i) {
    const StoredSegment segment = reader.segment(i).value();
    std::uint64_t all = 0;
    for (const StoredColumn& column : segment.columns) all += (column.stored_bytes + 15) / 16 * 16;
    header_bytes += segment.stored_bytes - all;
    column_bytes += segment.columns[42].stored_bytes;
  }
  file.take_read_bytes();
  Bytes out(8 * rows);
  ASSERT_TRUE(reader.read_values(42, {0, rows}, room_of(out)).ok());
  EXPECT_TRUE(out == words[42]);
  EXPECT_LE(file.take_read_bytes(),
            header_bytes + column_bytes + 4 * (112 + 16));  // headers begin with 112 bytes
  EXPECT_LE(header_bytes + column_bytes, table.size() / 50);

  // Rows of one segment.
  Bytes some(8 * 100);
  ASSERT_TRUE(reader.read_values(42, {7000, 100}, room_of(some)).ok());
  EXPECT_TRUE(std::equal(some.begin(), some.end(), words[42].begin() + 8 * 7000));
  EXPECT_LE(file.take_read_bytes(), (header_bytes + column_bytes) / 4 + 1024);

  // Printing and records of two columns.
  const std::array<std::size_t, 2> two = {7, 42};
  Bytes records;
  ASSERT_TRUE(reader.write_records(two, {0, rows}, sink_to(records)).ok());
  EXPECT_LE(file.take_read_bytes(), 2 * (header_bytes + column_bytes) + 4 * (112 + 16));
}

TEST(TableReader, BoundsOfSegments) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i - 150) + "," + std::to_string(i) + ".25,x\n";
  const Bytes table = compressed(text, 100);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  const StoredSegment segment = reader.segment(1).value();
  EXPECT_EQ(segment.first, 100u);
  EXPECT_EQ(segment.count, 100u);
  EXPECT_TRUE(segment.columns[0].bounds.is_known);
  EXPECT_EQ(segment.columns[0].bounds.min, -50);
  EXPECT_EQ(segment.columns[0].bounds.max, 49);
  EXPECT_EQ(segment.columns[1].bounds.min, 100.25);
  EXPECT_EQ(segment.columns[1].bounds.max, 199.25);
  EXPECT_FALSE(segment.columns[2].bounds.is_known);
  EXPECT_FALSE(reader.segment(3));
}

// NaN does not count; 64-bit integers are rounded outwards; columns of nothing but NaN have none.
TEST(TableReader, BoundsOfDifficultNumbers) {
  const double nan = std::nan("");
  const std::vector<double> floats = {nan, -0.0, 3, nan}, nothing(4, nan);
  const std::vector<std::int64_t> large = {9007199254740993, -9007199254740993, 0, 1};
  const std::vector<std::uint64_t> largest = {~std::uint64_t{0}, ~std::uint64_t{0} - 1, ~std::uint64_t{0},
                                              ~std::uint64_t{0}};
  const std::array<const void*, 4> columns = {floats.data(), nothing.data(), large.data(), largest.data()};
  const Bytes table = columns_frame(
      columns, 4, {{"f", DType::f64, 0}, {"n", DType::f64, 0}, {"i", DType::i64, 0}, {"u", DType::u64, 0}});
  const StoredSegment segment = Reader::open(view_of(table))->segment(0).value();
  const auto& of = segment.columns;
  EXPECT_EQ(of[0].bounds.min, 0);
  EXPECT_TRUE(std::signbit(of[0].bounds.min));
  EXPECT_EQ(of[0].bounds.max, 3);
  EXPECT_FALSE(of[1].bounds.is_known);
  EXPECT_EQ(of[2].bounds.min, -9007199254740994.0);
  EXPECT_EQ(of[2].bounds.max, 9007199254740994.0);
  EXPECT_GE(of[3].bounds.max, 0x1p64);
  EXPECT_LE(of[3].bounds.max, 0x1p64 * (1 + 0x1p-52));
  EXPECT_LT(of[3].bounds.min, 0x1p64);
}

// Names that would end a cell stand in quotes; cells of records are written as those of CSV text.
TEST(TableReader, PrintsRecordsAndTheirNames) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{"a,b", DType::i16, 0}, {"x\ny", DType::f32, 2}, {"\"\"", DType::u64, 0},
                  {"t", DType::time, 0},  {"h", DType::f16, 1},    {"l", DType::boolean, 0}};
  Bytes record(2 + 4 + 8 + 8 + 2 + 1);
  core::store(record.data(), std::uint16_t{0xFFFE});
  const float half = 0.5F;
  std::memcpy(record.data() + 2, &half, sizeof half);
  core::store(record.data() + 6, ~std::uint64_t{0});
  core::store(record.data() + 14, std::uint64_t{1} << 62);  // no year has four digits then
  core::store(record.data() + 22, std::uint16_t{0x3C00});
  record[24] = 1;
  const Bytes frame = table_of(text_of(record), table);
  const Reader reader = Reader::open(view_of(frame)).value();
  Bytes printed;
  const std::size_t all[] = {0, 1, 2, 3, 4, 5};
  ASSERT_TRUE(reader.print_rows(all, {0, 1}, sink_to(printed), one_thread).ok());
  EXPECT_EQ(text_of(printed),
            "\"a,b\",\"x\ny\",\"\"\"\",t,h,l\n-2,0.50,18446744073709551615,4611686018427387904,1.0,1\n");
  EXPECT_EQ(reader.read_texts(0, {0, 1}).value(), std::vector<std::string>{"-2"});
}

TEST(TableReader, RefusesWhatIsNotThere) {
  const Bytes table = compressed("a,b\n1,x\n2,y\n", 10);
  const Reader reader = Reader::open(reader_of(table), table.size()).value();
  std::array<std::byte, 16> out{};
  EXPECT_EQ(reader.read_values(2, {0, 2}, out).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.read_values(0, {1, 2}, out).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.read_values(0, {~std::uint64_t{0}, 2}, out).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.read_values(0, {0, 1}, out).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.read_values(1, {0, 2}, out).code, ErrorCode::invalid_argument);
  EXPECT_FALSE(reader.read_texts(2, {0, 1}));
  EXPECT_TRUE(reader.read_values(0, {0, 2}, out).ok());
}

TEST(TableReader, TheFooterTakesNoMoreMemoryThanAllowed) {
  std::string text = "a\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + "\n";
  const Bytes table = compressed(text, 1);  // a footer of 16 bytes for each row
  EXPECT_EQ(Reader::open(reader_of(table), table.size(), 20000).status().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(Reader::open(reader_of(table), table.size(), 40000));
}

TEST(TableReader, DamageOfWhatIsReadIsAnError) {
  const Bytes good = compressed("a,b\n1,1.5\n2,2.5\n", 1);
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  const std::array<std::size_t, 2> both = {0, 1};
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const auto reader = Reader::open(reader_of(bytes), bytes.size());
    EXPECT_FALSE(reader && reader->read_texts(0, {0, 2}) && reader->read_texts(1, {0, 2})) << bit;
    EXPECT_FALSE(reader && reader->print_rows(both, {0, 2}, ignore).ok()) << bit;
    EXPECT_FALSE(reader && reader->write_records(both, {0, 2}, ignore).ok()) << bit;
  }
}

// What is not read may be damaged.
TEST(TableReader, DamageOfOtherColumnsDoesNotMatter) {
  Random random(1);
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(random.below(1'000'000)) + "," + std::to_string(i % 7) + "\n";
  Bytes table = compressed(text, 1000);
  const StoredSegment segment = Reader::open(view_of(table))->segment(0).value();
  table[segment.offset + segment.stored_bytes - segment.columns[1].stored_bytes - 100] ^=
      1;  // of the first column
  const auto reader = Reader::open(view_of(table));
  ASSERT_TRUE(reader);
  EXPECT_EQ(values<std::int64_t>(*reader, 1, {998, 2}), (std::vector<std::int64_t>{998 % 7, 999 % 7}));
  std::array<std::byte, 8> one{};
  EXPECT_EQ(reader->read_values(0, {0, 1}, one).code, ErrorCode::corrupt_frame);
}

}  // namespace
}  // namespace floe::test
