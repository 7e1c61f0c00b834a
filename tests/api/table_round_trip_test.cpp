// Whole tables: what goes in comes out.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

void expect_round_trip(const std::string& text, const TableOptions& table = {}) {
  const Bytes frame = table_of(text, table);
  EXPECT_TRUE(table_of(text, table, {}, 1000) == frame);
  for (const Decoded& decoded : {decode_restored(frame), decode_memory(frame, {}),
                                 decode_stream(frame, [] { return std::size_t{777}; })}) {
    EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
    EXPECT_TRUE(text_of(decoded.content) == text);
  }
}

TEST(TableRoundTrip, TextWithCellsOfAllKinds) {
  const std::string text = some_csv(20000);
  expect_round_trip(text);
  EXPECT_LT(table_of(text).size(), text.size() / 4);
}

TEST(TableRoundTrip, TextsOfAllShapes) {
  for (const char* text :
       {"", "\n", "a", "a\n", "a,b\n", "a,b\n1,2", "a,b\r\n1,2\r\n3,4\r\n", "1;2;3\n4;5;6\n", "x\ty\n1\t2\n",
        "# comment\nt,v\n1,2\n\n3\n4,5,6\n7,8\ntail", "\"a,b\",c\n\"1,5\",2\n", "a,b\n1,\"open\n2,3\n",
        ",\n,\n", "1\n2\n3\n", "a,b\r\n1,2\n3,4\r\n"}) {
    SCOPED_TRACE(text);
    expect_round_trip(text);
    TableOptions short_segments;
    short_segments.segment_rows = 1;
    expect_round_trip(text, short_segments);
  }
}

TEST(TableRoundTrip, AnyBytesAreATextOfLinesThatAreNoRows) {
  Random random(3);
  std::string noise(100000, '\0');
  for (char& c : noise) c = static_cast<char>(random.next());
  expect_round_trip(noise);
  std::string lines(50000, '\0');
  for (char& c : lines) c = "ab,,\n\n\"\r1.5"[random.below(11)];
  expect_round_trip(lines);
}

TEST(TableRoundTrip, ThreadsDoNotChangeTheBytes) {
  const std::string text = some_csv(5000);
  TableOptions table;
  table.segment_rows = 1000;
  Options one, seven;
  one.threads = 1;
  seven.threads = 7;
  EXPECT_TRUE(table_of(text, table, one) == table_of(text, table, seven));
}

TEST(TableRoundTrip, EveryGoalProfileAndChecksum) {
  const std::string text = some_csv(sanitized ? 600 : 3000);
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio, Goal::max}) {
    for (const Profile profile : {Profile::cpu, Profile::gpu}) {
      for (const bool checksum : {true, false}) {
        if (sanitized && checksum != (profile == Profile::cpu)) continue;
        Options options;
        options.goal = goal;
        options.profile = profile;
        options.checksum = checksum;
        TableOptions table;
        table.segment_rows = sanitized ? 200 : 1000;
        const Bytes frame = table_of(text, table, options);
        const Decoded decoded = decode_restored(frame);
        EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
        EXPECT_TRUE(text_of(decoded.content) == text);
        EXPECT_EQ(Reader::open(view_of(frame))->info().has_checksums, checksum);
      }
    }
  }
}

TEST(TableRoundTrip, WritersTellWhatTheyWrote) {
  TableOptions table;
  table.segment_rows = 100;
  const std::string text = some_csv(1000);
  Bytes frame;
  auto writer = Writer::create(sink_to(frame), table);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write(view_of(bytes_of(text))).ok());
  ASSERT_TRUE(writer->finish().ok());
  const FrameInfo& info = writer->info();
  const FrameInfo read = Reader::open(view_of(frame))->info();
  EXPECT_EQ(info.content, floe::Content::table);
  EXPECT_EQ(info.source, TableSource::csv);
  EXPECT_EQ(info.columns, read.columns);
  EXPECT_EQ(info.columns.size(), 6u);
  EXPECT_EQ(info.element_count, 1000u);
  EXPECT_EQ(info.segment_count, read.segment_count);
  EXPECT_EQ(info.frame_bytes, frame.size());
  EXPECT_EQ(info.digest, read.digest);
}

TEST(TableRoundTrip, PiecesDoNotMoveTheEndsOfSegments) {
  // Long rows with quotes that hide line ends, and some whose partner is missing or too far away.
  std::string text = "name,value\n";
  for (int i = 0; i < 40000; ++i) {
    text += i % 7 == 0 ? "\"two\nlines " : "plain ";
    text.append(static_cast<std::size_t>(i % 97), 'x');
    text += i % 7 == 0 && i % 5003 != 0 ? "\"" : "";
    text += ',' + std::to_string(i) + '\n';
  }
  for (const std::uint32_t rows : {1000U, 7000U, 30000U}) {
    TableOptions options;
    options.segment_rows = rows;
    const Bytes frame = table_of(text, options, {}, text.size());
    EXPECT_TRUE(table_of(text, options, {}, 300000) == frame);
    EXPECT_TRUE(table_of(text, options, {}, 9973) == frame);
    EXPECT_TRUE(text_of(decode_restored(frame).content) == text);
  }
}

TEST(TableRoundTrip, SegmentsMayBeWrittenInDifferentWays) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i) + "," + (i < 1000 ? "1.50" : i < 2000 ? "word" : "2013-04-03 10:00:00") + "\n";
  TableOptions options;
  options.segment_rows = 1000;
  expect_round_trip(text, options);
}

TEST(TableRoundTrip, MalformedRowsAreNamed) {
  std::vector<MalformedRow> bad;
  TableOptions options;
  options.on_malformed_row = [&bad](const MalformedRow& line) { bad.push_back(line); };
  table_of("a,b,c\n1,2,3\n\n1,2\n4,5,6\n1,2,3,4\n", options);
  ASSERT_EQ(bad.size(), 2u);
  EXPECT_EQ(bad[0].line, 4u);
  EXPECT_EQ(bad[0].column, 3u);
  EXPECT_EQ(bad[0].cell_count, 2u);
  EXPECT_EQ(bad[1].line, 6u);
  EXPECT_EQ(bad[1].column, 4u);
}

TEST(TableRoundTrip, ValuesAloneMayBeWrittenOtherwise) {
  TableOptions options;
  options.keep_text = false;
  const Decoded decoded = decode_restored(table_of("a,b\n1.50,x\n+2,y\n03.25,z\n", options));
  ASSERT_TRUE(decoded.status.ok());
  EXPECT_EQ(text_of(decoded.content), "a,b\n1.50,x\n2.00,y\n3.25,z\n");
}

/// A column of every type.
Schema every_type() {
  Schema schema;
  for (unsigned type = 1; type <= static_cast<unsigned>(DType::time); ++type)
    schema.push_back({std::to_string(type), static_cast<DType>(type), 6});
  return schema;
}

TEST(TableRoundTrip, Records) {
  TableOptions options;
  options.source = TableSource::records;
  options.schema = every_type();
  std::size_t record_bytes = 0;
  for (const Column& column : options.schema) record_bytes += size_of(column.type);
  Random random(5);
  for (const std::uint32_t padding : {0u, 3u}) {
    options.padding_bytes = padding;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, record_bytes, std::size_t{100000}}) {
      std::string records(bytes, '\0');
      for (std::size_t i = 0; i < bytes; ++i) records[i] = static_cast<char>(random.below(7));
      expect_round_trip(records, options);
      for (std::size_t i = 0; i < bytes; ++i) records[i] = static_cast<char>(random.next());
      expect_round_trip(records, options);
    }
  }
  options.padding_bytes = 4;
  std::string zero_padded;
  for (int row = 0; row < 1000; ++row)
    zero_padded.append(record_bytes, static_cast<char>(row)).append(4, '\0');
  expect_round_trip(zero_padded, options);
}

TEST(TableRoundTrip, WideRecordsMakeShorterSegments) {
  TableOptions options;
  options.source = TableSource::records;
  options.schema = {{"a", DType::i8, 0}};
  options.padding_bytes = 1u << 20;
  const Bytes frame = table_of(std::string(100 * ((std::size_t{1} << 20) + 1), '\1'), options);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_EQ(reader->info().segment_count, 2u);
  EXPECT_EQ(reader->segment(0)->count, 63u);  // no more than 64 MiB
  EXPECT_EQ(reader->segment(1)->count, 37u);
}

TEST(TableRoundTrip, ColumnsInMemoryOfEveryType) {
  constexpr std::size_t rows = 5000;
  const Schema schema = every_type();
  std::vector<Bytes> columns;
  std::vector<const void*> pointers;
  for (const Column& column : schema) {
    const auto bits = static_cast<unsigned>(8 * size_of(column.type));
    columns.push_back(make_bytes(bits, columns.size() % 13, rows * size_of(column.type), 1));
  }
  for (const Bytes& column : columns) pointers.push_back(column.data());
  Bytes expected;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < schema.size(); ++i) {
      const std::size_t size = size_of(schema[i].type);
      append(expected, view_of(columns[i]).subspan(row * size, size));
    }
  }
  TableOptions options;
  options.segment_rows = 2000;
  const Bytes frame = columns_frame(pointers, rows, schema, options);
  EXPECT_TRUE(decode_restored(frame).content == expected);
  EXPECT_TRUE(decode_stream(frame).content == expected);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  for (std::size_t i = 0; i < schema.size(); ++i) {
    Bytes values(columns[i].size());
    ASSERT_TRUE(reader->read_values(i, {0, rows}, room_of(values)).ok());
    EXPECT_TRUE(values == columns[i]) << name_of(schema[i].type);
  }

  // Any number of rows at a time: every call ends with a segment.
  TableOptions in_pieces = options;
  in_pieces.source = TableSource::columns;
  in_pieces.schema = schema;
  Bytes again;
  auto writer = Writer::create(sink_to(again), in_pieces);
  ASSERT_TRUE(writer);
  Random random(1);
  for (std::size_t row = 0; row < rows;) {
    const std::size_t count = std::min<std::size_t>(rows - row, random.below(900));
    std::vector<const void*> at;
    for (std::size_t i = 0; i < schema.size(); ++i)
      at.push_back(columns[i].data() + row * size_of(schema[i].type));
    ASSERT_TRUE(writer->write_columns(at, count).ok());
    row += count;
  }
  EXPECT_EQ(writer->write(view_of(expected)).code, ErrorCode::invalid_argument);
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_TRUE(decode_restored(again).content == expected);
}

TEST(TableRoundTrip, ManyShortSegmentsWithMoreThreadsThanThereAreCpus) {
  // One segment follows the other so fast that threads come at every moment of its life: while it is looked
  // at, coded, and gone already.
  std::vector<std::int64_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const auto frame_with = [&values](std::size_t columns, std::uint32_t threads) {
    Schema schema;
    for (std::size_t i = 0; i < columns; ++i) schema.push_back({std::to_string(i), DType::i64});
    TableOptions table;
    table.segment_rows = 1;
    Options options;
    options.threads = threads;
    const std::vector<const void*> addresses(columns, values.data());
    return columns_frame(addresses, values.size() / columns, schema, table, options);
  };
  for (const std::size_t columns : {1U, 3U}) {
    const Bytes alone = frame_with(columns, 1);
    for (int round = 0; round < (columns == 1 ? 5 : 2); ++round) {
      for (const std::uint32_t threads : {3U, 8U}) EXPECT_TRUE(frame_with(columns, threads) == alone);
    }
  }
}

TEST(TableRoundTrip, SenselessOptionsAreRefused) {
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  const auto refused = [&](const auto& change) {
    TableOptions table;
    Options options;
    change(table, options);
    return Writer::create(ignore, table, options).status().code == ErrorCode::invalid_argument;
  };
  EXPECT_FALSE(refused([](TableOptions&, Options&) {}));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.segment_rows = 0; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.segment_rows = (1u << 20) + 1; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.source = TableSource::records; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.source = TableSource::columns; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.source = static_cast<TableSource>(3); }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.name_row = static_cast<NameRow>(3); }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.separator = '"'; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.separator = '\n'; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.padding_bytes = 4; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.schema = {{"a", DType::f16, 0}}; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.schema = {{"a", static_cast<DType>(16), 0}}; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) { t.schema = {{"a", DType::f64, 41}}; }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) {
    t.schema = {{std::string(70'000, 'a'), DType::f64, 0}};
  }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) {
    t.source = TableSource::records;
    t.schema = {{"a", DType::text, 0}};
  }));
  EXPECT_TRUE(refused([](TableOptions& t, Options&) {
    t.source = TableSource::records;
    t.schema = {{"a", DType::i32, 0}};
    t.padding_bytes = (1u << 20) + 1;
  }));
  static const Bytes prefix(3);
  EXPECT_TRUE(refused([](TableOptions&, Options& o) { o.tree = "raw"; }));
  EXPECT_TRUE(refused([](TableOptions&, Options& o) { o.prefix = view_of(prefix); }));
  EXPECT_TRUE(refused([](TableOptions&, Options& o) { o.segment_bytes = 16384; }));
  EXPECT_TRUE(refused([](TableOptions&, Options& o) { o.goal = static_cast<Goal>(4); }));
  EXPECT_TRUE(refused([](TableOptions&, Options& o) { o.profile = static_cast<Profile>(2); }));
}

TEST(TableRoundTrip, ASchemaThatFitsNoLineIsRefused) {
  TableOptions table;
  table.schema = {{"a", DType::i32, 0}, {"b", DType::i32, 0}};
  auto writer = Writer::create([](std::span<const std::byte>) { return Status{}; }, table);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write(view_of(bytes_of("1,2,3\n4,5,6\n"))).ok());
  EXPECT_EQ(writer->finish().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::test
