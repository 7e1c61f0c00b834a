// Does a frame say truly how its chunks are stored?
#include <gtest/gtest.h>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// What view and reader say; they must agree.
Result<ChunkCounts> counts_of(const Bytes& frame) {
  const auto view = FrameView::parse(view_of(frame));
  auto reader = FrameReader::open(reader_of(frame), frame.size());
  if (!view || !reader) return view ? reader.status() : view.status();
  const auto counts = view->count_chunks(), same = reader->count_chunks();
  EXPECT_EQ(counts.status().code, same.status().code);
  if (counts && same) {
    EXPECT_EQ(std::memcmp(&*counts, &*same, sizeof(ChunkCounts)), 0);
  }
  return counts;
}

TEST(ChunkCounts, RawAndCoded) {
  for (const CodecCase& c : codecs_once()) {
    SCOPED_TRACE(c.name());
    Options options = c.options();
    options.segment_bytes = 2 * 16384;
    const auto bits = static_cast<unsigned>(8 * c.word_bytes());
    Bytes content =
        make_bytes(bits, 8, 2 * 16384, 1);  // a segment of noise, one of zeros, one of 80 bytes of zeros
    content.resize(4 * 16384 + 80);
    const auto counts = counts_of(frame_of(content, c.dtype, options));
    ASSERT_TRUE(counts);
    const bool history = c.codec.name == "dpratio";
    EXPECT_EQ(counts->raw, 2u);
    EXPECT_EQ(counts->coded, history ? 5u : 3u);  // zeros and their distances
    EXPECT_EQ(counts->chunks, counts->raw + counts->coded);
    EXPECT_EQ(counts->segments_without_history, history ? 2u : 0u);
    EXPECT_GT(counts->payload_bytes, 2 * 16384u);
    EXPECT_LT(counts->payload_bytes, 2 * 16384u + 5000);
  }
}

TEST(ChunkCounts, OfAnEmptyArray) {
  const auto counts = counts_of(frame_of({}, DType::f32, {}));
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->chunks, 0u);
}

TEST(ChunkCounts, OfDamagedTables) {
  const Bytes frame = frame_of(make_bytes(32, 5, 100'000, 1), DType::f32, {});
  const std::size_t table = core::load<std::uint32_t>(frame.data() + 20) + 48;
  for (std::size_t at = table; at < table + 40; ++at) {
    Bytes damaged = frame;
    damaged[at] ^= 16;
    EXPECT_EQ(counts_of(damaged).status().code, ErrorCode::corrupt_frame);
  }
}

TEST(ChunkCounts, OfFramesWithSegmentsOfOthers) {
  Options options;
  options.segment_bytes = 16384;
  const Bytes one = frame_of(make_bytes(32, 8, 3 * 16384, 1), DType::f32, options);
  Bytes other = frame_of(make_bytes(32, 8, 3 * 16384, 2), DType::f32, options);
  ASSERT_EQ(one.size(), other.size());
  ASSERT_TRUE(counts_of(one));
  std::copy_n(one.begin(), one.size() / 2 / 16448 * 16448 + 32, other.begin());
  EXPECT_EQ(counts_of(other).status().code, ErrorCode::corrupt_frame);
}

TEST(Streams, CanBeMovedAndReplaced) {
  const Bytes content = make_bytes(8, 5, 30'000, 1), frame = frame_of(content, DType::u8, {});
  Bytes received;
  const auto sink = [&](std::span<const std::byte> bytes) {
    append(received, bytes);
    return Status{};
  };
  Decompressor stream(sink);
  ASSERT_TRUE(stream.write(view_of(frame).first(100)).ok());
  Decompressor moved(std::move(stream));
  ASSERT_TRUE(moved.write(view_of(frame).subspan(100)).ok());
  ASSERT_TRUE(moved.finish().ok());
  EXPECT_TRUE(received == content);
  received.clear();
  moved = Decompressor(sink);
  ASSERT_TRUE(moved.write(view_of(frame)).ok());
  ASSERT_TRUE(moved.finish().ok());
  EXPECT_TRUE(received == content);

  auto reader = FrameReader::open(reader_of(frame), frame.size());
  FrameReader other = std::move(*reader);
  Bytes out(10);
  ASSERT_TRUE(other.decompress_slice(room_of(out), {500, 10}).ok());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), content.begin() + 500));
}

}  // namespace
}  // namespace floe::test
