// Is a slice of a frame the same as that slice of the array, and does it cost no more than it has to?
#include <gtest/gtest.h>

#include "container/footer.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// A file in memory that remembers what was read of it.
class WatchedFile {
 public:
  explicit WatchedFile(const Bytes& frame) : frame_(frame) {}

  ReadAt reader() {
    return [this](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
      if (offset > frame_.size() || bytes.size() > frame_.size() - offset)
        return {ErrorCode::io_error, 0, "read outside the frame"};
      std::memcpy(bytes.data(), frame_.data() + offset, bytes.size());
      read_bytes_ += bytes.size();
      return {};
    };
  }
  std::size_t take_read_bytes() { return std::exchange(read_bytes_, 0); }

 private:
  const Bytes& frame_;
  std::size_t read_bytes_ = 0;
};

struct Sample {
  CodecCase codec;
  Bytes content;
  Bytes frame;
};

/// Three segments of noisy and constant chunks, so that payloads differ in length.
std::vector<Sample> samples() {
  std::vector<Sample> list;
  for (const CodecCase& c : codecs_once()) {
    Options options = c.options();
    options.segment_bytes = 5 * 16384;
    const auto bits = static_cast<unsigned>(8 * c.word_bytes());
    Bytes content;
    for (std::size_t part = 0; part < 13; ++part)
      append(content, view_of(make_bytes(bits, (5 * part) % 13, part == 12 ? 4008 : 16384, part)));
    list.push_back({c, content, frame_of(content, c.dtype, options)});
  }
  return list;
}

TEST(Slices, EqualThatOfTheWholeArray) {
  Random random(1);
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.codec.name());
    const std::size_t word = sample.codec.word_bytes(), elements = sample.content.size() / word,
                      chunk = 16384 / word;
    const auto view = FrameView::parse(view_of(sample.frame));
    auto reader = FrameReader::open(reader_of(sample.frame), sample.frame.size());
    ASSERT_TRUE(view && reader);
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
        const Status status = view->decompress_slice(room_of(out), slice, {threads, 1 << 30});
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin()));
        ASSERT_TRUE(reader->decompress_slice(room_of(read), slice, {threads, 1 << 30}).ok());
        ASSERT_TRUE(read == out);
      }
    }
  }
}

TEST(Slices, BeyondTheArrayOrOfAnotherSizeAreRefused) {
  for (const Sample& sample : samples()) {
    const std::size_t word = sample.codec.word_bytes();
    const std::uint64_t elements = sample.content.size() / word, most = ~std::uint64_t{0};
    const auto view = FrameView::parse(view_of(sample.frame));
    Bytes out(16 * word);
    const auto code = [&](Slice slice, std::size_t bytes) {
      return view->decompress_slice(room_of(out).first(bytes), slice).code;
    };
    for (const Slice slice : {Slice{elements, 1},
                              {elements + 1, 0},
                              {elements - 1, 2},
                              {0, elements + 1},
                              {most, 1},
                              {1, most},
                              {most, most}}) {
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

TEST(Slices, ReadOnlyWhatTheyNeed) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.codec.name());
    const std::size_t word = sample.codec.word_bytes(), elements = sample.content.size() / word;
    WatchedFile file(sample.frame);
    auto reader = FrameReader::open(file.reader(), sample.frame.size());
    ASSERT_TRUE(reader);
    EXPECT_LE(file.take_read_bytes(),
              32 + 64 + 16 + format::footer_bytes(3));  // no prefix; the codec's parameters
    const std::size_t head = 48 + format::segment_head_bytes(5, true);
    for (std::size_t first = 0; first + 2 < elements; first += elements / 50) {
      Bytes out(2 * word);
      ASSERT_TRUE(reader->decompress_slice(room_of(out), {first, 2}).ok());
      const std::size_t bytes = file.take_read_bytes(), chunks = first * word % 16384 == 16384 - word ? 2 : 1;
      if (sample.codec.codec.name != "dpratio") {
        ASSERT_LE(bytes, chunks * (head + 16384)) << first;
      }
    }
    Bytes all(sample.content.size());
    ASSERT_TRUE(reader->decompress_slice(room_of(all), {0, elements}).ok());
    EXPECT_LE(file.take_read_bytes(), sample.frame.size() + 3 * 48);  // the fixed heads are read twice
  }
}

// What a slice does not need may be damaged.
TEST(Slices, OfDamagedFrames) {
  Options options;
  options.codec = "spspeed";
  options.segment_bytes = 4 * 16384;
  const Bytes content = make_bytes(32, 8, 12 * 16384, 1);
  Bytes frame = frame_of(content, DType::f32, options);
  frame[frame.size() / 2] ^= 4;  // in the payloads of the second segment
  const auto view = FrameView::parse(view_of(frame));
  ASSERT_TRUE(view);
  unsigned refused = 0;
  for (std::uint64_t chunk = 0; chunk < 12; ++chunk) {
    Bytes out(16384);
    const Status status = view->decompress_slice(room_of(out), {4096 * chunk, 4096});
    if (status.ok()) {
      EXPECT_TRUE(
          std::equal(out.begin(), out.end(), content.begin() + static_cast<std::ptrdiff_t>(16384 * chunk)));
    } else {
      EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
      EXPECT_LE(status.byte_offset, frame.size() / 2);
      EXPECT_GE(status.byte_offset + 16384, frame.size() / 2);
      ++refused;
    }
  }
  EXPECT_EQ(refused, 1u);
}

TEST(Slices, KeepTheMemoryLimit) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.codec.name());
    const std::size_t word = sample.codec.word_bytes();
    auto reader = FrameReader::open(reader_of(sample.frame), sample.frame.size());
    ASSERT_TRUE(reader);
    bool refused = false, accepted = false;
    for (const std::uint64_t limit : {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 17, 1u << 18, 1u << 19}) {
      Bytes out(5 * 16384);
      Allocations::begin_peak();
      const Status status = reader->decompress_slice(room_of(out), {0, out.size() / word}, {1, limit});
      EXPECT_LE(Allocations::peak_bytes(), static_cast<std::int64_t>(limit + (256 << 10)));
      refused = refused || status.code == ErrorCode::out_of_memory;
      accepted = accepted || status.ok();
    }
    EXPECT_TRUE(refused);
    EXPECT_TRUE(accepted);
  }
}

TEST(Slices, ErrorsOfTheReaderAreReturned) {
  const Bytes content = make_bytes(32, 5, 60'000, 1), frame = frame_of(content, DType::f32, {});
  for (int failing = 0; failing < 12; ++failing) {
    int calls = 0;
    const auto read_at = [&](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
      if (calls++ == failing) return {ErrorCode::io_error, 0, "the disk is gone"};
      return reader_of(frame)(offset, bytes);
    };
    auto reader = FrameReader::open(read_at, frame.size());
    Bytes out(content.size());
    const Status status = reader ? reader->decompress_slice(room_of(out), {0, 15'000}) : reader.status();
    EXPECT_EQ(status.code, failing < calls ? ErrorCode::io_error : ErrorCode::ok);
    if (failing < calls) {
      EXPECT_STREQ(status.detail, "the disk is gone");
    }
  }
  EXPECT_EQ(FrameReader::open({}, 100).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(FrameReader::open(reader_of(frame), frame.size(), 100).status().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(FrameReader::open(reader_of(frame), frame.size(), 1000));
  for (const std::uint64_t length :
       {frame.size() + 1, frame.size() + 16, frame.size() + (std::size_t{1} << 40)}) {
    EXPECT_EQ(FrameReader::open(reader_of(frame), length).status().code,
              ErrorCode::io_error);  // more than there is to read
  }
}

}  // namespace
}  // namespace floe::test
