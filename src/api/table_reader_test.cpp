// Parts of tables: one column, some rows, ranges.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "floe/series.hpp"

namespace floe::tables {
namespace {

std::vector<std::byte> compressed(const std::string& text, std::uint32_t segment_rows, Schema schema = {}) {
  std::vector<std::byte> table;
  TableOptions options;
  options.segment_rows = segment_rows;
  options.schema = std::move(schema);
  const auto append = [&table](std::span<const std::byte> bytes) {
    table.insert(table.end(), bytes.begin(), bytes.end());
    return Status{};
  };
  Result<TableCompressor> compressor = TableCompressor::create(append, options);
  EXPECT_TRUE(compressor);
  EXPECT_TRUE(compressor->write(std::as_bytes(std::span(text))).ok());
  EXPECT_TRUE(compressor->finish().ok());
  return table;
}

struct CountedTable {
  std::vector<std::byte> bytes;
  std::uint64_t read_bytes = 0;

  TableReader open() {
    return TableReader::open(
               [this](std::uint64_t offset, std::span<std::byte> to) {
                 read_bytes += to.size();
                 std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
                 return Status{};
               },
               bytes.size())
        .value();
  }
};

template <class T>
std::vector<T> values(TableReader& reader, std::size_t column, Slice rows,
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
  CountedTable table{compressed(
      "i,d,s,t\n1,1.5,x,60\n-2,NA,y,1970-01-01 00:00:05\nno row\n3.0,,z,7\nseven,4,z,8\n", 2, schema)};
  TableReader reader = table.open();
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
  CountedTable table{
      compressed("i,d,w,t,s,g\n"
                 "1,1.50,1e-05,1970-01-01 00:01:00,x,7\n"
                 "-2,NA,0.5,1970-01-02 00:00:00.5,y,\n"
                 "3,-0.00,1e20,bad,\"z\",-1\n",
                 2)};
  TableReader reader = table.open();
  EXPECT_EQ(reader.info().row_count, 3u);
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
  CountedTable table{compressed("1,300,2.5,1970-01-01 00:00:10,true\n-1,7,3,20,0\n", 10,
                                {{"a", DType::i8, 0},
                                 {"b", DType::u8, 0},
                                 {"c", DType::f32, 1},
                                 {"d", DType::time, 0},
                                 {"e", DType::boolean, 0}})};
  TableReader reader = table.open();
  EXPECT_EQ(values<std::int8_t>(reader, 0, {0, 2}), (std::vector<std::int8_t>{1, -1}));
  std::vector<std::uint8_t> valid;
  EXPECT_EQ(values<std::uint8_t>(reader, 1, {0, 2}, &valid), (std::vector<std::uint8_t>{0, 7}));
  EXPECT_EQ(valid, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(values<float>(reader, 2, {0, 2}), (std::vector<float>{2.5F, 3}));
  EXPECT_EQ(values<std::int64_t>(reader, 3, {0, 2}), (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(values<std::uint8_t>(reader, 4, {0, 2}), (std::vector<std::uint8_t>{1, 0}));
}

std::string printed(TableReader& reader, std::vector<std::size_t> columns, Slice rows,
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
  CountedTable table{compressed(text, 11000)};
  TableReader reader = table.open();
  EXPECT_EQ(reader.info().row_count, 30000u);
  for (const std::uint32_t threads : {1u, 2u, 7u})
    EXPECT_EQ(printed(reader, {2, 0}, {3000, 26999}, threads), chosen);
  EXPECT_EQ(printed(reader, {1, 1}, {10999, 2}), "b|b\n10999|10999\n11000|11000\n");
  EXPECT_EQ(printed(reader, {0}, {30000, 0}), "a\n");
}

TEST(TableReader, PrintsNoMoreThanItMay) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919 % 65536) + ",1\n";
  CountedTable table{compressed(text, 5000)};
  TableReader reader = table.open();
  const std::vector<std::size_t> both = {0, 1}, none, third = {2};
  const Sink nowhere = [](std::span<const std::byte>) { return Status{}; };
  EXPECT_EQ(reader.print_rows(both, {0, 1}, nowhere, {.threads = 1, .memory_limit_bytes = 9000}).code,
            ErrorCode::out_of_memory);
  EXPECT_EQ(reader.print_rows(none, {0, 1}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(third, {0, 1}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(both, {4999, 2}, nowhere).code, ErrorCode::invalid_argument);
  EXPECT_EQ(reader.print_rows(both, {0, 1}, {}).code, ErrorCode::invalid_argument);
  const Sink full = [](std::span<const std::byte>) { return Status{ErrorCode::io_error, 0, "full"}; };
  EXPECT_EQ(reader.print_rows(both, {0, 1}, full).code, ErrorCode::io_error);
}

TEST(TableReader, ReadsNoMoreThanItNeeds) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i * 7919 % 65536) + "," + std::to_string(i * 104729 % 1000003) + "\n";
  CountedTable table{compressed(text, 1000)};
  TableReader reader = table.open();
  table.read_bytes = 0;
  EXPECT_EQ(values<std::int64_t>(reader, 0, {5500, 10}).front(), 5500 * 7919 % 65536);
  EXPECT_LT(table.read_bytes, table.bytes.size() / 20);
}

TEST(TableReader, RangesOfSegments) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i - 150) + "," + std::to_string(i) + ".25,x\n";
  CountedTable table{compressed(text, 100)};
  TableReader reader = table.open();
  const StoredSegment segment = reader.segment(1).value();
  EXPECT_EQ(segment.first_row, 100u);
  EXPECT_EQ(segment.row_count, 100u);
  EXPECT_TRUE(segment.columns[0].range.is_known);
  EXPECT_EQ(segment.columns[0].range.least, -50);
  EXPECT_EQ(segment.columns[0].range.greatest, 49);
  EXPECT_EQ(segment.columns[1].range.least, 100.25);
  EXPECT_EQ(segment.columns[1].range.greatest, 199.25);
  EXPECT_FALSE(segment.columns[2].range.is_known);
  EXPECT_FALSE(reader.segment(3));
}

TEST(TableReader, RefusesWhatIsNotThere) {
  CountedTable table{compressed("a,b\n1,x\n2,y\n", 10)};
  TableReader reader = table.open();
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
  const std::vector<std::byte> bytes = compressed(text, 1);  // a footer of 16 bytes for each row
  const ReadAt read_at = [&bytes](std::uint64_t offset, std::span<std::byte> to) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
    return Status{};
  };
  EXPECT_EQ(TableReader::open(read_at, bytes.size(), 20000).status().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(TableReader::open(read_at, bytes.size(), 40000));
}

TEST(TableReader, DamageIsAnError) {
  const std::vector<std::byte> good = compressed("a,b\n1,1.5\n2,2.5\n", 1);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::vector<std::byte> bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const ReadAt read_at = [&bytes](std::uint64_t offset, std::span<std::byte> to) {
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
      return Status{};
    };
    Result<TableReader> reader = TableReader::open(read_at, bytes.size());
    const bool is_read = reader && reader->read_texts(0, {0, 2}) && reader->read_texts(1, {0, 2});
    EXPECT_FALSE(is_read) << bit;
    const std::vector<std::size_t> both = {0, 1};
    EXPECT_FALSE(reader &&
                 reader->print_rows(both, {0, 2}, [](std::span<const std::byte>) { return Status{}; }).ok())
        << bit;
  }
}

}  // namespace
}  // namespace floe::tables
