// Are parts refused that are valid, but belong to another position or another frame?
#include <gtest/gtest.h>

#include "tests/support/reseal.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::size_t segment_content = 16384;

struct Part {
  std::size_t begin = 0, end = 0;
};

/// Header, segments and footer of a frame.
std::vector<Part> parts_of(const Bytes& frame) {
  std::vector<Part> parts = {
      {0, core::load<std::uint32_t>(frame.data() + container::header_at::header_bytes)}};
  const auto reader = Reader::open(view_of(frame));
  for (std::uint64_t i = 0; i < reader->info().segment_count; ++i)
    parts.push_back({parts.back().end, parts.back().end + reader->segment(i)->stored_bytes});
  parts.push_back({parts.back().end, frame.size()});
  return parts;
}

Bytes join(std::initializer_list<std::pair<const Bytes*, Part>> pieces) {
  Bytes joined;
  for (const auto& [frame, part] : pieces)
    append(joined, view_of(std::span(*frame).subspan(part.begin, part.end - part.begin)));
  return joined;
}

void expect_refused(const Bytes& frame) {
  for (const Decoded& decoded :
       {decode_memory(frame), decode_file(frame), decode_restored(frame), decode_stream(frame)})
    EXPECT_EQ(decoded.status.code, ErrorCode::corrupt_frame);
}

/// Makes frames of three segments of the same length, whose headers differ if `mark` does.
using MakeFrame = std::function<Bytes(std::uint64_t seed, std::string_view mark)>;

/// Noise through a codec, or a tree: all segments are stored as they are.
MakeFrame noise_through(const char* tree) {
  return [tree](std::uint64_t seed, std::string_view mark) {
    Options options;
    options.tree = tree;
    options.segment_bytes = segment_content;
    options.prefix = std::as_bytes(std::span(mark));
    return frame_of(make_bytes(64, 8, 3 * segment_content, seed), DType::f64, options);
  };
}

Bytes noise_records(std::uint64_t seed, std::string_view mark) {
  TableOptions table;
  table.source = TableSource::records;
  table.schema = {{std::string(mark) + "x", DType::u64, 0}};
  table.segment_rows = 100;
  return table_of(text_of(make_bytes(64, 8, 300 * 8, seed)), table);
}

class ExchangedParts : public testing::TestWithParam<std::pair<const char*, MakeFrame>> {
 protected:
  [[nodiscard]] Bytes noise_frame(std::uint64_t seed, std::string_view mark = {}) const {
    return GetParam().second(seed, mark);
  }
};

TEST_P(ExchangedParts, SegmentsInAnotherOrder) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  ASSERT_EQ(p.size(), 5u);
  expect_refused(join({{&frame, p[0]}, {&frame, p[2]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
}

TEST_P(ExchangedParts, SegmentTwice) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
}

TEST_P(ExchangedParts, SegmentMissing) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[2]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[4]}}));
}

TEST_P(ExchangedParts, SegmentOfAFrameWithAnotherHeader) {
  const Bytes frame = noise_frame(1, "one"), other = noise_frame(2, "two");
  const auto p = parts_of(frame), q = parts_of(other);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&other, q[2]}, {&frame, p[3]}, {&frame, p[4]}}));
}

// The header's checksum does not tell these frames apart; the digest does.
TEST_P(ExchangedParts, SegmentOfAFrameWithTheSameHeader) {
  const Bytes frame = noise_frame(1), other = noise_frame(2);
  const auto p = parts_of(frame), q = parts_of(other);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&other, q[2]}, {&frame, p[3]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[2]}, {&frame, p[3]}, {&other, q[4]}}));
}

const std::pair<const char*, MakeFrame> makers[] = {
    {"codec", noise_through("dpspeed")}, {"tree", noise_through("raw")}, {"table", noise_records}};
INSTANTIATE_TEST_SUITE_P(, ExchangedParts, testing::ValuesIn(makers),
                         [](const auto& test) { return std::string(test.param.first); });

// A frame that two writers contradict each other about, with all checksums right.
TEST(MixedFrames, HeaderOfAnotherShape) {
  Options options;
  options.segment_bytes = segment_content;
  const Bytes content = make_bytes(32, 4, 3 * segment_content, 1);
  const Bytes frame = frame_of(content, DType::f32, {{96, 128}, 2}, options),
              other = frame_of(content, DType::f32, {{128, 96}, 2}, options);
  const auto p = parts_of(frame), q = parts_of(other);
  Bytes mixed = join({{&other, q[0]}, {&frame, p[1]}, {&frame, p[2]}, {&frame, p[3]}, {&frame, p[4]}});
  reseal(mixed);
  expect_refused(mixed);
}

// The same of a table, whose segments are those of an array.
TEST(MixedFrames, SegmentsOfAnArrayInATable) {
  const Bytes array = noise_through("raw")(1, ""), table = noise_records(1, "");
  const auto p = parts_of(array), q = parts_of(table);
  for (Bytes mixed : {join({{&table, q[0]}, {&array, p[1]}, {&table, q[4]}}),
                      join({{&array, p[0]}, {&table, q[1]}, {&array, p[4]}})}) {
    reseal(mixed);
    expect_refused(mixed);
  }
}

}  // namespace
}  // namespace floe::test
