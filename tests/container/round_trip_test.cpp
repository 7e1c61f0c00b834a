// Are headers, segment headers and footers read as they were written?
#include <gtest/gtest.h>

#include "container/fields.hpp"
#include "container/parts.hpp"
#include "core/type.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using namespace container;

Bytes random_bytes(std::size_t max_size, Random& random) {
  return make_bytes(8, 8, random.below(max_size + 1), random.next());
}

Header random_array_header(Random& random) {
  Header header;
  header.dtype = all_dtypes[random.below(all_dtypes.size())];
  header.rank = static_cast<std::uint32_t>(random.below(max_rank + 1));
  for (std::uint32_t d = 1; d < header.rank; ++d)
    header.inner_extent[d - 1] = random.next() >> random.below(64);
  header.checksums = random.below(2) == 0;
  header.max_segment_length = 1 + random.below(max_segment_bytes / size_of(header.dtype));
  header.prefix = random_bytes(random.below(3) == 0 ? 0 : 300, random);
  return header;
}

Header random_table_header(Random& random) {
  Header header;
  header.content = floe::Content::table;
  header.dtype = DType{0};
  header.checksums = random.below(2) == 0;
  header.max_segment_length = 1 + random.below(max_segment_rows);
  header.table.source = static_cast<TableSource>(random.below(3));
  const bool is_csv = header.table.source == TableSource::csv;
  header.table.separator = is_csv ? ",;\t|"[random.below(4)] : '\0';
  header.table.crlf = is_csv && random.below(2) == 0;
  header.table.keeps_text = is_csv && random.below(2) == 0;
  header.table.padding_bytes =
      header.table.source == TableSource::records ? static_cast<std::uint32_t>(random.below(100)) : 0;
  if (is_csv) header.prefix = random_bytes(random.below(2) == 0 ? 0 : 300, random);
  for (std::uint64_t column = 0; column <= random.below(20); ++column) {
    constexpr std::array csv_types = {DType::f64,  DType::f32, DType::i64,
                                      DType::time, DType::u16, DType::boolean};
    const DType type = is_csv ? random.below(3) == 0 ? DType::text : csv_types[random.below(csv_types.size())]
                              : all_dtypes[random.below(all_dtypes.size())];
    const Bytes name = random_bytes(40, random);
    header.table.schema.push_back(
        {{name.begin(), name.end()}, type, static_cast<std::uint8_t>(random.below(41))});
  }
  return header;
}

void expect_equal(const Header& a, const Header& b) {
  EXPECT_EQ(a.content, b.content);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.inner_extent, b.inner_extent);
  EXPECT_EQ(a.checksums, b.checksums);
  EXPECT_EQ(a.max_segment_length, b.max_segment_length);
  EXPECT_EQ(a.prefix, b.prefix);
  EXPECT_EQ(a.table.source, b.table.source);
  EXPECT_EQ(a.table.separator, b.table.separator);
  EXPECT_EQ(a.table.crlf, b.table.crlf);
  EXPECT_EQ(a.table.keeps_text, b.table.keeps_text);
  EXPECT_EQ(a.table.padding_bytes, b.table.padding_bytes);
  EXPECT_EQ(a.table.schema, b.table.schema);
}

void expect_round_trip(const Header& header) {
  const Bytes bytes = write_header(header);
  EXPECT_EQ(bytes.size() % alignment, 0u);
  if (header.content == Content::array) {
    EXPECT_EQ(bytes.size(), array_header_bytes(header));
  }
  const auto length = header_length(std::span(bytes).first(fixed_header_bytes));
  ASSERT_TRUE(length) << length.status().message();
  ASSERT_EQ(*length, bytes.size());
  const auto parsed = parse_header(bytes);
  ASSERT_TRUE(parsed) << parsed.status().message();
  expect_equal(*parsed, header);
  EXPECT_EQ(write_header(*parsed), bytes);
}

TEST(HeaderRoundTrip, OfArrays) {
  Random random(1);
  for (unsigned round = 0; round < 3000 && !testing::Test::HasFatalFailure(); ++round)
    expect_round_trip(random_array_header(random));
}

TEST(HeaderRoundTrip, OfTables) {
  Random random(2);
  for (unsigned round = 0; round < 3000 && !testing::Test::HasFatalFailure(); ++round)
    expect_round_trip(random_table_header(random));
}

TEST(HeaderRoundTrip, EveryLengthOfThePrefix) {
  Random random(3);
  for (std::size_t prefix = 0; prefix < 100 && !testing::Test::HasFatalFailure(); ++prefix) {
    Header header = random_array_header(random);
    header.prefix.assign(prefix, 1);
    expect_round_trip(header);
  }
  Header header = random_array_header(random);
  header.prefix.assign(max_prefix_bytes, 9);
  expect_round_trip(header);
  header.prefix.push_back(9);
  EXPECT_EQ(parse_header(write_header(header)).status().code, ErrorCode::corrupt_frame);
}

TEST(HeaderRoundTrip, SmallestHeader) {
  EXPECT_EQ(write_header({}).size(), min_header_bytes);
  expect_round_trip({});
}

CellFormat random_format(bool is_csv, Random& random) {
  CellFormat format;
  if (!is_csv) return format;
  format.kind = static_cast<CellKind>(1 + random.below(last_cell_kind));
  format.is_quoted = has_numbers(format.kind) && random.below(3) == 0;
  format.has_exceptions = has_numbers(format.kind) && random.below(2) == 0;
  if (format.has_exceptions)
    format.listed_exceptions = static_cast<std::uint8_t>(random.below(max_listed_exceptions + 1));
  const bool is_decimal = format.kind == CellKind::decimal || format.kind == CellKind::free_decimal;
  format.omits_zero = is_decimal && random.below(2) == 0;
  if (format.kind == CellKind::decimal) {
    format.decimals = static_cast<std::uint8_t>(random.below(max_decimals + 1));
    format.min_decimals = static_cast<std::uint8_t>(random.below(format.decimals + 1u));
    format.scale = static_cast<std::uint8_t>(random.below(format.decimals + 1u));
  }
  if (format.kind == CellKind::f32 || format.kind == CellKind::f64)
    format.floats = {FloatStyle::fixed, static_cast<std::uint8_t>(random.below(max_float_digits + 1))};
  if (format.kind == CellKind::time) {
    format.times = {TimeLayout::seconds, '/', ' ', static_cast<std::uint8_t>(random.below(10)), 66,
                    random.below(2) == 0};
  }
  return format;
}

/// Streams of types and lengths that go with a format.
std::vector<StreamEntry> streams_of(const CellFormat& format, DType type, std::uint32_t rows,
                                    Random& random) {
  std::vector<StreamEntry> streams;
  const auto add = [&](DType words, std::uint64_t count) {
    streams.push_back({words, static_cast<std::uint32_t>(count), count == 0 ? 0 : 1 + random.below(100'000),
                       random.next()});
  };
  switch (format.kind) {
    case CellKind::native:
      add(word_type(type), rows);
      break;
    case CellKind::decimal:
    case CellKind::time:
      add(DType::i32, rows);
      break;
    case CellKind::free_decimal:
      add(DType::i64, rows);
      add(DType::u8, rows);
      break;
    case CellKind::f32:
    case CellKind::f64:
      add(format.kind == CellKind::f32 ? DType::f32 : DType::f64, rows);
      break;
    case CellKind::words:
      add(DType::u8, random.below(rows + 1));
      add(DType::u8, random.below(1000));
      add(DType::u16, rows);
      break;
    case CellKind::text:
      add(DType::u32, rows);
      add(DType::u8, random.below(1000));
      break;
  }
  if (format.has_exceptions) {
    add(DType::u8, rows);
    add(DType::u16, random.below(rows + 1));
    add(DType::u8, random.below(1000));
  }
  return streams;
}

/// Of numbers of the kind that a stream of this type has in cells of this kind.
ValueRange random_range(DType words, CellKind kind, Random& random) {
  const RangeKind range = kind == CellKind::free_decimal ? RangeKind::floating : range_kind_of(words);
  const std::uint64_t min = random.below(1000);
  if (range != RangeKind::floating) return {range, min, min + random.below(2) * (random.next() >> 2)};
  const double smallest = -1e300 * random.unit();
  return {range, std::bit_cast<std::uint64_t>(smallest), std::bit_cast<std::uint64_t>(random.unit())};
}

SegmentHeader random_segment(const Header& header, Random& random) {
  SegmentHeader segment;
  segment.index = random.below(1000);
  segment.first = random.next() >> random.below(64);
  const bool is_table = header.content == floe::Content::table;
  segment.count = static_cast<std::uint32_t>(
      1 + random.below(std::min<std::uint64_t>(header.max_segment_length, 1u << 20)));
  const bool is_csv = is_table && header.table.source == TableSource::csv;
  segment.lacks_last_line_end = is_csv && random.below(2) == 0;
  if (is_csv && random.below(2) == 0) {
    const auto rows = static_cast<std::uint32_t>(1 + random.below(5));
    segment.malformed = {
        {DType::u32, rows, 10, random.next()}, {DType::u32, rows, 9, 1}, {DType::u8, 77, 50, random.next()}};
  }
  if (is_table && header.table.padding_bytes != 0 && random.below(2) == 0)
    segment.padding = {{DType::u8, segment.count * header.table.padding_bytes, 7, random.next()}};
  for (std::size_t i = 0; i < header.column_count(); ++i) {
    ColumnEntry column;
    column.format = random_format(is_csv, random);
    column.streams = streams_of(column.format, is_table ? header.table.schema[i].type : header.dtype,
                                segment.count, random);
    if (column.format.kind < CellKind::words && random.below(2) == 0)
      column.range = random_range(column.streams[0].type, column.format.kind, random);
    segment.columns.push_back(std::move(column));
  }
  return segment;
}

void expect_equal(const std::vector<StreamEntry>& a, const std::vector<StreamEntry>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].type, b[i].type);
    EXPECT_EQ(a[i].count, b[i].count);
    EXPECT_EQ(a[i].stored_bytes, b[i].stored_bytes);
    EXPECT_EQ(a[i].digest, b[i].digest);
  }
}

TEST(SegmentHeaderRoundTrip, OfArraysAndTables) {
  Random random(4);
  for (unsigned round = 0; round < 2000 && !testing::Test::HasFatalFailure(); ++round) {
    const Header header = round % 2 == 0 ? random_array_header(random) : random_table_header(random);
    const SegmentHeader segment = random_segment(header, random);
    const Bytes bytes = write_segment_header(segment, 0xABCDEF);
    const auto length = segment_header_length(std::span(bytes).first(8), 0);
    ASSERT_TRUE(length) << length.status().message();
    ASSERT_EQ(*length, bytes.size());
    const auto parsed = parse_segment_header(bytes, header, 0xABCDEF, 0);
    ASSERT_TRUE(parsed) << parsed.status().message();
    EXPECT_EQ(parsed->index, segment.index);
    EXPECT_EQ(parsed->first, segment.first);
    EXPECT_EQ(parsed->count, segment.count);
    EXPECT_EQ(parsed->lacks_last_line_end, segment.lacks_last_line_end);
    EXPECT_EQ(parsed->payload_bytes(), segment.payload_bytes());
    expect_equal(parsed->malformed, segment.malformed);
    expect_equal(parsed->padding, segment.padding);
    ASSERT_EQ(parsed->columns.size(), segment.columns.size());
    for (std::size_t i = 0; i < segment.columns.size(); ++i) {
      EXPECT_EQ(parsed->columns[i].format, segment.columns[i].format);
      EXPECT_EQ(parsed->columns[i].range, segment.columns[i].range);
      expect_equal(parsed->columns[i].streams, segment.columns[i].streams);
    }
    EXPECT_EQ(parse_segment_header(bytes, header, 0xABCDEE, 1000).status().byte_offset,
              1000 + segment_at::header_crc);
  }
}

TEST(SegmentHeaderRoundTrip, OfAnArrayHasTheLengthThatWritersCountOn) {
  SegmentHeader segment;
  segment.count = 1;
  segment.columns.push_back({{}, {}, {{DType::f32, 1, 100, 5}}});
  EXPECT_EQ(write_segment_header(segment, 1).size(), array_segment_header_bytes);
}

TEST(FooterRoundTrip, AllRanksAndCounts) {
  Random random(6);
  for (unsigned round = 0; round < 500; ++round) {
    Header header;
    header.dtype = all_dtypes[random.below(all_dtypes.size())];
    header.rank = static_cast<std::uint32_t>(random.below(max_rank + 1));
    header.max_segment_length = 1 + random.below(1000);
    Footer footer;
    footer.outer_size = header.rank == 0 ? 1 : random.below(50'000);
    footer.element_count = footer.outer_size;
    for (std::uint32_t d = 1; d < header.rank; ++d) {
      header.inner_extent[d - 1] = random.below(4) + (round % 5 == 0 ? 0 : 1);
      footer.element_count *= header.inner_extent[d - 1];
    }
    footer.digest = random.next();
    std::uint64_t offset = min_header_bytes;
    for (std::uint64_t first = 0; first < footer.element_count; first += header.max_segment_length) {
      footer.segments.push_back({offset, first});
      offset += 64 + 16 * random.below(100);
    }
    const Bytes bytes = write_footer(footer, 77);
    ASSERT_EQ(bytes.size(), footer_bytes(footer.segments.size()));
    const auto length = footer_length(std::span(bytes).last(footer_end_bytes), offset + bytes.size());
    ASSERT_TRUE(length) << length.status().message();
    ASSERT_EQ(*length, bytes.size());
    const auto from_start = footer_length_from_start(bytes, offset, footer.segments.size());
    ASSERT_TRUE(from_start);
    ASSERT_EQ(*from_start, bytes.size());
    const auto parsed = parse_footer(bytes, offset, header, 77);
    ASSERT_TRUE(parsed) << parsed.status().message();
    EXPECT_EQ(parsed->outer_size, footer.outer_size);
    EXPECT_EQ(parsed->element_count, footer.element_count);
    EXPECT_EQ(parsed->digest, footer.digest);
    EXPECT_EQ(parsed->segments, footer.segments);
    EXPECT_EQ(extent_of(header, *parsed).element_count(), footer.element_count);
    EXPECT_EQ(parse_footer(bytes, offset, header, 78).status().byte_offset, offset + 8);
  }
}

}  // namespace
}  // namespace floe::test
