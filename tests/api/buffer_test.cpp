// Are buffers of any alignment and of exactly the needed size fine, smaller ones an error, and the bytes
// around them left alone?
#include <gtest/gtest.h>

#include "tests/support/frames.hpp"
#include "tests/support/guarded_buffer.hpp"

namespace floe::test {
namespace {

Bytes sample(const ArrayCase& c, std::size_t bytes) { return c.sample(5, bytes, 1); }

TEST(Buffers, EveryAlignment) {
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    const Bytes content = sample(c, 40000), frame = frame_of(content, c.dtype, c.options());
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    for (std::size_t offset = 0; offset <= 17; ++offset) {
      Bytes in(offset + content.size()), out(offset + frame.size() + 20'000), back(offset + content.size());
      std::copy(content.begin(), content.end(), in.begin() + static_cast<std::ptrdiff_t>(offset));
      const auto written = compress_into(room_of(out).subspan(offset), view_of(in).subspan(offset), c.dtype,
                                         extent, c.options());
      ASSERT_TRUE(written) << written.status().message();
      ASSERT_TRUE(std::equal(frame.begin(), frame.end(), out.begin() + static_cast<std::ptrdiff_t>(offset)));
      const auto reader = Reader::open(view_of(out).subspan(offset, *written));
      ASSERT_TRUE(reader);
      ASSERT_TRUE(reader->decompress(room_of(back).subspan(offset)).ok());
      ASSERT_TRUE(
          std::equal(content.begin(), content.end(), back.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
  }
}

TEST(Buffers, NothingIsTouchedBeyondThem) {
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    for (const std::size_t size : {std::size_t{8}, std::size_t{4096}, std::size_t{16384},
                                   std::size_t{16384 + 1024}, std::size_t{50'000}}) {
      for (const std::size_t kind : {4u, 5u, 8u}) {
        for (const Against against : {Against::front, Against::back}) {
          const Bytes content = c.sample(kind, size, 2);
          const Bytes frame = frame_of(content, c.dtype, c.options());
          GuardedBuffer in(content, against), out(frame.size(), against), back(content.size(), against);
          const Extent extent = Extent::linear(content.size() / c.word_bytes());
          const auto written =
              compress_into(room_of(out.bytes()), view_of(in.bytes()), c.dtype, extent, c.options());
          ASSERT_TRUE(written) << written.status().message();
          ASSERT_TRUE(std::equal(frame.begin(), frame.end(), out.bytes().begin()));
          const auto reader = Reader::open(view_of(out.bytes()));
          ASSERT_TRUE(reader);
          ASSERT_TRUE(reader->decompress(room_of(back.bytes())).ok());
          ASSERT_TRUE(std::equal(content.begin(), content.end(), back.bytes().begin()));
          ASSERT_TRUE(in.rest_is_untouched() && out.rest_is_untouched() && back.rest_is_untouched());
        }
      }
    }
  }
}

TEST(Buffers, EverySizeThatIsTooSmall) {
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    for (const std::size_t kind : {4u, 8u}) {
      Options options = c.options();
      options.segment_bytes = 16384;
      Bytes content = c.sample(kind, 400, 3);
      content.resize(16384 + 400);  // two segments
      const Bytes frame = frame_of(content, c.dtype, options);
      const Extent extent = Extent::linear(content.size() / c.word_bytes());
      if (frame.size() > 5000) continue;  // not of a codec or tree that makes little of zeros
      // Frames of trees that are chosen are written as those of given ones; choosing takes time.
      const std::size_t step = (sanitized ? 3 : 1) * (c.tree.empty() ? 7 : 1);
      for (std::size_t size = frame.size() % step; size <= frame.size(); size += step) {
        GuardedBuffer out(size);
        const auto written = compress_into(room_of(out.bytes()), view_of(content), c.dtype, extent, options);
        ASSERT_EQ(written.status().code, size < frame.size() ? ErrorCode::output_too_small : ErrorCode::ok)
            << size;
        ASSERT_TRUE(out.rest_is_untouched()) << size;
      }
      GuardedBuffer exact(frame.size());
      ASSERT_TRUE(compress_into(room_of(exact.bytes()), view_of(content), c.dtype, extent, options));
      ASSERT_TRUE(std::equal(frame.begin(), frame.end(), exact.bytes().begin()));
    }
  }
}

// Between the frame's size and the bound: the encoder works in memory of its own, or in the buffer; the frame
// is the same.
TEST(Buffers, SizesUpToTheBound) {
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    Options options = c.options();
    options.segment_bytes = 32768;
    const Bytes content = sample(c, 100'000);
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    const Bytes frame = frame_of(content, c.dtype, options);
    const std::size_t bound = *max_compressed_size(c.dtype, extent, options);
    for (std::size_t size = frame.size(); size <= 2 * bound + 1000; size += 1777) {
      GuardedBuffer out(size);
      const auto written = compress_into(room_of(out.bytes()), view_of(content), c.dtype, extent, options);
      ASSERT_TRUE(written) << size;
      ASSERT_EQ(*written, frame.size());
      ASSERT_TRUE(std::equal(frame.begin(), frame.end(), out.bytes().begin())) << size;
    }
  }
}

}  // namespace
}  // namespace floe::test
