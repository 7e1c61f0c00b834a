// Does a frame say truly what is stored of its segments, and how?
#include <gtest/gtest.h>

#include "chunks/leaf.hpp"
#include "container/layout.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// All segments, from memory and as from a file, which must say the same.
Result<std::vector<StoredSegment>> segments_of(const Bytes& frame) {
  const auto memory = Reader::open(view_of(frame)), file = Reader::open(reader_of(frame), frame.size());
  if (!memory || !file) return memory ? file.status() : memory.status();
  std::vector<StoredSegment> segments;
  for (std::uint64_t i = 0; i < memory->info().segment_count; ++i) {
    auto segment = memory->segment(i), same = file->segment(i);
    EXPECT_EQ(segment.status().code, same.status().code);
    if (!segment) return segment.status();
    EXPECT_EQ(segment->offset, same->offset);
    EXPECT_EQ(segment->stored_bytes, same->stored_bytes);
    EXPECT_EQ(segment->chunks.coded, same->chunks.coded);
    EXPECT_EQ(segment->columns[0].trees, same->columns[0].trees);
    segments.push_back(std::move(*segment));
  }
  EXPECT_EQ(memory->segment(memory->info().segment_count).status().code, ErrorCode::invalid_argument);
  return segments;
}

/// They follow each other from the header to the footer.
void expect_positions(const std::vector<StoredSegment>& segments, const FrameInfo& info) {
  std::uint64_t first = 0, offset = segments.empty() ? 0 : segments[0].offset;
  for (const StoredSegment& segment : segments) {
    EXPECT_EQ(segment.first, first);
    EXPECT_EQ(segment.offset, offset);
    EXPECT_LE(segment.count, info.max_segment_length);
    first += segment.count;
    offset += segment.stored_bytes;
  }
  EXPECT_EQ(first, info.element_count);
  EXPECT_EQ(offset + container::footer_bytes(segments.size()), info.frame_bytes);
}

TEST(Segments, OfCodecsCountChunks) {
  for (const ArrayCase& c : codecs_once()) {
    SCOPED_TRACE(c.name());
    Options options = c.options();
    options.segment_bytes = 2 * 16384;
    Bytes content = c.sample(8, 2 * 16384, 1);  // a segment of noise, one of zeros, one of 80 bytes of zeros
    content.resize(4 * 16384 + 80);
    const Bytes frame = frame_of(content, c.dtype, options);
    const auto segments = segments_of(frame);
    ASSERT_TRUE(segments) << segments.status().message();
    ASSERT_EQ(segments->size(), 3u);
    expect_positions(*segments, Reader::open(view_of(frame))->info());
    const bool history = c.tree == "dpratio";
    const ChunkCounts& noise = (*segments)[0].chunks;
    EXPECT_EQ(noise.chunks, 2u);
    EXPECT_EQ(noise.raw, 2u);
    EXPECT_EQ(noise.payload_bytes, 2 * 16384u);
    for (const std::size_t zeros : {1, 2}) {
      const ChunkCounts& counts = (*segments)[zeros].chunks;
      EXPECT_EQ(counts.raw, 0u);
      EXPECT_EQ(counts.coded, zeros == 2 ? 1u : history ? 4u : 2u);  // values and distances
      EXPECT_EQ(counts.chunks, counts.coded);
      EXPECT_LT(counts.payload_bytes, 5000u);
    }
    for (const StoredSegment& segment : *segments) {
      ASSERT_EQ(segment.columns.size(), 1u);
      EXPECT_EQ(segment.columns[0].trees, std::vector<std::string>{c.tree});
      EXPECT_FALSE(segment.columns[0].bounds.is_known);
      EXPECT_EQ(segment.columns[0].cell_format, "values");
    }
  }
}

TEST(Segments, OfTreesTellTheirTreesAndBounds) {
  Options options;
  options.tree = "delta,bitpack";
  options.segment_bytes = 16384;
  std::vector<std::int32_t> values(10000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i) * 3 - 500;
  for (std::size_t i = 0; i < values.size(); i += 1000) values[i] = -7;
  const auto frame = compress(std::span<const std::int32_t>(values), options);
  ASSERT_TRUE(frame);
  Bytes bytes;
  append(bytes, *frame);
  const auto segments = segments_of(bytes);
  ASSERT_TRUE(segments);
  ASSERT_EQ(segments->size(), 3u);
  expect_positions(*segments, Reader::open(*frame)->info());
  for (const StoredSegment& segment : *segments) {
    const StoredColumn& column = segment.columns[0];
    EXPECT_EQ(column.trees, std::vector<std::string>{"delta,bitpack"});
    EXPECT_EQ(segment.chunks.chunks, 0u);
    EXPECT_EQ(column.stored_bytes + container::array_segment_header_bytes,
              segment.stored_bytes / 16 * 16 - (16 - column.stored_bytes % 16) % 16);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(segment.first);
    const auto [min, max] = std::minmax_element(first, first + static_cast<std::ptrdiff_t>(segment.count));
    EXPECT_TRUE(column.bounds.is_known);
    EXPECT_EQ(column.bounds.min, *min);
    EXPECT_EQ(column.bounds.max, *max);
  }
}

TEST(Segments, TellTreesThatWereChosen) {
  std::size_t number = 0;
  for (const ArrayCase& c : goal_cases()) {
    SCOPED_TRACE(c.name());
    for (const std::size_t content : {3u, 5u, 11u}) {
      if (sanitized && number++ % 5 != 0) continue;
      const Bytes frame = frame_of(c.sample(content, 40'000, 1), c.dtype, c.options());
      const auto segments = segments_of(frame);
      ASSERT_TRUE(segments) << segments.status().message();
      for (const StoredSegment& segment : *segments) {
        ASSERT_EQ(segment.columns[0].trees.size(), 1u);
        EXPECT_TRUE(check_tree(segment.columns[0].trees[0], c.dtype).ok()) << segment.columns[0].trees[0];
      }
    }
  }
}

TEST(Segments, AreAsLongAsOptionsSay) {
  const std::uint64_t mib = 1u << 20;
  struct Case {
    ArrayCase how;
    std::uint64_t segment_bytes, expected_bytes;
  };
  for (const Case& c :
       {Case{{DType::f32, "spspeed"}, 0, 64 * mib}, Case{{DType::f64, "dpratio"}, 0, 64 * mib},
        Case{{DType::f32, "sortable,delta,entropy"}, 0, mib}, Case{{DType::f32}, 0, mib},
        Case{{DType::f32, {}, Goal::balance, Profile::gpu}, 0, mib / 4},
        Case{{DType::u8, {}, Goal::balance, Profile::gpu}, 0, mib / 16}, Case{{DType::f32}, 32768, 32768},
        Case{{DType::f32, "spspeed"}, 16384, 16384}}) {
    SCOPED_TRACE(c.how.name());
    Options options = c.how.options();
    options.segment_bytes = c.segment_bytes;
    const Bytes frame = frame_of(Bytes(3 * mib + 800), c.how.dtype, options);
    const FrameInfo info = Reader::open(view_of(frame))->info();
    EXPECT_EQ(info.max_segment_length * c.how.word_bytes(), c.expected_bytes);
    EXPECT_EQ(info.segment_count, (3 * mib + 800 + c.expected_bytes - 1) / c.expected_bytes);
  }
}

TEST(Segments, AreJoinedWhereTheyRepeatEachOther) {
  const std::size_t mib = 1u << 20;
  for (const DType dtype : {DType::f32, DType::i64}) {
    Bytes content = ArrayCase{dtype}.sample(8, 3 * mib / 2, 1);  // noise
    const Bytes copy = content;
    content.insert(content.end(), copy.begin(), copy.end());
    Options options;
    options.goal = Goal::ratio;
    const Bytes frame = frame_of(content, dtype, options);
    const FrameInfo info = Reader::open(view_of(frame))->info();
    EXPECT_EQ(info.segment_count, 1u);
    EXPECT_LT(frame.size(), copy.size() + copy.size() / 16);
    EXPECT_EQ(decode_memory(frame).content, content);
    options.segment_bytes = mib;
    const Bytes apart = frame_of(content, dtype, options);
    EXPECT_EQ(Reader::open(view_of(apart))->info().segment_count, 3u);
    EXPECT_GT(apart.size(), content.size() - content.size() / 16);
  }
}

TEST(Segments, OfAnEmptyArrayAreNone) {
  const auto segments = segments_of(frame_of({}, DType::f32, {}));
  ASSERT_TRUE(segments);
  EXPECT_TRUE(segments->empty());
}

TEST(Segments, WithDamagedTables) {
  Options options;
  options.tree = "spspeed";
  const Bytes frame = frame_of(make_bytes(32, 5, 100'000, 1), DType::f32, options);
  const std::size_t table =
      container::min_header_bytes + container::array_segment_header_bytes + chunks::front_bytes;
  for (std::size_t at = table; at < table + 40; ++at) {
    Bytes damaged = frame;
    damaged[at] ^= 16;
    EXPECT_EQ(segments_of(damaged).status().code, ErrorCode::corrupt_frame);
  }
}

TEST(Segments, OfATable) {
  TableOptions table;
  table.segment_rows = 100;
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i - 150) + "," + (i % 10 == 0 ? "NA" : std::to_string(i) + ".25") + ",x\n";
  const Bytes frame = table_of(text, table);
  const auto segments = segments_of(frame);
  ASSERT_TRUE(segments);
  ASSERT_EQ(segments->size(), 3u);
  expect_positions(*segments, Reader::open(view_of(frame))->info());
  const StoredSegment& segment = (*segments)[1];
  ASSERT_EQ(segment.columns.size(), 3u);
  EXPECT_EQ(segment.columns[0].cell_format, "integers");
  EXPECT_EQ(segment.columns[0].bounds.min, -50);
  EXPECT_EQ(segment.columns[0].bounds.max, 49);
  EXPECT_EQ(segment.columns[1].exception_count, 10u);
  EXPECT_EQ(segment.columns[1].trees.size(), 4u);
  EXPECT_EQ(segment.columns[1].bounds.min, 101.25);
  EXPECT_EQ(segment.columns[1].bounds.max, 199.25);
  EXPECT_FALSE(segment.columns[2].bounds.is_known);
}

// Which cells are exceptions takes more bytes than any plan: they are read for it.
TEST(Segments, OfATableWithManyExceptions) {
  Random random(8);
  std::string text = "a\n";
  std::uint64_t exceptions = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool is_absent = random.below(3) == 0;
    text += is_absent ? "NA\n" : std::to_string(random.below(1000)) + '\n';
    exceptions += is_absent;
  }
  const auto segments = segments_of(table_of(text));
  ASSERT_TRUE(segments) << segments.status().message();
  ASSERT_EQ(segments->size(), 1u);
  EXPECT_EQ(segments->at(0).columns[0].exception_count, exceptions);
}

// As a user may ask for it; what is said of the column goes through its exceptions.
TEST(Segments, OfATableWithStreamsOfCodecs) {
  TableOptions table;
  for (const std::uint32_t stream : {0u, 1u}) table.trees.push_back({"b", stream, "speed8"});
  std::string text = "a,b\n";
  for (int i = 0; i < 200; ++i)
    text += "1," + (i % 10 == 0 ? std::string("NA") : std::to_string(i % 100)) + "\n";
  for (const bool checksum : {true, false}) {
    Options options;
    options.checksum = checksum;
    const Bytes frame = table_of(text, table, options);
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
    const auto segments = segments_of(frame);
    ASSERT_TRUE(segments) << segments.status().message();
    const StoredSegment& segment = segments->at(0);
    EXPECT_EQ(segment.columns[1].trees[0], "speed8");
    EXPECT_EQ(segment.columns[1].trees[1], "speed8");
    EXPECT_EQ(segment.columns[1].exception_count, 20u);
    EXPECT_EQ(segment.chunks.chunks, 2u);
  }
}

}  // namespace
}  // namespace floe::test
