// Do streams say what went wrong, once and for ever, and keep their memory bounded?
#include <gtest/gtest.h>

#include "tests/support/counted_new.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

const Status full{ErrorCode::io_error, 7, "no space left"};

/// A sink that fails once it got that many bytes.
Sink sink_with_room_for(std::size_t bytes, Bytes* received = nullptr) {
  return [bytes, received, total = std::size_t{0}](std::span<const std::byte> part) mutable {
    total += part.size();
    if (total > bytes) return full;
    if (received != nullptr) append(*received, part);
    return Status{};
  };
}
Sink no_limit(Bytes* received = nullptr) { return sink_with_room_for(~std::size_t{0}, received); }

TEST(CompressorStream, ErrorsOfTheSinkStick) {
  Options options;
  options.segment_bytes = 16384;
  const Bytes content = make_bytes(32, 8, 5 * 16384 + 400, 1), frame = frame_of(content, DType::f32, options);
  for (std::size_t room = 0; room <= frame.size() + 10; room += 997) {
    auto stream = Compressor::create(sink_with_room_for(room), DType::f32, {}, options);
    ASSERT_TRUE(stream);
    Status first;
    for (std::size_t at = 0; at < content.size() && first.ok(); at += 1000) {
      first = stream->write(view_of(content).subspan(at, std::min<std::size_t>(1000, content.size() - at)));
    }
    if (first.ok()) first = stream->finish();
    ASSERT_EQ(first.ok(), room >= frame.size());
    if (first.ok()) continue;
    EXPECT_EQ(first.code, full.code);
    EXPECT_STREQ(first.detail, full.detail);
    for (const Status& again :
         {stream->write(view_of(content)), stream->write({}), stream->finish(), stream->finish()}) {
      EXPECT_STREQ(again.detail, full.detail);
    }
  }
}

TEST(CompressorStream, ExceptionsOfTheSinkPassAndEndTheStream) {
  unsigned calls = 0;
  auto stream = Compressor::create(
      [&](std::span<const std::byte>) -> Status {
        if (++calls == 2) throw std::runtime_error("sink");
        return {};
      },
      DType::u8);
  ASSERT_TRUE(stream);
  const Bytes content(1000);
  EXPECT_TRUE(stream->write(view_of(content)).ok());
  EXPECT_THROW((void)stream->finish(), std::runtime_error);
  EXPECT_EQ(stream->write(view_of(content)).code, ErrorCode::io_error);
  EXPECT_EQ(stream->finish().code, ErrorCode::io_error);
  EXPECT_EQ(calls, 2u);
}

TEST(CompressorStream, WholeEntriesOnly) {
  const std::array<std::uint64_t, 2> inner = {3, 5};
  for (std::size_t bytes = 0; bytes <= 121; ++bytes) {
    Bytes frame;
    auto stream = Compressor::create(no_limit(&frame), DType::f32, inner);
    ASSERT_TRUE(stream);
    ASSERT_TRUE(stream->write(view_of(Bytes(bytes))).ok());
    const Status status = stream->finish();
    ASSERT_EQ(status.code, bytes % 60 == 0 ? ErrorCode::ok : ErrorCode::invalid_argument) << bytes;
    if (!status.ok()) {
      EXPECT_EQ(stream->finish().code, ErrorCode::invalid_argument);
      continue;
    }
    EXPECT_EQ(FrameView::parse(view_of(frame))->info().extent, (Extent{{bytes / 60, 3, 5}, 3}));
  }
}

TEST(CompressorStream, EntriesWithoutElements) {
  for (const std::vector<std::uint64_t>& inner : std::vector<std::vector<std::uint64_t>>{
           {0}, {3, 0}, {std::uint64_t{1} << 40, 0, std::uint64_t{1} << 40}}) {
    Bytes frame;
    auto stream = Compressor::create(no_limit(&frame), DType::f64, inner);
    ASSERT_TRUE(stream) << stream.status().message();
    ASSERT_TRUE(stream->finish().ok());
    EXPECT_EQ(FrameView::parse(view_of(frame))->info().element_count, 0u);
    auto other = Compressor::create(no_limit(), DType::f64, inner);
    EXPECT_TRUE(other->write(view_of(Bytes(8))).ok());
    EXPECT_EQ(other->finish().code, ErrorCode::invalid_argument);
  }
}

TEST(CompressorStream, FinishedStreamsTakeNoMore) {
  Bytes frame;
  auto stream = Compressor::create(no_limit(&frame), DType::u8);
  ASSERT_TRUE(stream->finish().ok());
  const std::size_t size = frame.size();
  EXPECT_EQ(stream->write(view_of(Bytes(1))).code, ErrorCode::invalid_argument);
  EXPECT_EQ(stream->finish().code, ErrorCode::invalid_argument);
  EXPECT_EQ(frame.size(), size);
}

TEST(CompressorStream, CanBeMoved) {
  Bytes frame;
  const Bytes content = make_bytes(8, 5, 40'000, 1);
  auto made = Compressor::create(no_limit(&frame), DType::u8);
  Compressor one = std::move(*made);
  ASSERT_TRUE(one.write(view_of(content).first(11'111)).ok());
  Compressor two = std::move(one);
  ASSERT_TRUE(two.write(view_of(content).subspan(11'111)).ok());
  ASSERT_TRUE(two.finish().ok());
  EXPECT_TRUE(frame == frame_of(content, DType::u8, {}));
}

TEST(CompressorStream, KeepsMemoryBounded) {
  for (const CodecCase& c : codecs_once()) {
    Options options = c.options();
    options.segment_bytes = 1 << 20;
    const Bytes piece = make_bytes(static_cast<unsigned>(8 * c.word_bytes()), 8, 300'000 / 8 * 8, 1);
    Allocations::begin_peak();
    auto stream = Compressor::create(no_limit(), c.dtype, {}, options);
    for (int i = 0; i < (sanitized ? 10 : 40); ++i) ASSERT_TRUE(stream->write(view_of(piece)).ok());
    ASSERT_TRUE(stream->finish().ok());
    const std::int64_t segments = c.codec.name == "dpratio" ? 8 : 2;
    EXPECT_LE(Allocations::peak_bytes(), segments * 1100 * 1024 + (512 << 10)) << c.name();
  }
}

TEST(DecompressorStream, ErrorsOfTheSinkStick) {
  Options options;
  options.segment_bytes = 16384;
  const Bytes content = make_bytes(32, 5, 5 * 16384 + 400, 1), frame = frame_of(content, DType::f32, options);
  for (std::size_t room = 0; room <= content.size() + 10; room += 4001) {
    Bytes received;
    Decompressor stream(sink_with_room_for(room, &received));
    Status first;
    for (std::size_t at = 0; at < frame.size() && first.ok(); at += 1000) {
      first = stream.write(view_of(frame).subspan(at, std::min<std::size_t>(1000, frame.size() - at)));
    }
    if (first.ok()) first = stream.finish();
    ASSERT_EQ(first.ok(), room >= content.size());
    ASSERT_TRUE(std::equal(received.begin(), received.end(), content.begin()));
    if (first.ok()) continue;
    for (const Status& again : {first, stream.write(view_of(frame)), stream.write({}), stream.finish()}) {
      EXPECT_STREQ(again.detail, full.detail);
    }
  }
}

TEST(DecompressorStream, ExceptionsOfTheSinkPassAndEndTheStream) {
  const Bytes frame = frame_of(Bytes(1000), DType::u8, {});
  Decompressor stream([](std::span<const std::byte>) -> Status { throw std::runtime_error("sink"); });
  EXPECT_THROW((void)stream.write(view_of(frame)), std::runtime_error);
  EXPECT_EQ(stream.write({}).code, ErrorCode::io_error);
  EXPECT_EQ(stream.finish().code, ErrorCode::io_error);
}

TEST(DecompressorStream, ByteByByte) {
  for (const CodecCase& c : codecs_once()) {
    Options options = c.options();
    options.segment_bytes = 16384;
    const Bytes content = make_bytes(static_cast<unsigned>(8 * c.word_bytes()), 10, 2 * 16384 + 80, 1),
                frame = frame_of(content, c.dtype, options);
    const Decoded decoded = decode_stream(frame, [] { return std::size_t{1}; });
    EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
    EXPECT_TRUE(decoded.content == content);
  }
}

TEST(DecompressorStream, PrefixAndInfo) {
  const std::string_view prefix = "header of a file";
  Options options;
  options.prefix = std::as_bytes(std::span(prefix));
  options.codec = "gfc";
  options.dimensionality = 4;
  const Bytes content = make_bytes(32, 5, 1200, 1),
              frame = frame_of(content, DType::i32, {{100, 3}, 2}, options);
  for (const bool wanted : {false, true}) {
    Bytes received;
    std::vector<std::size_t> parts;
    const Decompressor* self = nullptr;
    Decompressor stream([&](std::span<const std::byte> bytes) {
      EXPECT_NE(self->info(), nullptr);
      append(received, bytes);
      parts.push_back(bytes.size());
      return Status{};
    });
    self = &stream;
    stream.with_prefix(wanted);
    EXPECT_EQ(stream.info(), nullptr);
    ASSERT_TRUE(stream.write(view_of(frame).first(31)).ok());
    EXPECT_EQ(stream.info(), nullptr);
    ASSERT_TRUE(stream.write(view_of(frame).subspan(31)).ok());
    ASSERT_TRUE(stream.finish().ok());
    ASSERT_NE(stream.info(), nullptr);
    EXPECT_EQ(stream.info()->extent, (Extent{{100, 3}, 2}));
    EXPECT_EQ(stream.info()->dimensionality, 4u);
    EXPECT_EQ(stream.info()->frame_bytes, frame.size());
    EXPECT_EQ(stream.info()->digest, FrameView::parse(view_of(frame))->info().digest);
    EXPECT_EQ(parts.size(), wanted ? 2u : 1u);
    Bytes expected;
    if (wanted) append(expected, options.prefix);
    append(expected, view_of(content));
    EXPECT_TRUE(received == expected);
  }
}

TEST(DecompressorStream, BytesAfterTheFrame) {
  const Bytes frame = frame_of(Bytes(100), DType::u8, {});
  Decompressor stream(no_limit());
  ASSERT_TRUE(stream.write(view_of(frame)).ok());
  ASSERT_TRUE(stream.write({}).ok());
  ASSERT_TRUE(stream.finish().ok());
  const Status status = stream.write(view_of(Bytes(1)));
  EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
  EXPECT_EQ(status.byte_offset, frame.size());
  EXPECT_EQ(stream.finish().code, ErrorCode::corrupt_frame);
}

TEST(DecompressorStream, EndsWithNothing) {
  Decompressor stream(no_limit());
  EXPECT_EQ(stream.finish().code, ErrorCode::truncated_frame);
  EXPECT_EQ(stream.write(view_of(frame_of(Bytes(100), DType::u8, {}))).code, ErrorCode::truncated_frame);
}

TEST(DecompressorStream, KeepsMemoryBounded) {
  for (const CodecCase& c : codecs_once()) {
    Options options = c.options();
    options.segment_bytes = 1 << 20;
    const Bytes content =
        make_bytes(static_cast<unsigned>(8 * c.word_bytes()), 8, (sanitized ? 5 : 20) << 20, 1);
    const Bytes frame = frame_of(content, c.dtype, options);
    Allocations::begin_peak();
    Decompressor stream(no_limit(), {1, 3 << 20});
    for (std::size_t at = 0; at < frame.size(); at += 50'000) {
      const Status status =
          stream.write(view_of(frame).subspan(at, std::min<std::size_t>(50'000, frame.size() - at)));
      ASSERT_TRUE(status.ok()) << status.message();
    }
    ASSERT_TRUE(stream.finish().ok());
    EXPECT_LE(Allocations::peak_bytes(), (4 << 20) + (256 << 10)) << c.name();
  }
}

TEST(Streams, NeedASink) {
  EXPECT_EQ(Compressor::create({}, DType::u8).status().code, ErrorCode::invalid_argument);
  Decompressor stream({});
  EXPECT_EQ(stream.write(view_of(Bytes(1))).code, ErrorCode::invalid_argument);
  EXPECT_EQ(stream.finish().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::test
