// Are small frames that claim to be huge refused before anything is allocated for them?
#include <gtest/gtest.h>

#include "container/parts.hpp"
#include "core/splitmix.hpp"
#include "tests/memory/stream_frame.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::int64_t little = 256 << 10;

void expect_refused_cheaply(std::span<const std::uint8_t> frame, const char* claim) {
  Allocations::begin_peak();
  EXPECT_FALSE(Reader::open(view_of(frame))) << claim;
  EXPECT_FALSE(Reader::open(reader_of(frame), frame.size())) << claim;
  EXPECT_FALSE(decompress<float>(view_of(frame))) << claim;
  EXPECT_LE(Allocations::peak_bytes(), little) << claim;
  Allocations::begin_peak();
  StreamReader stream(ignore);
  const Status status = stream.write(view_of(frame));
  EXPECT_FALSE(status.ok() && stream.finish().ok()) << claim;
  EXPECT_LE(Allocations::peak_bytes(), little) << claim;
}

container::Header header_of(std::uint32_t rank = 1) {
  container::Header header;
  header.dtype = DType::f32;
  header.rank = rank;
  header.max_segment_length = container::max_segment_bytes / 4;
  return header;
}

Bytes frame_without_segments(const container::Header& header, const container::Footer& footer) {
  Bytes frame = container::write_header(header);
  const std::uint32_t crc = container::crc_of_part(frame);
  append(frame, view_of(container::write_footer(footer, crc)));
  return frame;
}

TEST(Bomb, ElementsWithoutSegments) {
  for (const std::uint64_t elements :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 61, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    container::Footer footer;
    footer.outer_size = footer.element_count = elements;
    expect_refused_cheaply(frame_without_segments(header_of(), footer), "elements");
  }
}

TEST(Bomb, ProductOfDimensions) {
  container::Header header = header_of(8);
  header.inner_extent.fill(std::uint64_t{1} << 32);
  container::Footer footer;
  footer.outer_size = std::uint64_t{1} << 32;
  for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    footer.element_count = elements;
    expect_refused_cheaply(frame_without_segments(header, footer), "dimensions");
  }
}

TEST(Bomb, NoElementsOfHugeDimensions) {  // not a bomb: the array is empty
  container::Header header = header_of(3);
  header.inner_extent = {~std::uint64_t{0}, ~std::uint64_t{0}};
  const Bytes frame = frame_without_segments(header, {});
  EXPECT_TRUE(decode_memory(frame).status.ok()) << decode_memory(frame).status.message();
  EXPECT_TRUE(decode_stream(frame).status.ok());
}

TEST(Bomb, SegmentsThatAreNotThere) {
  container::Footer footer;
  for (std::uint64_t i = 0; i < 4096; ++i)
    footer.segments.push_back({container::min_header_bytes + 16 * i, i << 28});
  footer.outer_size = footer.element_count = std::uint64_t{4096} << 28;  // segments of 1 GiB
  const Bytes frame = frame_without_segments(header_of(), footer);
  Allocations::begin_peak();
  EXPECT_EQ(Reader::open(view_of(frame)).status().code, ErrorCode::corrupt_frame);
  EXPECT_LE(Allocations::peak_bytes(), little + static_cast<std::int64_t>(frame.size()));
}

TEST(Bomb, LengthsOfHeaderFieldsAndFooter) {
  const Bytes frame = frame_of(make_bytes(32, 4, 4000, 1), DType::f32, {});
  for (const std::uint32_t length : {2u << 20, 1u << 30, ~0u}) {
    Bytes bomb = frame;
    core::store(bomb.data() + container::header_at::header_bytes, length);
    reseal(bomb);
    expect_refused_cheaply(bomb, "header bytes");
  }
  Options with_prefix;
  const Bytes prefix(8, 1);
  with_prefix.prefix = view_of(prefix);
  for (const std::uint32_t length : {100u, 1u << 20, 1u << 30, ~0u}) {
    Bytes bomb = frame_of(make_bytes(32, 4, 4000, 1), DType::f32, with_prefix);
    ASSERT_EQ(core::load<std::uint32_t>(bomb.data() + container::fixed_header_bytes + 4), 8u);
    core::store(bomb.data() + container::fixed_header_bytes + 4, length);
    reseal(bomb);
    expect_refused_cheaply(bomb, "length of the prefix");
  }
  for (const std::uint64_t length :
       {std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{1} << 63}) {
    Bytes bomb = frame;
    core::store(bomb.data() + bomb.size() - 16, length);
    expect_refused_cheaply(bomb, "footer bytes");
  }
}

/// The stream of a constant.
Bytes constant_stream() {
  Options options;
  options.tree = "constant";
  const Bytes frame = frame_of(Bytes(4096), DType::f32, options);
  const StoredSegment segment = Reader::open(view_of(frame))->segment(0).value();
  const std::uint64_t stored = segment.columns[0].stored_bytes;
  const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(segment.offset + segment.stored_bytes -
                                                                 container::padded(stored));
  return {begin, begin + static_cast<std::ptrdiff_t>(stored)};
}

// A gigabyte of one value in a few bytes is a valid frame.
TEST(Bomb, GigabyteOfAConstant) {
  constexpr std::uint32_t elements = 1u << 28;
  const Bytes stream = constant_stream(),
              frame = frame_of_stream(header_of(), stream, elements, stream.size());
  ASSERT_LT(frame.size(), 400u);
  const DecodeOptions options{.threads = 1, .memory_limit_bytes = 1 << 20};
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader) << reader.status().message();
  EXPECT_EQ(reader->info().element_count, elements);
  Allocations::begin_peak();
  float one = 1;
  const auto room = std::as_writable_bytes(std::span(&one, 1));
  EXPECT_TRUE(reader->decompress_slice(room, {elements - 5, 1}, options).ok());
  EXPECT_EQ(one, 0);
  EXPECT_EQ(reader->restore(ignore, options).code, ErrorCode::out_of_memory);
  EXPECT_EQ(decode_stream(frame, options).status.code, ErrorCode::out_of_memory);
  EXPECT_EQ(decompress<float>(view_of(frame), options).status().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(reader->segment(0));
  EXPECT_LE(Allocations::peak_bytes(), little);
}

TEST(Bomb, StreamThatIsNotThere) {
  const Bytes stream = constant_stream();
  for (const std::uint64_t stored :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 40, ~std::uint64_t{0} - 15}) {
    const Bytes frame = frame_of_stream(header_of(), stream, 1000, stored);
    Allocations::begin_peak();
    EXPECT_FALSE(decompress<float>(view_of(frame)));
    EXPECT_FALSE(decode_restored(frame).status.ok());
    EXPECT_FALSE(decode_stream(frame).status.ok());
    EXPECT_LE(Allocations::peak_bytes(), little) << stored;
  }
}

// The front of a leaf whose table and chunks are missing.
TEST(Bomb, ChunksThatAreNotThere) {
  Options options;
  options.tree = "spspeed";
  const Bytes good = frame_of(Bytes(4096), DType::f32, options);
  const std::size_t at = container::min_header_bytes + container::array_segment_header_bytes;
  const Bytes front(good.begin() + static_cast<std::ptrdiff_t>(at),
                    good.begin() + static_cast<std::ptrdiff_t>(at + chunks::front_bytes));
  const Bytes frame = frame_of_stream(header_of(), front, 1u << 28, front.size());
  Allocations::begin_peak();
  float one = 1;
  const auto room = std::as_writable_bytes(std::span(&one, 1));
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->decompress_slice(room, {5, 1}).code, ErrorCode::corrupt_frame);
  EXPECT_FALSE(reader->segment(0));
  EXPECT_LE(Allocations::peak_bytes(), little);
  // Who decodes whole segments has room for one before the stream is looked at, as far as the limit allows.
  EXPECT_EQ(decode_restored(frame, {.threads = 1, .memory_limit_bytes = 1 << 20}).status.code,
            ErrorCode::out_of_memory);
  EXPECT_LE(Allocations::peak_bytes(), little);
}

TEST(Bomb, ConstantDataThroughALimit) {  // 32 MiB in 60 KiB
  Options options;
  options.tree = "spspeed";
  const Bytes frame = frame_of(Bytes(32 << 20), DType::f32, options);
  EXPECT_LT(frame.size(), 100'000u);
  const DecodeOptions limited{.threads = 1, .memory_limit_bytes = 1 << 20};
  Allocations::begin_peak();
  EXPECT_EQ(decompress<float>(view_of(frame), limited).status().code, ErrorCode::out_of_memory);
  EXPECT_EQ(decode_stream(
                frame, [] { return std::size_t{999}; }, limited)
                .status.code,
            ErrorCode::out_of_memory);
  EXPECT_LE(Allocations::peak_bytes(), 1 << 20);
}

TEST(Bomb, HistoryThroughALimit) {
  Options options;
  options.tree = "dpratio";
  const Bytes frame = frame_of(Bytes(1 << 20), DType::f64, options);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  Bytes out(8);
  Allocations::begin_peak();
  EXPECT_EQ(
      reader->decompress_slice(room_of(out), {100, 1}, {.threads = 1, .memory_limit_bytes = 1 << 20}).code,
      ErrorCode::out_of_memory);
  EXPECT_LE(Allocations::peak_bytes(), little);
  EXPECT_TRUE(
      reader->decompress_slice(room_of(out), {100, 1}, {.threads = 1, .memory_limit_bytes = 4 << 20}).ok());
}

// Segments of tables are decoded within the limit, or not at all.
TEST(Bomb, TablesThroughALimit) {
  std::string text = "a,b\n";
  for (int i = 0; i < 200'000; ++i) text += "1,x\n";
  const Bytes frame = table_of(text);
  EXPECT_LT(frame.size(), 2000u);
  const DecodeOptions limited{.threads = 1, .memory_limit_bytes = little};
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  Bytes values(8 * 200'000);
  const std::array<std::size_t, 2> columns = {0, 1};
  Allocations::begin_peak();
  EXPECT_EQ(reader->restore(ignore, limited).code, ErrorCode::out_of_memory);
  EXPECT_EQ(reader->print_rows(columns, {0, 10}, ignore, limited).code, ErrorCode::out_of_memory);
  EXPECT_EQ(decode_stream(frame, limited).status.code, ErrorCode::out_of_memory);
  const DecodeOptions tiny{.threads = 1, .memory_limit_bytes = 100'000};
  EXPECT_EQ(reader->read_values(0, {0, 200'000}, room_of(values), {}, tiny).code, ErrorCode::out_of_memory);
  EXPECT_TRUE(reader->read_values(0, {0, 10}, room_of(values).first(80), {}, tiny).ok());
  EXPECT_LE(Allocations::peak_bytes(), little);
  EXPECT_TRUE(text_of(decode_restored(frame).content) == text);
}

// A record leaves in blocks: no segment lies in memory twice.
TEST(Bomb, RecordsThroughALimit) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{"a", DType::f64, 0}};
  const std::string zeros(4 << 20, '\0');
  const Bytes frame = table_of(zeros, table);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  Allocations::begin_peak();
  EXPECT_TRUE(reader->restore(ignore, {.threads = 1, .memory_limit_bytes = 5 << 20}).ok());
  EXPECT_LE(Allocations::peak_bytes(), 5 << 20);
}

// The memory of a segment serves the next one.
TEST(Bomb, ManySegmentsThroughALimit) {
  constexpr std::int64_t limit = 4 << 20;
  Options options;
  options.tree = "raw";
  options.segment_bytes = 256 << 10;
  Bytes content(16 << 20);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(core::splitmix(i));
  const Bytes frame = frame_of(content, DType::f32, options);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  const DecodeOptions limited{.threads = 1, .memory_limit_bytes = limit};
  Allocations::begin_peak();
  EXPECT_TRUE(reader->restore(ignore, limited).ok());
  StreamReader stream(ignore, limited);
  EXPECT_TRUE(stream.write(view_of(frame)).ok());
  EXPECT_TRUE(stream.finish().ok());
  EXPECT_LE(Allocations::peak_bytes(), limit + little);
}

}  // namespace
}  // namespace floe::test
