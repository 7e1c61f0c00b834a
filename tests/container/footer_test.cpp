// What is said of a footer that cannot be where it claims, or that takes more memory than it may.
#include <gtest/gtest.h>

#include "container/layout.hpp"
#include "core/word.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// 40 segments, behind a header that a prefix makes long.
Bytes frame_with_prefix() {
  static const Bytes prefix(1000, 7);
  Options options;
  options.prefix = view_of(prefix);
  options.tree = "constant";
  options.segment_bytes = 16384;
  return frame_of(Bytes(40 * 16384), DType::u8, options);
}

TEST(Footers, ReachNotIntoTheHeader) {
  const Bytes frame = frame_with_prefix();
  const std::uint64_t size = frame.size(),
                      header_bytes = core::load<std::uint32_t>(&frame[container::header_at::header_bytes]);
  for (const std::uint64_t length : {size - header_bytes + 8, size - container::min_header_bytes}) {
    Bytes changed = frame;
    core::store(changed.data() + size - container::footer_end_bytes, length);
    const Status status = Reader::open(view_of(changed)).status();
    EXPECT_EQ(status.code, ErrorCode::corrupt_frame);
    EXPECT_EQ(status.byte_offset, size - container::footer_end_bytes) << length;
  }
  Bytes changed = frame;
  core::store(changed.data() + size - container::footer_end_bytes, size - header_bytes);
  EXPECT_NE(Reader::open(view_of(changed)).status().byte_offset, size - container::footer_end_bytes);
}

TEST(Footers, TakeHalfTheMemoryForTheirBytes) {
  const Bytes frame = frame_with_prefix();
  const std::uint64_t size = frame.size(), footer = container::footer_bytes(40);
  EXPECT_TRUE(Reader::open(reader_of(frame), size, 2 * footer));
  const Status status = Reader::open(reader_of(frame), size, 2 * footer - 1).status();
  EXPECT_EQ(status.code, ErrorCode::out_of_memory);
  EXPECT_EQ(status.byte_offset, size - footer);
}

}  // namespace
}  // namespace floe::test
