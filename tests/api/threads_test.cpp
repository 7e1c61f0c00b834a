// Do threads never change the bytes, and may several of them share what is said to be shareable?
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

TEST(Threads, NeverChangeTheBytes) {
  for (const CodecCase& c : codecs_once()) {
    SCOPED_TRACE(c.name());
    for (const std::size_t kind : {5u, 8u, 10u}) {
      const std::size_t size = 130 * 16384 + 16 * 77;  // enough for two threads
      const Bytes content = make_bytes(static_cast<unsigned>(8 * c.word_bytes()), kind, size, 1);
      for (const std::uint64_t segment_bytes : {std::uint64_t{33} * 16384, std::uint64_t{64} << 20}) {
        Options options = c.options();
        options.segment_bytes = segment_bytes;
        const Bytes frame = frame_of(content, c.dtype, options);
        for (const std::uint32_t threads : {0u, 2u, 3u, 8u, 64u}) {
          options.threads = threads;
          ASSERT_TRUE(frame_of(content, c.dtype, options) == frame) << threads;
          Bytes out(*max_compressed_size(c.dtype, Extent::linear(content.size() / c.word_bytes()), options));
          const auto written = compress_into(room_of(out), view_of(content), c.dtype,
                                             Extent::linear(content.size() / c.word_bytes()), options);
          ASSERT_TRUE(written);
          out.resize(*written);
          ASSERT_TRUE(out == frame) << threads;
          ASSERT_TRUE(decode_view(frame, {threads, std::uint64_t{1} << 30}).content == content) << threads;
        }
      }
    }
  }
}

TEST(Threads, FindTheSameDamage) {
  Options options;
  options.codec = "spspeed";
  const Bytes content = make_bytes(32, 5, 300 * 16384, 1);
  Bytes frame = frame_of(content, DType::f32, options);
  for (const std::size_t place : {frame.size() / 4, frame.size() / 2}) frame[place] ^= 1;
  const Status first = decode_view(frame, {1, std::uint64_t{1} << 30}).status;
  EXPECT_EQ(first.code, ErrorCode::corrupt_frame);
  for (const std::uint32_t threads : {2u, 7u}) {
    const Status status = decode_view(frame, {threads, std::uint64_t{1} << 30}).status;
    EXPECT_EQ(status.code, first.code);
    EXPECT_EQ(status.byte_offset, first.byte_offset);
  }
}

/// Calls work(0) ... work(7) at the same time.
template <class Work>
void in_eight_threads(const Work& work) {
  std::atomic<unsigned> waiting{8};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (--waiting; waiting != 0;) std::this_thread::yield();
      work(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, ShareAView) {
  for (const std::string_view codec : {"spspeed", "spratio", "gfc"}) {
    Options options;
    options.codec = codec;
    options.segment_bytes = 20 * 16384;
    const Bytes content = make_bytes(32, 5, 70 * 16384, 1), frame = frame_of(content, DType::f32, options);
    const auto view = FrameView::parse(view_of(frame));
    ASSERT_TRUE(view);
    std::atomic<unsigned> wrong{0};
    in_eight_threads([&](unsigned t) {
      const FrameView copy = *view;
      Random random(t);
      const std::uint64_t elements = view->info().element_count;
      for (int round = 0; round < 20; ++round) {
        const std::uint64_t first = random.below(elements),
                            count = random.below(std::min<std::uint64_t>(elements - first, 30'000) + 1);
        Bytes out(4 * count);
        const Status status = (round % 2 == 0 ? *view : copy)
                                  .decompress_slice(room_of(out), {first, count}, {1 + t % 3, 1 << 30});
        const auto expected = std::span(content).subspan(4 * first, 4 * count);
        if (!status.ok() || !std::equal(out.begin(), out.end(), expected.begin(), expected.end())) ++wrong;
      }
      Bytes all(content.size());
      if (!view->decompress(room_of(all), {2, 1 << 30}).ok() || all != content) ++wrong;
      if (!view->count_chunks()) ++wrong;
    });
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(Threads, CompressAtTheSameTime) {
  const auto cases = codecs_once();
  std::vector<Bytes> contents, frames;
  for (const CodecCase& c : cases) {
    contents.push_back(make_bytes(static_cast<unsigned>(8 * c.word_bytes()), 5, 300'000, c.codec.id));
    frames.push_back(frame_of(contents.back(), c.dtype, c.options()));
  }
  std::atomic<unsigned> wrong{0};
  in_eight_threads([&](unsigned t) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t k = (i + t) % cases.size();
      Options options = cases[k].options();
      options.threads = 1 + t % 4;
      if (frame_of(contents[k], cases[k].dtype, options) != frames[k]) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0u);
}

TEST(Threads, AskForTheFirstTimeAtTheSameTime) {
  std::atomic<unsigned> wrong{0};
  in_eight_threads([&](unsigned) {
    if (codecs().size() < 8 || !choose_codec(DType::f32)) ++wrong;
  });
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace floe::test
