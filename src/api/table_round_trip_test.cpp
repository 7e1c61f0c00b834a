// Whole tables: what goes in comes out.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "floe/series.hpp"

namespace floe::tables {
namespace {

std::string compressed(const std::string& text, TableOptions options = {},
                       std::size_t piece_bytes = 1u << 20) {
  std::string table;
  Result<TableCompressor> compressor = TableCompressor::create(
      [&table](std::span<const std::byte> bytes) {
        table.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return Status{};
      },
      std::move(options));
  EXPECT_TRUE(compressor) << compressor.status().message();
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const Status status = compressor->write(bytes.subspan(at, std::min(piece_bytes, bytes.size() - at)));
    EXPECT_TRUE(status.ok()) << status.message();
  }
  const Status status = compressor->finish();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(compressor->info().table_bytes, table.size());
  return table;
}

Status decompress(const std::string& table, std::string& text, DecodeOptions options = {},
                  std::size_t piece_bytes = 1u << 20) {
  text.clear();
  TableDecompressor decompressor(
      [&text](std::span<const std::byte> bytes) {
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return Status{};
      },
      options);
  const auto bytes = std::as_bytes(std::span(table));
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    if (const Status status = decompressor.write(bytes.subspan(at, std::min(piece_bytes, bytes.size() - at)));
        !status.ok())
      return status;
  }
  return decompressor.finish();
}

void expect_round_trip(const std::string& text, const TableOptions& options = {}) {
  const std::string table = compressed(text, options);
  EXPECT_EQ(compressed(text, options, 1000), table);
  std::string again;
  const Status status = decompress(table, again);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(again == text);
  EXPECT_TRUE(decompress(table, again, {1}, 777).ok());
  EXPECT_TRUE(again == text);
}

std::string generated(std::uint64_t rows) {
  std::string text;
  EXPECT_TRUE(generate_table(rows, [&text](std::span<const std::byte> bytes) {
                text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                return Status{};
              }).ok());
  return text;
}

TEST(TableRoundTrip, TheGeneratedTable) {
  const std::string text = generated(20000);
  expect_round_trip(text);
  EXPECT_LT(compressed(text).size(), text.size() / 4);
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
  std::mt19937 random(3);
  std::string noise(100000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  expect_round_trip(noise);
  std::string lines(50000, '\0');
  for (char& c : lines) c = "ab,,\n\n\"\r1.5"[random() % 11];
  expect_round_trip(lines);
}

TEST(TableRoundTrip, ThreadsDoNotChangeTheBytes) {
  const std::string text = generated(5000);
  TableOptions one;
  one.threads = 1;
  one.segment_rows = 1000;
  TableOptions seven = one;
  seven.threads = 7;
  EXPECT_EQ(compressed(text, one), compressed(text, seven));
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
    const std::string table = compressed(text, options, text.size());
    EXPECT_TRUE(compressed(text, options, 300000) == table);
    EXPECT_TRUE(compressed(text, options, 9973) == table);
    std::string again;
    EXPECT_TRUE(decompress(table, again).ok());
    EXPECT_TRUE(again == text);
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

TEST(TableRoundTrip, BadLinesAreNamed) {
  std::vector<BadLine> bad;
  TableOptions options;
  options.on_bad_line = [&bad](const BadLine& line) { bad.push_back(line); };
  const std::string table = compressed("a,b,c\n1,2,3\n\n1,2\n4,5,6\n1,2,3,4\n", options);
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
  std::string again;
  ASSERT_TRUE(decompress(compressed("a,b\n1.50,x\n+2,y\n03.25,z\n", options), again).ok());
  EXPECT_EQ(again, "a,b\n1.50,x\n2.00,y\n3.25,z\n");
}

TEST(TableRoundTrip, Records) {
  TableOptions options;
  options.source = TableSource::records;
  for (unsigned type = 1; type <= static_cast<unsigned>(DType::time); ++type)
    options.schema.push_back({std::to_string(type), static_cast<DType>(type), 6});
  std::mt19937 random(5);
  for (const std::uint32_t padding : {0u, 3u}) {
    options.padding_bytes = padding;
    for (const std::size_t bytes : {0u, 1u, 57u, 100000u}) {
      std::string records(bytes, '\0');
      for (std::size_t i = 0; i < bytes; ++i) records[i] = static_cast<char>(random() % 7);
      expect_round_trip(records, options);
    }
  }
  options.padding_bytes = 4;
  std::string zero_padded;
  for (int row = 0; row < 1000; ++row) zero_padded.append(57, static_cast<char>(row)).append(4, '\0');
  expect_round_trip(zero_padded, options);
}

TEST(TableRoundTrip, WideRecordsMakeShorterSegments) {
  TableOptions options;
  options.source = TableSource::records;
  options.schema = {{"a", DType::i8, 0}};
  options.padding_bytes = 1u << 20;
  const std::string table = compressed(std::string(100 * ((std::size_t{1} << 20) + 1), '\1'), options);
  const ReadAt read_at = [&table](std::uint64_t offset, std::span<std::byte> to) {
    std::memcpy(to.data(), table.data() + offset, to.size());
    return Status{};
  };
  TableReader reader = TableReader::open(read_at, table.size()).value();
  ASSERT_EQ(reader.info().segment_count, 2u);
  EXPECT_EQ(reader.segment(0)->row_count, 63u);  // no more than 64 MiB
  EXPECT_EQ(reader.segment(1)->row_count, 37u);
}

TEST(TableRoundTrip, ColumnsInMemory) {
  std::vector<std::int64_t> times(5000);
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = static_cast<std::int64_t>(1000 * i);
    values[i] = static_cast<double>(i) / 7;
  }
  values[17] = -0.0;
  TableOptions options;
  options.source = TableSource::columns;
  options.schema = {{"t", DType::time, 0}, {"v", DType::f64, 3}};
  options.segment_rows = 2000;
  std::string table;
  Result<TableCompressor> compressor = TableCompressor::create(
      [&table](std::span<const std::byte> bytes) {
        table.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return Status{};
      },
      options);
  ASSERT_TRUE(compressor);
  const std::array<const void*, 2> columns = {times.data(), values.data()};
  ASSERT_TRUE(compressor->write_columns(columns, times.size()).ok());
  EXPECT_FALSE(compressor->write(std::as_bytes(std::span(times))).ok());
  ASSERT_TRUE(compressor->finish().ok());
  std::string records;
  ASSERT_TRUE(decompress(table, records).ok());
  ASSERT_EQ(records.size(), 16 * times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(std::memcmp(records.data() + 16 * i, &times[i], 8), 0);
    EXPECT_EQ(std::memcmp(records.data() + 16 * i + 8, &values[i], 8), 0);
  }
}

TEST(TableRoundTrip, ManyShortSegmentsWithMoreThreadsThanThereAreCpus) {
  // One segment follows the other so fast that threads come at every moment of its life: while it is looked
  // at, coded, and gone already.
  std::vector<std::int64_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const auto table_of = [&values](std::size_t columns, std::uint32_t threads) {
    TableOptions options;
    options.source = TableSource::columns;
    for (std::size_t i = 0; i < columns; ++i) options.schema.push_back({std::to_string(i), DType::i64});
    options.segment_rows = 1;
    options.threads = threads;
    std::string table;
    auto compressor = TableCompressor::create(
        [&table](std::span<const std::byte> bytes) {
          table.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return Status{};
        },
        std::move(options));
    const std::vector<const void*> addresses(columns, values.data());
    EXPECT_TRUE(compressor->write_columns(addresses, values.size() / columns).ok());
    EXPECT_TRUE(compressor->finish().ok());
    return table;
  };
  for (const std::size_t columns : {1U, 3U}) {
    const std::string alone = table_of(columns, 1);
    for (int round = 0; round < (columns == 1 ? 5 : 2); ++round) {
      for (const std::uint32_t threads : {3U, 8U}) EXPECT_TRUE(table_of(columns, threads) == alone);
    }
  }
}

TEST(TableRoundTrip, SenselessOptionsAreRefused) {
  const auto refused = [](const auto& change) {
    TableOptions options;
    change(options);
    return !TableCompressor::create([](auto) { return Status{}; }, options);
  };
  EXPECT_TRUE(refused([](TableOptions& o) { o.segment_rows = 0; }));
  EXPECT_TRUE(refused([](TableOptions& o) { o.source = TableSource::records; }));
  EXPECT_TRUE(refused([](TableOptions& o) { o.separator = '"'; }));
  EXPECT_TRUE(refused([](TableOptions& o) { o.padding_bytes = 4; }));
  EXPECT_TRUE(refused([](TableOptions& o) {
    o.source = TableSource::records;
    o.schema = {{"a", DType::text, 0}};
  }));
}

TEST(TableRoundTrip, ASchemaThatFitsNoLineIsRefused) {
  TableOptions options;
  options.schema = {{"a", DType::i32, 0}, {"b", DType::i32, 0}};
  Result<TableCompressor> compressor = TableCompressor::create([](auto) { return Status{}; }, options);
  ASSERT_TRUE(compressor);
  const std::string text = "1,2,3\n4,5,6\n";
  ASSERT_TRUE(compressor->write(std::as_bytes(std::span(text))).ok());
  EXPECT_EQ(compressor->finish().code, ErrorCode::invalid_argument);
}

TEST(TableTrees, AreUsedWhereTheyAreGiven) {
  TableOptions options;
  options.trees = {{"", 0, "bitpack"}, {"PATTERN_B_INT", 0, "delta,bitpack"}, {"1", 0, "delta(2),entropy"}};
  std::vector<PlannedSegment> segments;
  options.on_segment = [&segments](const PlannedSegment& segment) { segments.push_back(segment); };
  options.segment_rows = 1500;
  options.explained_segments = 1;
  const std::string text = generated(4000);
  expect_round_trip(text, options);
  segments.clear();
  const std::string table = compressed(text, options);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].stored.columns[0].trees, std::vector<std::string>{"delta(2),entropy"});
  EXPECT_EQ(segments[0].stored.columns[1].trees, std::vector<std::string>{"bitpack"});
  EXPECT_EQ(segments[2].stored.columns[2].trees, std::vector<std::string>{"delta,bitpack"});
  EXPECT_EQ(segments[2].stored.first_row, 3000U);
  std::uint64_t stored_bytes = 0, source_bytes = 0;
  for (const PlannedSegment& segment : segments) {
    stored_bytes += segment.stored.stored_bytes;
    source_bytes += segment.source_bytes;
  }
  EXPECT_LT(stored_bytes, table.size());
  EXPECT_EQ(source_bytes, text.size() - text.find('\n') - 1);
  const PlannedStream& explained = segments[0].columns[2].streams[0];
  ASSERT_EQ(explained.nodes.size(), 2U);
  EXPECT_EQ(explained.nodes[1].role, "differences");
  EXPECT_EQ(explained.nodes[1].word_count, 1499U);
  EXPECT_GE(explained.candidates.size(), 2U);
  EXPECT_TRUE(segments[1].columns[2].streams[0].candidates.empty());
}

TEST(TableTrees, ThatDoNotFitEndTheCompression) {
  const auto outcome = [](const GivenTree& tree, std::vector<UnfitTree>& unfit) {
    TableOptions options;
    options.trees = {tree};
    options.on_unfit_tree = [&unfit](const UnfitTree& found) { unfit.push_back(found); };
    Result<TableCompressor> compressor = TableCompressor::create([](auto) { return Status{}; }, options);
    if (!compressor) return compressor.status();
    const std::string text = "a,b\n1,x\n2,y\n";
    EXPECT_TRUE(compressor->write(std::as_bytes(std::span(text))).ok());
    return compressor->finish();
  };
  std::vector<UnfitTree> unfit;
  EXPECT_EQ(outcome({"a", 0, "delta,sortable,bitpack"}, unfit).byte_offset, 6U);  // no words at all
  EXPECT_TRUE(unfit.empty());
  for (const GivenTree& tree :
       {GivenTree{"a", 0, "sortable,bitpack"}, GivenTree{"c", 0, "bitpack"}, GivenTree{"3", 0, "bitpack"},
        GivenTree{"a", 4, "bitpack"}, GivenTree{"", 0, "sortable,bitpack"}}) {
    unfit.clear();
    EXPECT_EQ(outcome(tree, unfit).code, ErrorCode::invalid_argument);
    ASSERT_EQ(unfit.size(), 1U) << tree.column << " " << tree.tree;
    EXPECT_EQ(unfit[0].index, 0U);
    EXPECT_STRNE(unfit[0].reason.detail, "");
  }
  EXPECT_TRUE(outcome({"2", 2, "rle,bitpack,bitpack"}, unfit).ok());
}

TEST(TableDamage, EveryChangedBitAndEveryCutIsAnError) {
  TableOptions options;
  options.segment_rows = 3;
  const std::string table = compressed("a,b,c\n1,2.5,x\nNA,3.5,y\n\n3,4.5,x\n4,1e5,\"\"\n5,2,x\n", options);
  std::string text;
  ASSERT_TRUE(decompress(table, text).ok());
  for (std::size_t bit = 0; bit < 8 * table.size(); ++bit) {
    std::string damaged = table;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decompress(damaged, text).ok()) << bit;
  }
  for (std::size_t size = 0; size < table.size(); ++size)
    EXPECT_FALSE(decompress(table.substr(0, size), text).ok()) << size;
  EXPECT_FALSE(decompress(table + "x", text).ok());
}

TEST(TableDamage, MemoryIsBounded) {
  const std::string table = compressed(generated(20000));
  std::string text;
  DecodeOptions options;
  options.memory_limit_bytes = 100000;
  EXPECT_EQ(decompress(table, text, options).code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace floe::tables
