// Tests of what a compact frame says of its table: it comes back, and the limits are exact.
#include <gtest/gtest.h>

#include <array>

#include "container/compact_frame.hpp"
#include "pipeline/compact/compact_table.hpp"

namespace floe::pipeline {
namespace {

using container::CellKind;
using container::ColumnEntry;
using container::StreamEntry;

constexpr std::uint64_t all_memory = ~std::uint64_t{0};
constexpr std::uint32_t row_count = 300;

/// Of CSV text, with such columns.
CompactTable table_of(std::vector<ColumnEntry> columns, Schema schema) {
  CompactTable table;
  table.header.content = Content::table;
  table.header.max_segment_length = container::max_segment_rows;
  table.header.table.separator = ',';
  table.header.table.schema = std::move(schema);
  table.has_quotes.assign(columns.size(), false);
  table.segment.count = row_count;
  table.segment.columns = std::move(columns);
  return table;
}

ColumnEntry column_of(CellKind kind, std::vector<StreamEntry> streams) {
  ColumnEntry column;
  column.format.kind = kind;
  column.streams = std::move(streams);
  return column;
}

CompactTable again(const CompactTable& table) {
  core::ByteWriter out;
  put_description(out, table);
  core::ByteReader in(out.bytes());
  Result<CompactTable> read = get_description(in, all_memory);
  EXPECT_TRUE(read) << read.status().message();
  EXPECT_EQ(in.remaining(), 0u);
  return read ? *read : CompactTable{};
}

TEST(CompactDescription, HasAWidthForEachStream) {
  constexpr std::array types{DType::u8, DType::u16, DType::u32, DType::u64};
  for (const DType lengths : types) {
    for (const DType codes : types) {
      const std::vector<StreamEntry> streams{
          {lengths, 20, 0, 0}, {DType::u8, 90, 0, 0}, {codes, row_count, 0, 0}};
      const CompactTable read =
          again(table_of({column_of(CellKind::words, streams)}, {{"", DType::text, 0}}));
      ASSERT_EQ(read.segment.columns.size(), 1u);
      ASSERT_EQ(read.segment.columns[0].streams.size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(read.segment.columns[0].streams[i].type, streams[i].type) << i;
        EXPECT_EQ(read.segment.columns[0].streams[i].count, streams[i].count) << i;
      }
    }
  }
}

// Types and decimals follow from the cells, or are listed if either is another one.
TEST(CompactDescription, HasTypesAndDecimalsOfASchema) {
  ColumnEntry column = column_of(CellKind::decimal, {{DType::i32, row_count, 0, 0}});
  column.format.decimals = 2;
  core::ByteWriter inferred;
  put_description(inferred, table_of({column}, {{"", DType::f64, 2}}));
  for (const Column& wanted : {Column{"", DType::f64, 2}, {"", DType::f64, 3}, {"", DType::f32, 2}}) {
    const CompactTable table = table_of({column}, {wanted});
    EXPECT_EQ(again(table).header.table.schema, table.header.table.schema);
    core::ByteWriter out;
    put_description(out, table);
    const bool is_inferred = wanted == Column{"", DType::f64, 2};
    EXPECT_EQ(out.size(), inferred.size() + (is_inferred ? 0 : 2));
  }
}

TEST(CompactDescription, HasRoomForLessThanHalfOfTheWords) {
  constexpr std::uint32_t too_many = max_compact_words_bytes / 2;
  const auto fits = [](std::uint32_t bytes, std::size_t prefix_bytes) {
    CompactTable table =
        table_of({column_of(CellKind::text, {{DType::u16, 100, 0, 0}, {DType::u8, bytes, 0, 0}})},
                 {{"", DType::text, 0}});
    table.header.prefix.resize(prefix_bytes);
    return can_be_compact(table);
  };
  EXPECT_TRUE(fits(too_many - 200 - 1, 0));
  EXPECT_FALSE(fits(too_many - 200, 0));
  EXPECT_TRUE(fits(too_many - 200 - 31, 30));
  EXPECT_FALSE(fits(too_many - 200 - 30, 30));
}

/// A frame of six texts of nine bytes, whose words, after a description of nine, are one part of 24.
std::vector<std::uint8_t> frame_of_texts() {
  CompactTable table = table_of({column_of(CellKind::text, {{DType::u8, 6, 0, 0}, {DType::u8, 9, 0, 0}})},
                                {{"", DType::text, 0}});
  table.segment.count = 6;
  core::ByteWriter words, body;
  put_description(words, table);
  EXPECT_EQ(words.size(), 9u);
  for (const char byte : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'})
    words.put_byte(static_cast<std::uint8_t>(byte));
  words.put_bytes(std::array<std::uint8_t, 6>{1, 2, 1, 2, 1, 2});
  body.put_varint(1U << static_cast<unsigned>(DType::u8));
  body.put_varint(words.size());
  body.put_varint(words.size() + 3);
  body.put_bytes(std::array<std::uint8_t, 3>{1, 0, 0});  // one part, with a plan of its own: raw
  body.put_bytes(words.bytes());
  return container::write_compact_frame(body.bytes());
}

// A part of 24 words takes 26 bytes: 6 words of it take 6.5, which become 7, and 9 take 9.75.
TEST(CompactShare, IsThatOfItsWords) {
  const std::vector<std::uint8_t> frame = frame_of_texts();
  const Result<ExpandedFrame> expanded = expand_compact(frame, all_memory);
  ASSERT_TRUE(expanded) << expanded.status().message();
  ASSERT_EQ(expanded->shares.size(), 2u);
  EXPECT_EQ(expanded->shares[0].tree, "raw");
  EXPECT_EQ(expanded->shares[0].stored_bytes, 7u);
  EXPECT_EQ(expanded->shares[1].tree, "raw");
  EXPECT_EQ(expanded->shares[1].stored_bytes, 10u);
}

}  // namespace
}  // namespace floe::pipeline
