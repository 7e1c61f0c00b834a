// Are small frames that claim to be huge refused before anything is allocated for them?
#include <gtest/gtest.h>

#include "container/footer.hpp"
#include "container/header.hpp"
#include "floe/floe.h"
#include "tests/support/counted_new.hpp"
#include "tests/support/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

constexpr std::int64_t little = 256 << 10;

void expect_refused_cheaply(std::span<const std::uint8_t> frame, const char* claim) {
  Allocations::begin_peak();
  EXPECT_FALSE(FrameView::parse(view_of(frame))) << claim;
  EXPECT_FALSE(FrameReader::open(reader_of(frame), frame.size())) << claim;
  EXPECT_FALSE(decompress<float>(view_of(frame))) << claim;
  EXPECT_LE(Allocations::peak_bytes(), little) << claim;
  Allocations::begin_peak();
  Decompressor stream([](std::span<const std::byte>) { return Status{}; });
  const Status status = stream.write(view_of(frame));
  EXPECT_FALSE(status.ok() && stream.finish().ok()) << claim;
  EXPECT_LE(Allocations::peak_bytes(), little) << claim;
}

format::Header header_of(std::uint32_t rank = 1) {
  format::Header header;
  header.dtype = DType::f32;
  header.rank = rank;
  header.codec_id = 1;
  header.chunks_per_segment = format::largest_chunks_per_segment;
  return header;
}

Bytes frame_without_segments(const format::Header& header, const format::Footer& footer) {
  Bytes frame = format::write_header(header);
  append(frame, view_of(format::write_footer(footer)));
  return frame;
}

TEST(Bomb, ElementsWithoutSegments) {
  for (const std::uint64_t elements :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 61, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    format::Footer footer;
    footer.outer_size = footer.element_count = elements;
    expect_refused_cheaply(frame_without_segments(header_of(), footer), "elements");
  }
}

TEST(Bomb, ProductOfDimensions) {
  format::Header header = header_of(8);
  header.inner_extent.fill(std::uint64_t{1} << 32);
  format::Footer footer;
  footer.outer_size = std::uint64_t{1} << 32;
  for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    footer.element_count = elements;
    expect_refused_cheaply(frame_without_segments(header, footer), "dimensions");
  }
}

TEST(Bomb, NoElementsOfHugeDimensions) {  // not a bomb: the array is empty
  format::Header header = header_of(3);
  header.inner_extent = {~std::uint64_t{0}, ~std::uint64_t{0}};
  const Bytes frame = frame_without_segments(header, {});
  EXPECT_TRUE(decode_view(frame).status.ok()) << decode_view(frame).status.message();
  EXPECT_TRUE(decode_stream(frame).status.ok());
}

TEST(Bomb, SegmentsThatAreNotThere) {
  format::Footer footer;
  footer.outer_size = footer.element_count = std::uint64_t{4096} << 28;  // 4096 segments of 1 GiB
  for (std::uint64_t i = 0; i < 4096; ++i) footer.segment_offsets.push_back(32 + 16 * i);
  const Bytes frame = frame_without_segments(header_of(), footer);
  Allocations::begin_peak();
  EXPECT_EQ(FrameView::parse(view_of(frame)).status().code, ErrorCode::corrupt_frame);
  EXPECT_LE(Allocations::peak_bytes(), little + static_cast<std::int64_t>(frame.size()));
}

TEST(Bomb, LengthsOfHeaderFieldsAndFooter) {
  const Bytes frame = frame_of(make_bytes(32, 4, 4000, 1), DType::f32, {});
  for (const std::uint32_t length : {2u << 20, 1u << 30, ~0u}) {
    Bytes bomb = frame;
    core::store(bomb.data() + 20, length);
    reseal(bomb);
    expect_refused_cheaply(bomb, "header bytes");
  }
  Options with_prefix;
  const Bytes prefix(8, 1);
  with_prefix.prefix = view_of(prefix);
  for (const std::uint32_t length : {100u, 1u << 20, 1u << 30, ~0u}) {
    Bytes bomb = frame_of(make_bytes(32, 4, 4000, 1), DType::f32, with_prefix);
    core::store(bomb.data() + 32, length);
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

/// A frame whose only segment says that it holds 1 GiB, with a head that fits this.
Bytes segment_bomb(std::uint64_t payload_bytes) {
  const format::Header header = header_of();
  Bytes frame = format::write_header(header);
  format::SegmentHead head;
  head.chunk_count = format::largest_chunks_per_segment;
  head.content_bytes = header.segment_bytes();
  head.head_bytes = format::segment_head_bytes(head.chunk_count, true);
  head.payload_bytes = payload_bytes;
  head.header_crc = format::header_crc(frame);
  Bytes segment(head.head_bytes);
  const format::ChunkTable<std::uint8_t> table(segment, head.chunk_count, true);
  for (std::uint64_t chunk = 0; chunk < head.chunk_count; ++chunk) {
    if (chunk % format::chunks_per_group == 0)
      table.set_group_offset(chunk / format::chunks_per_group, 16 * chunk);
    table.set_entry(chunk, {0, 16, format::mode_coded});
  }
  format::finish_segment_head(segment, head, table);
  append(frame, view_of(segment));
  return frame;
}

TEST(Bomb, SegmentHeadOnly) {
  const Bytes frame = segment_bomb(16 * std::uint64_t{format::largest_chunks_per_segment});
  Allocations::begin_peak();
  Decompressor stream([](std::span<const std::byte>) { return Status{}; });
  EXPECT_TRUE(stream.write(view_of(frame)).ok());
  EXPECT_LE(Allocations::peak_bytes(), 4 * static_cast<std::int64_t>(frame.size()));
  EXPECT_EQ(stream.finish().code, ErrorCode::truncated_frame);
}

TEST(Bomb, SegmentBeyondTheMemoryLimit) {
  const Bytes frame = segment_bomb(16 * std::uint64_t{format::largest_chunks_per_segment});
  Decompressor enough([](std::span<const std::byte>) { return Status{}; },
                      {1, 64 << 20});  // it is decoded in pieces
  EXPECT_TRUE(enough.write(view_of(frame)).ok());
  Decompressor too_little([](std::span<const std::byte>) { return Status{}; }, {1, 4 << 20});
  EXPECT_EQ(too_little.write(view_of(frame)).code, ErrorCode::out_of_memory);
}

TEST(Bomb, ConstantDataThroughALimit) {  // 32 MiB in 50 KiB
  Options options;
  options.codec = "spspeed";
  const Bytes frame = frame_of(Bytes(32 << 20), DType::f32, options);
  EXPECT_LT(frame.size(), 100'000u);
  Allocations::begin_peak();
  const auto array = decompress<float>(view_of(frame), {1, 1 << 20});
  EXPECT_EQ(array.status().code, ErrorCode::out_of_memory);
  EXPECT_EQ(decode_stream(frame, [] { return std::size_t{999}; }, {1, 1 << 20}).status.code,
            ErrorCode::out_of_memory);
  EXPECT_LE(Allocations::peak_bytes(), 1 << 20);
}

TEST(Bomb, HistoryThroughALimit) {
  Options options;
  options.codec = "dpratio";
  const Bytes frame = frame_of(Bytes(1 << 20), DType::f64, options);
  const auto view = FrameView::parse(view_of(frame));
  ASSERT_TRUE(view);
  Bytes out(8);
  Allocations::begin_peak();
  EXPECT_EQ(view->decompress_slice(room_of(out), {100, 1}, {1, 1 << 20}).code, ErrorCode::out_of_memory);
  EXPECT_LE(Allocations::peak_bytes(), little);
  EXPECT_TRUE(view->decompress_slice(room_of(out), {100, 1}, {1, 3 << 20}).ok());
}

}  // namespace
}  // namespace floe::test
