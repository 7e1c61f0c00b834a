// Which cells, rows and records of a damaged table come back?
#include <gtest/gtest.h>

#include "container/frame_writer.hpp"
#include "container/layout.hpp"
#include "tests/recovery/recovered.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

Options options_of_one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

const std::string csv = "a,b,c\n1,x,1.5\n2,y,2.5\n3,z,3.5\n4,x,4.5\n5,y,5.5\n6,z,6.5\n";

Bytes csv_frame() {
  TableOptions table;
  table.segment_rows = 2;
  return table_of(csv, table, options_of_one_thread());
}

std::uint64_t stream_of(const Bytes& frame, std::uint64_t segment, std::size_t stream) {
  const Reader reader = Reader::open(view_of(frame)).value();
  const std::uint64_t offset = reader.segment(segment).value().offset;
  const std::uint64_t header_bytes = core::load<std::uint32_t>(frame.data() + offset + 4);
  std::uint64_t at = offset + header_bytes, entry = offset + container::fixed_segment_bytes;
  for (std::size_t i = 0;; ++i) {
    entry += i == 0 || i == 1 || i == 4 ? container::column_entry_bytes : 0;  // one, three and one streams
    if (i == stream) return at;
    at += container::padded(
        core::load<std::uint64_t>(frame.data() + entry + container::stream_at::stored_bytes));
    entry += container::stream_entry_bytes;
  }
}

TEST(TableRecovery, LeavesCellsOfADamagedColumnEmpty) {
  Bytes frame = csv_frame();
  frame[stream_of(frame, 1, 0)] ^= 1;
  const Recovered result = recover(frame);
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(text_of(result.content), "a,b,c\n1,x,1.5\n2,y,2.5\n,z,3.5\n,x,4.5\n5,y,5.5\n6,z,6.5\n");
  ASSERT_EQ(result.map.lost.size(), 1u);
  EXPECT_EQ(result.map.lost[0].what, Loss::cells);
  EXPECT_EQ(result.map.lost[0].column, 0u);
  EXPECT_EQ(result.map.lost[0].first, 2u);
  EXPECT_EQ(result.map.lost[0].count, 2u);
  EXPECT_EQ(result.map.recovered, 6u);
}

TEST(TableRecovery, LeavesOutRowsOfALostSegment) {
  const Bytes intact = csv_frame();
  const Reader reader = Reader::open(view_of(intact)).value();
  Bytes frame = intact;
  frame[reader.segment(1).value().offset + 20] ^= 1;
  const Recovered result = recover(frame);
  EXPECT_EQ(text_of(result.content), "a,b,c\n1,x,1.5\n2,y,2.5\n5,y,5.5\n6,z,6.5\n");
  ASSERT_EQ(result.map.lost.size(), 1u);
  EXPECT_EQ(result.map.lost[0].what, Loss::rows);
  EXPECT_EQ(result.map.missing_segments, 1u);
  EXPECT_EQ(result.map.recovered, 4u);
}

TEST(TableRecovery, PrintsWithAGuessedHeader) {
  Bytes frame = csv_frame();
  std::fill_n(frame.begin(), 40, std::uint8_t{0});
  RecoveryOptions options;
  options.separator = ';';
  const Recovered result = recover(frame, options);
  EXPECT_EQ(text_of(result.content), "1;x;1.5\n2;y;2.5\n3;z;3.5\n4;x;4.5\n5;y;5.5\n6;z;6.5\n");
  EXPECT_EQ(result.header, HeaderSource::guessed);
}

Bytes frame_of_records(const Bytes& records) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{"i", DType::i32, 0}, {"x", DType::f64, 2}};
  table.padding_bytes = 4;
  table.segment_rows = 100;
  return table_of(text_of(records), table, options_of_one_thread());
}

TEST(TableRecovery, KeepsRecordsWhereTheyWere) {
  const Bytes records = make_bytes(16, 5, 400 * 16, 2);
  const Bytes intact = frame_of_records(records);
  const Reader reader = Reader::open(view_of(intact)).value();
  Bytes frame = intact;
  frame[reader.segment(2).value().offset + 24] ^= 1;
  const Recovered result = recover(frame);
  ASSERT_EQ(result.content.size(), records.size());
  for (std::size_t at = 0; at < records.size(); ++at)
    ASSERT_EQ(result.content[at], at / 1600 == 2 ? 0 : records[at]) << at;
}

TEST(TableRecovery, LosesThePaddingOfRecordsAlone) {
  const Bytes records = make_bytes(16, 5, 400 * 16, 2);
  Bytes frame = frame_of_records(records);
  frame[stream_of(frame, 2, 0)] ^= 1;
  const Recovered result = recover(frame);
  ASSERT_EQ(result.content.size(), records.size());
  for (std::size_t at = 0; at < records.size(); ++at) {
    const bool is_lost = at / 1600 == 2 && at % 16 >= 12;
    ASSERT_EQ(result.content[at], is_lost ? 0 : records[at]) << at;
  }
  ASSERT_EQ(result.map.lost.size(), 1u);
  EXPECT_EQ(result.map.lost[0].what, Loss::padding);
  EXPECT_EQ(result.map.lost[0].first, 200u);
  EXPECT_EQ(result.map.lost[0].count, 100u);
  EXPECT_EQ(result.map.recovered, 400u);
}

/// All that is lost are 2048 cells of a column.
void expect_lost_chunk(const RecoveryMap& map, std::uint32_t column, std::uint64_t first) {
  ASSERT_EQ(map.lost.size(), 1u);
  const LostRange& lost = map.lost[0];
  EXPECT_EQ(lost.what, Loss::cells);
  EXPECT_EQ(lost.column, column);
  EXPECT_EQ(lost.first, first);
  EXPECT_EQ(lost.count, 2048u);
}

TEST(TableRecovery, LosesTheCellsOfADamagedChunkAlone) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{"x", DType::f64}};
  table.trees = {{"", 0, "dpspeed"}};
  const Bytes records = make_bytes(64, 5, 5000 * 8, 3);
  Bytes frame = table_of(text_of(records), table, options_of_one_thread());
  const std::uint64_t begin = stream_of(frame, 0, 0);
  frame[begin + (frame.size() - begin) / 2] ^= 1;
  const Recovered result = recover(frame);
  ASSERT_TRUE(result.status.ok());
  ASSERT_NO_FATAL_FAILURE(expect_lost_chunk(result.map, 0u, 2048u));
  ASSERT_EQ(result.content.size(), records.size());
  for (std::size_t at = 0; at < records.size(); ++at)
    ASSERT_EQ(result.content[at], at / 16384 == 1 ? 0 : records[at]) << at;
}

/// The frame of a table of one segment and two columns, the second of which are differences from the first
/// one.
Bytes with_base_column(const Bytes& frame) {
  struct ToBytes final : container::FrameSink {
    Bytes bytes;
    Status put(std::span<const std::uint8_t> more) override {
      bytes.insert(bytes.end(), more.begin(), more.end());
      return {};
    }
  } made;
  const Reader reader = Reader::open(view_of(frame)).value();
  const std::uint64_t offset = reader.segment(0).value().offset;
  const container::Header header = container::parse_header(std::span(frame).first(offset)).value();
  const auto bytes = std::span(frame).subspan(offset);
  const std::uint32_t header_bytes = core::load<std::uint32_t>(bytes.data() + 4),
                      header_crc = container::crc_of_part(std::span(frame).first(offset));
  auto segment =
      container::parse_segment_header(bytes.first(header_bytes), header, header_crc, offset).value();
  std::vector<std::span<const std::uint8_t>> streams;
  std::uint64_t at = header_bytes;
  segment.for_each_stream([&](const container::StreamEntry& entry) {
    streams.push_back(bytes.subspan(at, entry.stored_bytes));
    at += container::padded(entry.stored_bytes);
  });
  segment.columns[1].base = container::BaseColumn{0, 1, 1};
  container::FrameWriter writer(made);
  EXPECT_TRUE(writer.begin(header).ok() && writer.segment(segment, streams).ok() &&
              writer.finish(segment.count).ok());
  return made.bytes;
}

/// What is lost of differences is zero, and not the number of the base column.
TEST(TableRecovery, LosesTheDifferencesOfADamagedChunkAlone) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{"x", DType::i64}, {"y", DType::i64}};
  table.trees = {{"x", 0, "raw"}, {"y", 0, "dpspeed"}};
  Bytes stored(10'000 * 16), records(stored.size());
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t x = core::splitmix(i), difference = core::splitmix(i + 1) % 1000;
    const std::uint64_t as_stored[] = {x, difference}, numbers[] = {x, x + difference};
    std::memcpy(stored.data() + i * 16, as_stored, 16);
    std::memcpy(records.data() + i * 16, numbers, 16);
  }
  const Bytes without_base = table_of(text_of(stored), table, options_of_one_thread());
  Bytes frame = with_base_column(without_base);
  EXPECT_TRUE(recover(frame).content == records);
  ASSERT_TRUE(decode_memory(frame).content == records);
  const std::uint64_t bytes_of_last_stream =
      without_base.size() - container::footer_bytes(1) - stream_of(without_base, 0, 1);
  frame[frame.size() - container::footer_bytes(1) - bytes_of_last_stream / 2] ^= 1;
  const Recovered result = recover(frame);
  ASSERT_TRUE(result.status.ok());
  ASSERT_NO_FATAL_FAILURE(expect_lost_chunk(result.map, 1u, 4096u));
  ASSERT_EQ(result.content.size(), records.size());
  for (std::size_t at = 0; at < records.size(); ++at) {
    const bool is_lost = at / 16 >= 4096 && at / 16 < 6144 && at % 16 >= 8;
    ASSERT_EQ(result.content[at], is_lost ? 0 : records[at]) << at;
  }
}

}  // namespace
}  // namespace floe::test
