// Do stream readers restore frames from any pieces, and say what went wrong, once and for ever?
#include <gtest/gtest.h>

#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

TEST(StreamReaders, ErrorsOfTheSinkStick) {
  for (const char* tree : {"spspeed", "sortable,bitpack", ""}) {
    Options options;
    options.tree = tree;
    options.segment_bytes = 16384;
    const Bytes content = make_bytes(32, 5, 5 * 16384 + 400, 1),
                frame = frame_of(content, DType::f32, options);
    for (std::size_t room = 0; room <= content.size() + 10; room += 4001) {
      Bytes received;
      StreamReader stream(sink_with_room_for(room, &received));
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
}

TEST(StreamReaders, ExceptionsOfTheSinkPassAndEndTheStream) {
  const Bytes frame = frame_of(Bytes(1000), DType::u8, {});
  StreamReader stream([](std::span<const std::byte>) -> Status { throw std::runtime_error("sink"); });
  EXPECT_THROW((void)stream.write(view_of(frame)), std::runtime_error);
  EXPECT_EQ(stream.write({}).code, ErrorCode::io_error);
  EXPECT_EQ(stream.finish().code, ErrorCode::io_error);
}

TEST(StreamReaders, ByteByByte) {
  for (const SmallFrame& small : small_frames_of_both_versions()) {
    SCOPED_TRACE(small.name);
    const Decoded decoded = decode_stream(small.frame, [] { return std::size_t{1}; });
    EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
    EXPECT_TRUE(decoded.content == small.content);
  }
}

TEST(StreamReaders, OfRandomSizes) {
  Random random(1);
  for (const ArrayCase& c : mixed_cases()) {
    SCOPED_TRACE(c.name());
    Options options = c.options();
    options.segment_bytes = 16384;
    const Bytes content = c.sample(10, 3 * 16384 + 80, 1), frame = frame_of(content, c.dtype, options);
    for (int round = 0; round < 5; ++round) {
      const Decoded decoded = decode_stream(frame, [&] { return 1 + random.below(3000); });
      EXPECT_TRUE(decoded.status.ok()) << decoded.status.message();
      EXPECT_TRUE(decoded.content == content);
    }
  }
}

TEST(StreamReaders, PrefixAndInfo) {
  const std::string_view prefix = "header of a file";
  Options options;
  options.prefix = std::as_bytes(std::span(prefix));
  options.tree = "gfc(4)";
  const Bytes content = make_bytes(32, 5, 1200, 1),
              frame = frame_of(content, DType::i32, {{100, 3}, 2}, options);
  for (const bool wanted : {false, true}) {
    Bytes received;
    std::vector<std::size_t> parts;
    const StreamReader* self = nullptr;
    StreamReader stream([&](std::span<const std::byte> bytes) {
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
    EXPECT_EQ(stream.info()->frame_bytes, frame.size());
    EXPECT_EQ(stream.info()->digest, Reader::open(view_of(frame))->info().digest);
    EXPECT_EQ(parts.size(), wanted ? 2u : 1u);
    Bytes expected;
    if (wanted) append(expected, options.prefix);
    append(expected, view_of(content));
    EXPECT_TRUE(received == expected);
  }
}

TEST(StreamReaders, BytesAfterTheFrame) {
  const Bytes frame = frame_of(Bytes(100), DType::u8, {});
  StreamReader stream(no_limit());
  ASSERT_TRUE(stream.write(view_of(frame)).ok());
  ASSERT_TRUE(stream.write({}).ok());
  ASSERT_TRUE(stream.finish().ok());
  const Status status = stream.write(view_of(Bytes(1)));
  EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
  EXPECT_EQ(status.byte_offset, frame.size());
  EXPECT_EQ(stream.finish().code, ErrorCode::corrupt_frame);
}

TEST(StreamReaders, EndsWithNothing) {
  StreamReader stream(no_limit());
  EXPECT_EQ(stream.finish().code, ErrorCode::truncated_frame);
  EXPECT_EQ(stream.write(view_of(frame_of(Bytes(100), DType::u8, {}))).code, ErrorCode::truncated_frame);
}

// A table comes with the text before its rows, whatever is said of the prefix.
TEST(StreamReaders, InfoOfTables) {
  TableOptions table;
  table.segment_rows = 10;
  const std::string text = "# about\na,b\n1,2\n3,4\n";
  const Bytes frame = table_of(text, table);
  for (const bool wanted : {false, true}) {
    Bytes received;
    StreamReader stream(sink_to(received));
    stream.with_prefix(wanted);
    ASSERT_TRUE(stream.write(view_of(frame)).ok());
    ASSERT_TRUE(stream.finish().ok());
    EXPECT_EQ(text_of(received), text);
    ASSERT_NE(stream.info(), nullptr);
    EXPECT_EQ(stream.info()->content, floe::Content::table);
    EXPECT_EQ(stream.info()->element_count, 2u);
    EXPECT_EQ(stream.info()->columns.size(), 2u);
    EXPECT_EQ(stream.info()->frame_bytes, frame.size());
  }
}

TEST(StreamReaders, ThatAreNoFrame) {
  StreamReader stream(no_limit());
  EXPECT_TRUE(stream.write(view_of(bytes_of("FL"))).ok());
  EXPECT_EQ(stream.write(view_of(bytes_of("OAT, and more than a header's fixed bytes"))).code,
            ErrorCode::corrupt_frame);
  StreamReader short_one(no_limit());
  EXPECT_TRUE(short_one.write(view_of(bytes_of("text"))).ok());
  EXPECT_EQ(short_one.finish().code, ErrorCode::corrupt_frame);
}

TEST(StreamReaders, CanBeMovedAndReplaced) {
  const Bytes content = make_bytes(8, 5, 30'000, 1), frame = frame_of(content, DType::u8, {});
  Bytes received;
  StreamReader stream(sink_to(received));
  ASSERT_TRUE(stream.write(view_of(frame).first(100)).ok());
  StreamReader moved(std::move(stream));
  ASSERT_TRUE(moved.write(view_of(frame).subspan(100)).ok());
  ASSERT_TRUE(moved.finish().ok());
  EXPECT_TRUE(received == content);
  received.clear();
  moved = StreamReader(sink_to(received));
  ASSERT_TRUE(moved.write(view_of(frame)).ok());
  ASSERT_TRUE(moved.finish().ok());
  EXPECT_TRUE(received == content);
}

TEST(StreamReaders, NeedsASink) {
  StreamReader stream(Sink{});
  EXPECT_EQ(stream.write(view_of(Bytes(1))).code, ErrorCode::invalid_argument);
  EXPECT_EQ(stream.finish().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::test
