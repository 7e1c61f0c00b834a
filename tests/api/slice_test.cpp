// Is a slice of a frame the same as that slice of the array, and does it cost no more than it has to?
#include <gtest/gtest.h>

#include "chunks/leaf.hpp"
#include "container/layout.hpp"
#include "tests/support/frames.hpp"
#include "tests/support/watched_file.hpp"

namespace floe::test {
namespace {

struct Sample {
  ArrayCase way;
  Bytes content;
  Bytes frame;
};

/// Three segments of noisy and constant chunks, so that payloads differ in length.
std::vector<Sample> samples_of(const std::vector<ArrayCase>& cases) {
  std::vector<Sample> list;
  for (const ArrayCase& c : cases) {
    Options options = c.options();
    options.segment_bytes = 5 * 16384;
    Bytes content;
    for (std::size_t part = 0; part < 13; ++part)
      append(content, view_of(c.sample((5 * part) % 13, part == 12 ? 4008 : 16384, part)));
    list.push_back({c, content, frame_of(content, c.dtype, options)});
  }
  return list;
}
std::vector<Sample> samples() { return samples_of(sampled_cases()); }

TEST(Slices, EqualThatOfTheWholeArray) {
  Random random(1);
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.way.name());
    const std::size_t word = sample.way.word_bytes(), elements = sample.content.size() / word,
                      chunk = 16384 / word;
    const auto memory = Reader::open(view_of(sample.frame)),
               file = Reader::open(reader_of(sample.frame), sample.frame.size());
    ASSERT_TRUE(memory && file);
    std::vector<Slice> slices = {{0, 0},        {elements, 0},     {0, 1},           {elements - 1, 1},
                                 {0, elements}, {1, elements - 1}, {0, elements - 1}};
    for (const std::size_t edge : {chunk, 4 * chunk, 5 * chunk, 10 * chunk, 12 * chunk}) {
      slices.insert(
          slices.end(),
          {{edge - 1, 1}, {edge, 1}, {edge - 1, 2}, {edge - chunk, chunk}, {edge - 3, 7}, {edge, 0}});
    }
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t first = random.below(elements);
      slices.push_back({first, random.below(elements - first) + 1});
      slices.push_back({first, random.below(std::min<std::uint64_t>(elements - first, 50)) + 1});
    }
    for (const Slice slice : slices) {
      SCOPED_TRACE(std::to_string(slice.first) + " + " + std::to_string(slice.count));
      const auto expected = std::span(sample.content).subspan(slice.first * word, slice.count * word);
      for (const std::uint32_t threads : {1u, 3u}) {
        Bytes out(expected.size()), read(expected.size());
        const Status status = memory->decompress_slice(room_of(out), slice, {.threads = threads});
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin()));
        ASSERT_TRUE(file->decompress_slice(room_of(read), slice, {.threads = threads}).ok());
        ASSERT_TRUE(read == out);
      }
    }
  }
}

TEST(Slices, BeyondTheArrayOrOfAnotherSizeAreRefused) {
  for (const Sample& sample : samples()) {
    const std::size_t word = sample.way.word_bytes();
    const std::uint64_t elements = sample.content.size() / word, max = ~std::uint64_t{0};
    const auto reader = Reader::open(view_of(sample.frame));
    Bytes out(16 * word);
    const auto code = [&](Slice slice, std::size_t bytes) {
      return reader->decompress_slice(room_of(out).first(bytes), slice).code;
    };
    for (const Slice slice : {Slice{elements, 1},
                              {elements + 1, 0},
                              {elements - 1, 2},
                              {0, elements + 1},
                              {max, 1},
                              {1, max},
                              {max, max}}) {
      EXPECT_EQ(code(slice, slice.count == 2   ? 2 * word
                            : slice.count == 1 ? word
                                               : 0),
                ErrorCode::invalid_argument);
    }
    EXPECT_EQ(code({0, 2}, 2 * word - 1), ErrorCode::invalid_argument);
    EXPECT_EQ(code({0, 2}, 2 * word + 1), ErrorCode::invalid_argument);
    EXPECT_EQ(code({0, 0}, 1), ErrorCode::invalid_argument);
    EXPECT_EQ(code({0, 2}, 2 * word), ErrorCode::ok);
  }
}

/// What opening a frame of an array reads: the header, of which the fixed part is read first, and the footer,
/// whose end is read first.
std::size_t opening_bytes(const Sample& sample, std::size_t segments) {
  return container::fixed_header_bytes +
         core::load<std::uint32_t>(sample.frame.data() + container::header_at::header_bytes) +
         container::footer_end_bytes + container::footer_bytes(segments);
}

TEST(Slices, OfCodecsReadOnlyTheirChunks) {
  for (const Sample& sample : samples_of(codecs_once())) {
    SCOPED_TRACE(sample.way.name());
    const std::size_t word = sample.way.word_bytes(), elements = sample.content.size() / word;
    WatchedFile file(sample.frame);
    const auto reader = Reader::open(file.reader(), sample.frame.size());
    ASSERT_TRUE(reader);
    EXPECT_EQ(file.take_read_bytes(), opening_bytes(sample, 3));
    const std::size_t front_and_table = chunks::front_bytes + chunks::table_bytes(5, true),
                      header_bytes =
                          container::array_segment_header_bytes + chunks::front_bytes + front_and_table;
    for (std::size_t first = 0; first + 2 < elements; first += elements / 50) {
      Bytes out(2 * word);
      ASSERT_TRUE(reader->decompress_slice(room_of(out), {first, 2}).ok());
      const std::size_t bytes = file.take_read_bytes();
      const bool is_split = first * word / 16384 != (first + 1) * word / 16384;
      if (sample.way.tree == "dpratio") {  // a match may lie anywhere in the segment
        ASSERT_LE(bytes, (is_split ? 2 : 1) * (6 * 16384 + header_bytes)) << first;
      } else {
        ASSERT_LE(bytes, (is_split ? 2 : 1) * (header_bytes + 16384)) << first;
      }
    }
    Bytes all(sample.content.size());
    ASSERT_TRUE(reader->decompress_slice(room_of(all), {0, elements}).ok());
    EXPECT_LE(file.take_read_bytes(),
              sample.frame.size() + 3 * 2 * chunks::front_bytes);  // fronts are read again
  }
}

// The chunks of a codec are found in one long segment without the others.
TEST(Slices, OfALongSegmentReadOnlyItsTableAndTheirChunks) {
  Options options;
  options.tree = "spspeed";
  const Bytes content = make_bytes(32, 5, 10 << 20, 1), frame = frame_of(content, DType::f32, options);
  ASSERT_EQ(Reader::open(view_of(frame))->info().segment_count, 1u);
  WatchedFile file(frame);
  const auto reader = Reader::open(file.reader(), frame.size());
  file.take_read_bytes();
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t count = 1 + random.below(40'000), first = random.below(content.size() / 4 - count);
    Bytes out(4 * count);
    ASSERT_TRUE(reader->decompress_slice(room_of(out), {first, count}).ok());
    ASSERT_TRUE(std::equal(out.begin(), out.end(), content.begin() + static_cast<std::ptrdiff_t>(4 * first)));
    EXPECT_LE(file.take_read_bytes(), container::array_segment_header_bytes + 2 * chunks::front_bytes +
                                          chunks::table_bytes(640, true) + 4 * count + 2 * 16384);
  }
}

TEST(Slices, OfGivenAndChosenTreesReadOnlyTheirSegments) {
  std::vector<ArrayCase> cases = tree_cases();
  for (const ArrayCase& c : mixed_cases()) {
    if (c.tree.empty()) cases.push_back(c);
  }
  for (const Sample& sample : samples_of(cases)) {
    SCOPED_TRACE(sample.way.name());
    const std::size_t word = sample.way.word_bytes();
    WatchedFile file(sample.frame);
    const auto reader = Reader::open(file.reader(), sample.frame.size());
    ASSERT_TRUE(reader);
    EXPECT_EQ(file.take_read_bytes(), opening_bytes(sample, 3));
    std::vector<StoredSegment> segments;
    for (std::uint64_t i = 0; i < 3; ++i) segments.push_back(reader->segment(i).value());
    for (std::size_t i = 0; i < 3; ++i) {
      for (const std::uint64_t first : {segments[i].first, segments[i].first + segments[i].count - 1}) {
        file.take_read_bytes();
        Bytes out(word);
        ASSERT_TRUE(reader->decompress_slice(room_of(out), {first, 1}).ok());
        EXPECT_LE(file.take_read_bytes(), segments[i].stored_bytes + chunks::front_bytes);
      }
    }
    Bytes two(2 * word);
    ASSERT_TRUE(reader->decompress_slice(room_of(two), {segments[1].first - 1, 2}).ok());
    EXPECT_LE(file.take_read_bytes(),
              segments[0].stored_bytes + segments[1].stored_bytes + 2 * chunks::front_bytes);
  }
}

// What a slice does not need may be damaged.
TEST(Slices, OfDamagedFrames) {
  struct Way {
    const char* tree;
    std::uint64_t elements_that_fail;
  };
  for (const Way& way : {Way{"spspeed", 4096}, Way{"raw", 16384}}) {
    Options options;
    options.tree = way.tree;
    options.segment_bytes = 4 * 16384;
    const Bytes content = make_bytes(32, 8, 12 * 16384, 1);
    Bytes frame = frame_of(content, DType::f32, options);
    frame[frame.size() / 2] ^= 4;  // in the second segment
    const auto reader = Reader::open(view_of(frame));
    ASSERT_TRUE(reader);
    std::uint64_t refused = 0;
    for (std::uint64_t chunk = 0; chunk < 12; ++chunk) {
      Bytes out(16384);
      const Status status = reader->decompress_slice(room_of(out), {4096 * chunk, 4096});
      if (status.ok()) {
        EXPECT_TRUE(
            std::equal(out.begin(), out.end(), content.begin() + static_cast<std::ptrdiff_t>(16384 * chunk)));
      } else {
        EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
        EXPECT_LE(status.byte_offset, frame.size() / 2);
        EXPECT_GE(status.byte_offset + 4 * way.elements_that_fail, frame.size() / 2);
        refused += 4096;
      }
    }
    EXPECT_EQ(refused, way.elements_that_fail);
  }
}

TEST(Slices, ErrorsOfTheReaderAreReturned) {
  for (const char* tree : {"spspeed", "raw", ""}) {
    Options options;
    options.tree = tree;
    const Bytes content = make_bytes(32, 5, 60'000, 1), frame = frame_of(content, DType::f32, options);
    int failures = 0;
    for (int failing = 0; failing < 12; ++failing) {
      int calls = 0;
      const auto read_at = [&](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
        if (calls++ == failing) return {ErrorCode::io_error, 0, "the disk is gone"};
        return reader_of(frame)(offset, bytes);
      };
      const auto reader = Reader::open(read_at, frame.size());
      Bytes out(content.size());
      const Status status = reader ? reader->decompress_slice(room_of(out), {0, 15'000}) : reader.status();
      EXPECT_EQ(status.code, failing < calls ? ErrorCode::io_error : ErrorCode::ok);
      if (failing >= calls) continue;
      EXPECT_STREQ(status.detail, "the disk is gone");
      ++failures;
    }
    EXPECT_GE(failures, 6);
  }
}

TEST(Readers, AreOpenedWithWhatTheyCanRead) {
  const Bytes frame = frame_of(make_bytes(32, 5, 60'000, 1), DType::f32, {});
  EXPECT_EQ(Reader::open(ReadAt{}, 100).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Reader::open(reader_of(frame), frame.size(), 100).status().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(Reader::open(reader_of(frame), frame.size(), 1000));
  for (const std::uint64_t length :
       {frame.size() + 1, frame.size() + 16, frame.size() + (std::size_t{1} << 40)}) {
    EXPECT_EQ(Reader::open(reader_of(frame), length).status().code,
              ErrorCode::io_error);  // more than there is to read
  }
}

TEST(Readers, CanBeMovedAndReplaced) {
  const Bytes content = make_bytes(8, 5, 30'000, 1), frame = frame_of(content, DType::u8, {});
  auto reader = Reader::open(reader_of(frame), frame.size());
  Reader other = std::move(*reader);
  Bytes out(10);
  ASSERT_TRUE(other.decompress_slice(room_of(out), {500, 10}).ok());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), content.begin() + 500));
  other = Reader::open(view_of(frame)).value();
  ASSERT_TRUE(other.decompress_slice(room_of(out), {700, 10}).ok());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), content.begin() + 700));
}

}  // namespace
}  // namespace floe::test
