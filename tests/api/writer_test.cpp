// Do writers make the frames of whole arrays, and say what went wrong, once and for ever?
#include <gtest/gtest.h>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

TEST(Writers, ErrorsOfTheSinkStick) {
  for (const char* tree : {"spspeed", "sortable,bitpack", ""}) {
    Options options;
    options.tree = tree;
    options.segment_bytes = 16384;
    const Bytes content = make_bytes(32, 8, 5 * 16384 + 400, 1),
                frame = frame_of(content, DType::f32, options);
    for (std::size_t room = 0; room <= frame.size() + 10; room += 997) {
      auto stream = Writer::create(sink_with_room_for(room), DType::f32, {}, options);
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
}

TEST(Writers, ErrorsOfTheSinkStickForTables) {
  TableOptions table;
  table.segment_rows = 100;
  const std::string text = some_csv(1000);
  const Bytes frame = table_of(text, table);
  for (std::size_t room = 0; room <= frame.size() + 10; room += 997) {
    auto writer = Writer::create(sink_with_room_for(room), table);
    ASSERT_TRUE(writer);
    Status first;
    for (std::size_t at = 0; at < text.size() && first.ok(); at += 5000)
      first = writer->write(
          std::as_bytes(std::span(text)).subspan(at, std::min<std::size_t>(5000, text.size() - at)));
    if (first.ok()) first = writer->finish();
    ASSERT_EQ(first.ok(), room >= frame.size());
    if (first.ok()) continue;
    EXPECT_EQ(first.code, full.code);
    for (const Status& again : {writer->write({}), writer->finish(), writer->finish()})
      EXPECT_STREQ(again.detail, full.detail);
  }
}

TEST(Writers, ExceptionsOfTheSinkPassAndEndTheStream) {
  unsigned calls = 0;
  auto stream = Writer::create(
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

TEST(Writers, WholeEntriesOnly) {
  const std::array<std::uint64_t, 2> inner = {3, 5};
  for (std::size_t bytes = 0; bytes <= 121; ++bytes) {
    Bytes frame;
    auto stream = Writer::create(no_limit(&frame), DType::f32, inner);
    ASSERT_TRUE(stream);
    ASSERT_TRUE(stream->write(view_of(Bytes(bytes))).ok());
    const Status status = stream->finish();
    ASSERT_EQ(status.code, bytes % 60 == 0 ? ErrorCode::ok : ErrorCode::invalid_argument) << bytes;
    if (!status.ok()) {
      EXPECT_EQ(stream->finish().code, ErrorCode::invalid_argument);
      continue;
    }
    EXPECT_EQ(Reader::open(view_of(frame))->info().extent, (Extent{{bytes / 60, 3, 5}, 3}));
  }
}

TEST(Writers, EntriesWithoutElements) {
  for (const std::vector<std::uint64_t>& inner : std::vector<std::vector<std::uint64_t>>{
           {0}, {3, 0}, {std::uint64_t{1} << 40, 0, std::uint64_t{1} << 40}}) {
    Bytes frame;
    auto stream = Writer::create(no_limit(&frame), DType::f64, inner);
    ASSERT_TRUE(stream) << stream.status().message();
    ASSERT_TRUE(stream->finish().ok());
    EXPECT_EQ(Reader::open(view_of(frame))->info().element_count, 0u);
    auto other = Writer::create(no_limit(), DType::f64, inner);
    EXPECT_TRUE(other->write(view_of(Bytes(8))).ok());
    EXPECT_EQ(other->finish().code, ErrorCode::invalid_argument);
  }
}

TEST(Writers, FinishedStreamsTakeNoMore) {
  Bytes frame;
  auto stream = Writer::create(no_limit(&frame), DType::u8);
  ASSERT_TRUE(stream->finish().ok());
  const std::size_t size = frame.size();
  EXPECT_EQ(stream->write(view_of(Bytes(1))).code, ErrorCode::invalid_argument);
  EXPECT_EQ(stream->finish().code, ErrorCode::invalid_argument);
  EXPECT_EQ(frame.size(), size);
}

TEST(Writers, CanBeMoved) {
  Bytes frame;
  const Bytes content = make_bytes(8, 5, 40'000, 1);
  auto made = Writer::create(no_limit(&frame), DType::u8);
  Writer one = std::move(*made);
  ASSERT_TRUE(one.write(view_of(content).first(11'111)).ok());
  Writer two = std::move(one);
  ASSERT_TRUE(two.write(view_of(content).subspan(11'111)).ok());
  ASSERT_TRUE(two.finish().ok());
  EXPECT_TRUE(frame == frame_of(content, DType::u8, {}));
}

TEST(Writers, CanBeReplaced) {
  Bytes given_up, frame;
  auto replaced = Writer::create(no_limit(&given_up), DType::u16);
  ASSERT_TRUE(replaced->write(view_of(Bytes(100))).ok());
  *replaced = Writer::create(no_limit(&frame), DType::u8).value();
  const Bytes content = make_bytes(8, 5, 1000, 1);
  ASSERT_TRUE(replaced->write(view_of(content)).ok());
  ASSERT_TRUE(replaced->finish().ok());
  EXPECT_TRUE(frame == frame_of(content, DType::u8, {}));
}

TEST(Writers, TakeColumnsOfTheirTableOnly) {
  Bytes frame;
  const std::int32_t values[3] = {1, 2, 3};
  const void* const one[] = {values};
  const void* const two[] = {values, values};
  const void* const none[] = {nullptr};
  auto array = Writer::create(no_limit(&frame), DType::i32);
  EXPECT_EQ(array->write_columns(one, 3).code, ErrorCode::invalid_argument);
  TableOptions table;
  table.source = TableSource::columns;
  table.schema = {{"x", DType::i32}};
  auto writer = Writer::create(no_limit(&frame), table);
  EXPECT_EQ(writer->write_columns(two, 3).code, ErrorCode::invalid_argument);
  EXPECT_EQ(writer->write_columns(none, 3).code, ErrorCode::invalid_argument);
  EXPECT_EQ(writer->write(view_of(Bytes(12))).code, ErrorCode::invalid_argument);
}

// The largest pieces that the writer takes straight from the caller's memory, and all others, give one frame.
TEST(Writers, PiecesOfAnySizeMakeTheFrameOfTheWholeArray) {
  Random random(1);
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    const std::size_t size = (sanitized ? 1 : 2) << 20;
    const Bytes content = c.sample(5, size + 808, 1);
    Options options = c.options();
    options.threads = 2;
    const Bytes frame = frame_of(content, c.dtype, options);
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{999'999}, size, size + 808}) {
      Bytes written;
      auto writer = Writer::create(sink_to(written), c.dtype, {}, options);
      ASSERT_TRUE(writer);
      for (std::size_t at = 0; at < content.size();) {
        const std::size_t bytes = std::min(content.size() - at, piece == size ? random.below(size) : piece);
        ASSERT_TRUE(writer->write(view_of(content).subspan(at, bytes)).ok());
        at += bytes;
      }
      ASSERT_TRUE(writer->finish().ok());
      ASSERT_TRUE(written == frame) << piece;
    }
  }
}

TEST(Writers, TellsWhatItWrote) {
  const Bytes prefix(5, 1);
  Options options;
  options.prefix = view_of(prefix);
  options.segment_bytes = 16384;
  Bytes frame;
  const std::array<std::uint64_t, 1> inner = {100};
  auto writer = Writer::create(sink_to(frame), DType::f32, inner, options);
  ASSERT_TRUE(writer);
  const Bytes content = make_bytes(32, 5, 400 * 100, 1);
  ASSERT_TRUE(writer->write(view_of(content)).ok());
  ASSERT_TRUE(writer->finish().ok());
  const FrameInfo& info = writer->info();
  const FrameInfo read = Reader::open(view_of(frame))->info();
  EXPECT_EQ(info.content, read.content);
  EXPECT_EQ(info.dtype, DType::f32);
  EXPECT_EQ(info.extent, (Extent{{100, 100}, 2}));
  EXPECT_EQ(info.extent, read.extent);
  EXPECT_EQ(info.element_count, read.element_count);
  EXPECT_EQ(info.segment_count, 3u);
  EXPECT_EQ(info.segment_count, read.segment_count);
  EXPECT_EQ(info.frame_bytes, frame.size());
  EXPECT_EQ(info.digest, read.digest);
  EXPECT_EQ(info.prefix, read.prefix);
  EXPECT_EQ(info.prefix.size(), 5u);
}

TEST(Writers, TellsOfEverySegmentOfAnArray) {
  for (const ArrayCase& c : mixed_cases()) {
    SCOPED_TRACE(c.name());
    std::vector<PlannedSegment> planned;
    Options options = c.options();
    options.segment_bytes = 32768;
    options.on_segment = [&](const PlannedSegment& segment) { planned.push_back(segment); };
    const Bytes content = c.sample(5, 100'000, 1), frame = frame_of(content, c.dtype, options);
    const auto reader = Reader::open(view_of(frame));
    ASSERT_EQ(planned.size(), reader->info().segment_count);
    std::uint64_t source_bytes = 0;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      const StoredSegment segment = reader->segment(i).value();
      EXPECT_EQ(planned[i].stored.first, segment.first);
      EXPECT_EQ(planned[i].stored.count, segment.count);
      EXPECT_EQ(planned[i].stored.offset, segment.offset);
      EXPECT_EQ(planned[i].stored.stored_bytes, segment.stored_bytes);
      ASSERT_EQ(planned[i].stored.columns.size(), 1u);
      EXPECT_EQ(planned[i].stored.columns[0].trees, segment.columns[0].trees);
      ASSERT_EQ(planned[i].columns.size(), 1u);
      ASSERT_EQ(planned[i].columns[0].streams.size(), 1u);
      EXPECT_EQ(planned[i].columns[0].streams[0].word_count, segment.count);
      EXPECT_EQ(planned[i].columns[0].streams[0].stored_bytes, segment.columns[0].stored_bytes);
      source_bytes += planned[i].source_bytes;
    }
    EXPECT_EQ(source_bytes, content.size());
  }
}

TEST(Writers, ExplainsSegmentsOfArrays) {
  std::vector<PlannedSegment> planned;
  Options options;
  options.segment_bytes = 32768;
  options.explained_segments = 1;
  options.on_segment = [&](const PlannedSegment& segment) { planned.push_back(segment); };
  std::vector<double> prices(10'000);
  Random random(1);
  for (double& price : prices) price = static_cast<double>(random.below(5000)) / 100;
  const auto frame = compress(std::span<const double>(prices), options);
  ASSERT_TRUE(frame);
  ASSERT_GE(planned.size(), 2u);
  const PlannedStream& explained = planned[0].columns[0].streams[0];
  ASSERT_FALSE(explained.nodes.empty());
  EXPECT_EQ(explained.nodes[0].word_count, planned[0].stored.count);
  EXPECT_TRUE(explained.nodes[0].encoding.starts_with("decimal")) << explained.nodes[0].encoding;
  EXPECT_GE(explained.candidates.size(), 2u);
  EXPECT_EQ(explained.candidates[0].keeps_speed, true);
  for (const CandidateTree& candidate : explained.candidates) {
    EXPECT_TRUE(check_tree(candidate.tree, DType::f64).ok()) << candidate.tree;
    EXPECT_GT(candidate.encoded_bytes, 0u);
  }
  EXPECT_TRUE(planned[1].columns[0].streams[0].nodes.empty());
  EXPECT_TRUE(planned[1].columns[0].streams[0].candidates.empty());
}

TEST(Writers, NeedsASink) {
  EXPECT_EQ(Writer::create({}, DType::u8).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Writer::create({}, TableOptions{}).status().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::test
