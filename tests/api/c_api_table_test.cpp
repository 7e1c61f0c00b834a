// Does the C ABI make and read the same tables, and does it survive callers who make mistakes?
#include <gtest/gtest.h>

#include "tests/api/c_api.hpp"

namespace floe::test {
namespace {

class CApiOfTables : public testing::Test {
 protected:
  CApiOfTables() { floe_table_options_default(&table_); }

  floe_status write(Bytes& frame, const std::string& content, const floe_options* options = nullptr) {
    floe_writer* writer = nullptr;
    floe_status status = floe_writer_create_table(&writer, append_to_bytes, &frame, &table_, options);
    for (std::size_t at = 0; at < content.size() && status.code == FLOE_OK; at += 5000)
      status =
          floe_writer_write(writer, content.data() + at, std::min<std::size_t>(5000, content.size() - at));
    if (status.code == FLOE_OK) status = floe_writer_finish(writer);
    floe_writer_close(writer);
    return status;
  }

  floe_table_options table_;
};

TEST_F(CApiOfTables, CsvIsThatOfTheLibrary) {
  const std::string text = some_csv(3000);
  const floe_given_tree trees[] = {{"rate", 1, "rle,bitpack,bitpack"}, {"2", 0, "delta,entropy"}};
  table_.segment_rows = 1000;
  table_.trees = trees;
  table_.tree_count = 2;
  TableOptions same;
  same.segment_rows = 1000;
  same.trees = {{"rate", 1, "rle,bitpack,bitpack"}, {"2", 0, "delta,entropy"}};
  Bytes frame;
  ASSERT_EQ(write(frame, text).code, FLOE_OK);
  EXPECT_TRUE(frame == table_of(text, same));

  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  floe_frame_info info;
  info.struct_size = sizeof info;
  ASSERT_EQ(floe_reader_info(reader, &info).code, FLOE_OK);
  EXPECT_EQ(info.content, FLOE_TABLE);
  EXPECT_EQ(info.source, FLOE_CSV);
  EXPECT_EQ(info.column_count, 6u);
  EXPECT_EQ(info.element_count, 3000u);
  EXPECT_EQ(info.segment_count, 3u);
  floe_column column;
  ASSERT_EQ(floe_reader_column(reader, 1, &column).code, FLOE_OK);
  EXPECT_STREQ(column.name, "count");
  EXPECT_EQ(column.type, FLOE_I64);
  EXPECT_EQ(floe_reader_column(reader, 6, &column).code, FLOE_INVALID_ARGUMENT);

  Bytes restored;
  ASSERT_EQ(floe_reader_restore(reader, append_to_bytes, &restored, nullptr).code, FLOE_OK);
  EXPECT_EQ(text_of(restored), text);
  std::vector<std::int64_t> counts(100);
  std::vector<std::uint8_t> valid(100);
  ASSERT_EQ(floe_reader_values(reader, 1, 950, 100, counts.data(), 800, valid.data(), nullptr).code, FLOE_OK);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(counts[i], static_cast<std::int64_t>((950 + i) % 100));
  EXPECT_EQ(valid, std::vector<std::uint8_t>(100, 1));
  EXPECT_EQ(floe_reader_values(reader, 1, 950, 100, counts.data(), 799, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_values(reader, 5, 0, 1, counts.data(), 8, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);

  const uint32_t columns[] = {4, 1};
  Bytes printed, expected;
  ASSERT_EQ(floe_reader_print(reader, columns, 2, 10, 20, append_to_bytes, &printed, nullptr).code, FLOE_OK);
  const std::array<std::size_t, 2> same_columns = {4, 1};
  ASSERT_TRUE(Reader::open(view_of(frame))->print_rows(same_columns, {10, 20}, sink_to(expected)).ok());
  EXPECT_TRUE(printed == expected);
  Bytes records;
  ASSERT_EQ(floe_reader_records(reader, columns + 1, 1, 950, 100, append_to_bytes, &records, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(std::memcmp(records.data(), counts.data(), 800), 0);
  EXPECT_EQ(floe_reader_records(reader, columns, 1, 0, 1, append_to_bytes, &records, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  Bytes slice(8);
  EXPECT_EQ(floe_reader_slice(reader, slice.data(), 8, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_reader_close(reader);

  floe_stream_reader* stream = nullptr;
  Bytes streamed;
  ASSERT_EQ(floe_stream_reader_create(&stream, append_to_bytes, &streamed, nullptr).code, FLOE_OK);
  ASSERT_EQ(floe_stream_reader_write(stream, frame.data(), frame.size()).code, FLOE_OK);
  ASSERT_EQ(floe_stream_reader_finish(stream).code, FLOE_OK);
  floe_stream_reader_close(stream);
  EXPECT_EQ(text_of(streamed), text);
}

TEST_F(CApiOfTables, RecordsAndColumnsAreThoseOfTheLibrary) {
  const floe_column columns[] = {{"t", FLOE_TIME, 0}, {"v", FLOE_F32, 3}};
  const Schema schema = {{"t", DType::time, 0}, {"v", DType::f32, 3}};
  table_.source = FLOE_RECORDS;
  table_.columns = columns;
  table_.column_count = 2;
  table_.padding_bytes = 4;
  TableOptions same;
  same.source = TableSource::records;
  same.schema = schema;
  same.padding_bytes = 4;
  const std::string content = text_of(make_bytes(32, 5, 16 * 500, 1));
  Bytes frame;
  ASSERT_EQ(write(frame, content).code, FLOE_OK);
  EXPECT_TRUE(frame == table_of(content, same));

  table_.source = FLOE_COLUMNS;
  table_.padding_bytes = 0;
  std::vector<std::int64_t> times(300);
  std::vector<float> values(300);
  for (std::size_t i = 0; i < 300; ++i) times[i] = static_cast<std::int64_t>(i), values[i] = 0.5F;
  const void* const pointers[] = {times.data(), values.data()};
  floe_writer* writer = nullptr;
  Bytes of_columns;
  ASSERT_EQ(floe_writer_create_table(&writer, append_to_bytes, &of_columns, &table_, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_writer_write(writer, times.data(), 8).code, FLOE_INVALID_ARGUMENT);
  const void* const missing[] = {pointers[0], nullptr};
  EXPECT_EQ(floe_writer_write_columns(writer, missing, 2, 300).code, FLOE_INVALID_ARGUMENT);
  ASSERT_EQ(floe_writer_write_columns(writer, pointers, 2, 300).code, FLOE_OK);
  ASSERT_EQ(floe_writer_finish(writer).code, FLOE_OK);
  floe_writer_close(writer);
  EXPECT_TRUE(of_columns == columns_frame(pointers, 300, schema));
}

TEST_F(CApiOfTables, MistakesAreRefused) {
  floe_writer* writer = nullptr;
  const auto code = [&] { return floe_writer_create_table(&writer, refuse, nullptr, &table_, nullptr).code; };
  const auto refused = [&](const auto& change) {
    floe_table_options_default(&table_);
    change();
    return code() == FLOE_INVALID_ARGUMENT && writer == nullptr;
  };
  ASSERT_EQ(code(), FLOE_OK);
  floe_writer_close(writer);
  ASSERT_EQ(floe_writer_create_table(&writer, refuse, nullptr, nullptr, nullptr).code, FLOE_OK);
  floe_writer_close(writer);
  const floe_column unnamed[] = {{nullptr, FLOE_I32, 0}}, untyped[] = {{"a", static_cast<floe_dtype>(99), 0}},
                    precise[] = {{"a", FLOE_F64, 300}};
  const floe_given_tree no_tree[] = {{"a", 0, nullptr}}, bad_tree[] = {{"a", 0, "nonsense"}};
  EXPECT_TRUE(refused([&] { table_.struct_size = 0; }));
  EXPECT_TRUE(refused([&] { table_.struct_size = sizeof table_ - 1; }));
  EXPECT_TRUE(refused([&] { table_.source = static_cast<floe_table_source>(3); }));
  EXPECT_TRUE(refused([&] { table_.source = FLOE_RECORDS; }));
  EXPECT_TRUE(refused([&] { table_.name_row = 3; }));
  EXPECT_TRUE(refused([&] { table_.separator = 256 + ','; }));
  EXPECT_TRUE(refused([&] { table_.separator = '\n'; }));
  EXPECT_TRUE(refused([&] { table_.segment_rows = 0; }));
  EXPECT_TRUE(refused([&] { table_.segment_rows = (1u << 20) + 1; }));
  EXPECT_TRUE(refused([&] { table_.padding_bytes = 1; }));
  EXPECT_TRUE(refused([&] { table_.column_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.tree_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.columns = unnamed, table_.column_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.columns = untyped, table_.column_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.columns = precise, table_.column_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.trees = no_tree, table_.tree_count = 1; }));
  EXPECT_TRUE(refused([&] { table_.trees = bad_tree, table_.tree_count = 1; }));
  EXPECT_EQ(floe_writer_create_table(nullptr, refuse, nullptr, &table_, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_create_table(&writer, nullptr, nullptr, &table_, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_write_columns(nullptr, nullptr, 0, 0).code, FLOE_INVALID_ARGUMENT);

  const Bytes frame = table_of("a,b\n1,2\n");
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  const uint32_t beyond[] = {2};
  EXPECT_EQ(floe_reader_print(reader, nullptr, 1, 0, 1, refuse, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_print(reader, nullptr, 0, 0, 1, refuse, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_print(reader, beyond, 1, 0, 1, refuse, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_records(reader, beyond, 1, 0, 1, refuse, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_records(reader, beyond, 1, 0, 1, nullptr, nullptr, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_values(reader, 2, 0, 1, nullptr, 0, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_values(reader, 0, 0, 1, nullptr, 8, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_column(reader, 0, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_column(nullptr, 0, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_reader_close(reader);
}

TEST_F(CApiOfTables, SinksMayRefuse) {
  const std::string text = some_csv(100);
  floe_writer* writer = nullptr;
  ASSERT_EQ(floe_writer_create_table(&writer, refuse, nullptr, &table_, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_writer_write(writer, text.data(), text.size()).code, FLOE_OK);  // nothing is written yet
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_IO_ERROR);
  floe_writer_close(writer);
  const Bytes frame = table_of(text);
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  const uint32_t columns[] = {1};
  EXPECT_EQ(floe_reader_restore(reader, refuse, nullptr, nullptr).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_reader_print(reader, columns, 1, 0, 1, refuse, nullptr, nullptr).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_reader_records(reader, columns, 1, 0, 1, refuse, nullptr, nullptr).code, FLOE_IO_ERROR);
  floe_reader_close(reader);
}

}  // namespace
}  // namespace floe::test
