// Are parts refused that are valid, but belong to another place or another frame?
#include <gtest/gtest.h>

#include "tests/support/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

constexpr std::size_t segment_content = 16384;

struct Part {
  std::size_t begin = 0, end = 0;
};

/// Header, segments and footer of a frame.
std::vector<Part> parts_of(const Bytes& frame) {
  std::vector<Part> parts = {{0, core::load<std::uint32_t>(frame.data() + 20)}};
  while (core::load<std::uint32_t>(frame.data() + parts.back().end) == format::segment_magic) {
    const std::size_t at = parts.back().end;
    parts.push_back({at, at + core::load<std::uint32_t>(frame.data() + at + 4) +
                             core::load<std::uint64_t>(frame.data() + at + 24)});
  }
  parts.push_back({parts.back().end, frame.size()});
  return parts;
}

Bytes join(std::initializer_list<std::pair<const Bytes*, Part>> pieces) {
  Bytes joined;
  for (const auto& [frame, part] : pieces)
    append(joined, view_of(std::span(*frame).subspan(part.begin, part.end - part.begin)));
  return joined;
}

/// Noise, so that all segments are stored raw and have the same length.
Bytes noise_frame(std::uint64_t seed, std::string_view prefix = {}) {
  Options options;
  options.codec = "dpspeed";
  options.segment_bytes = segment_content;
  options.prefix = std::as_bytes(std::span(prefix));
  return frame_of(make_bytes(64, 8, 3 * segment_content, seed), DType::f64, options);
}

void expect_refused(const Bytes& frame) {
  EXPECT_EQ(decode_view(frame).status.code, ErrorCode::corrupt_frame);
  EXPECT_EQ(decode_reader(frame).status.code, ErrorCode::corrupt_frame);
  EXPECT_EQ(decode_stream(frame).status.code, ErrorCode::corrupt_frame);
}

TEST(ExchangedParts, SegmentsInAnotherOrder) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  ASSERT_EQ(p.size(), 5u);
  expect_refused(join({{&frame, p[0]}, {&frame, p[2]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
}

TEST(ExchangedParts, SegmentTwice) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
}

TEST(ExchangedParts, SegmentMissing) {
  const Bytes frame = noise_frame(1);
  const auto p = parts_of(frame);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[3]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[2]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[4]}}));
}

TEST(ExchangedParts, SegmentOfAFrameWithAnotherHeader) {
  const Bytes frame = noise_frame(1, "one"), other = noise_frame(2, "two");
  const auto p = parts_of(frame), q = parts_of(other);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&other, q[2]}, {&frame, p[3]}, {&frame, p[4]}}));
}

// The header's checksum does not tell these frames apart; the digest does.
TEST(ExchangedParts, SegmentOfAFrameWithTheSameHeader) {
  const Bytes frame = noise_frame(1), other = noise_frame(2);
  const auto p = parts_of(frame), q = parts_of(other);
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&other, q[2]}, {&frame, p[3]}, {&frame, p[4]}}));
  expect_refused(join({{&frame, p[0]}, {&frame, p[1]}, {&frame, p[2]}, {&frame, p[3]}, {&other, q[4]}}));
}

// A frame that two writers contradict each other about, with all checksums right.
TEST(ExchangedParts, HeaderOfAnotherShape) {
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

}  // namespace
}  // namespace floe::test
