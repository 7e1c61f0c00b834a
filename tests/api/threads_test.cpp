// Do threads never change the bytes, and may several of them share what is said to be shareable?
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

TEST(Threads, NeverChangeTheBytes) {
  constexpr std::uint64_t short_segment = 33 * 16384, long_segment = std::uint64_t{64} << 20;
  constexpr std::pair<std::size_t, std::uint64_t> ways[] = {
      {5, short_segment}, {5, long_segment}, {8, long_segment}, {10, short_segment}};
  std::size_t number = 0;
  for (const ArrayCase& c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    for (const auto& [kind, segment_bytes] : ways) {
      if (number++ % (sanitized ? 5 : 3) != 0) continue;               // each way with other trees
      const Bytes content = c.sample(kind, 130 * 16384 + 16 * 77, 1);  // enough for two threads
      const Extent extent = Extent::linear(content.size() / c.word_bytes());
      Options options = c.options();
      options.segment_bytes = segment_bytes;
      const Bytes frame = frame_of(content, c.dtype, options);
      for (const std::uint32_t threads : {0u, 2u, 3u, 8u}) {
        options.threads = threads;
        ASSERT_TRUE(frame_of(content, c.dtype, options) == frame) << threads;
        ASSERT_TRUE(decode_memory(frame, {.threads = threads}).content == content) << threads;
      }
      Bytes out(*max_compressed_size(c.dtype, extent, options));
      options.threads = 64;
      const auto written = compress_into(room_of(out), view_of(content), c.dtype, extent, options);
      ASSERT_TRUE(written);
      out.resize(*written);
      ASSERT_TRUE(out == frame);
    }
  }
}

TEST(Threads, SearchTheSameTreesWithEveryGoal) {
  constexpr std::size_t words = 40'000, bits = 64;
  Options options;
  options.segment_bytes = 5 * 16384;  // four segments, which are planned side by side
  for (const Goal goal : {Goal::speed, Goal::balance, Goal::ratio, Goal::max}) {
    options.goal = goal;
    for (std::size_t kind = 0; kind < content_names().size(); kind += sanitized ? 5 : 1) {
      SCOPED_TRACE(content_names()[kind]);
      const Bytes content = make_bytes(bits, kind, words * bits / 8, 1);
      options.threads = 1;
      const Bytes frame = frame_of(content, DType::f64, options);
      options.threads = 4;
      ASSERT_TRUE(frame_of(content, DType::f64, options) == frame) << static_cast<int>(goal);
      ASSERT_TRUE(decode_memory(frame, {.threads = 4}).content == content) << static_cast<int>(goal);
    }
  }
}

/// One thread makes streams where they belong, as long as it knows where that is: codecs and other trees in
/// turn, and memory with room for no more than the frame.
TEST(Threads, MakeTheSameFrameInMemory) {
  constexpr std::size_t bits = 64, segment_bytes = 5 * 16384;
  Bytes content;
  for (std::size_t turn = 0; turn < 2; ++turn) {
    for (std::size_t kind = 0; kind < content_names().size(); ++kind) {
      const Bytes segment = make_bytes(bits, kind, segment_bytes, turn);
      content.insert(content.end(), segment.begin(), segment.end());
    }
  }
  const Extent extent = Extent::linear(content.size() / 8);
  Options options;
  options.segment_bytes = segment_bytes;
  for (const Goal goal : {Goal::speed, Goal::balance}) {
    options.goal = goal;
    options.threads = 4;
    const Bytes frame = frame_of(content, DType::f64, options);
    options.threads = 1;
    for (const std::uint64_t bytes : {*max_compressed_size(DType::f64, extent, options), frame.size()}) {
      Bytes out(bytes);
      const auto written = compress_into(room_of(out), view_of(content), DType::f64, extent, options);
      ASSERT_TRUE(written);
      out.resize(*written);
      ASSERT_TRUE(out == frame);
    }
  }
}

/// In a long segment, whose chunks threads share, and in short ones, which they decode side by side.
TEST(Threads, FindTheSameDamage) {
  const Bytes content = make_bytes(32, 5, 450 * 16384, 1);  // enough for several threads
  for (const std::uint64_t segment_bytes : {std::uint64_t{64} << 20, std::uint64_t{20} * 16384}) {
    Options options;
    options.tree = "spspeed";
    options.segment_bytes = segment_bytes;
    Bytes frame = frame_of(content, DType::f32, options);
    for (const std::uint32_t threads : {1u, 2u, 7u})
      ASSERT_TRUE(decode_memory(frame, {.threads = threads}).content == content);
    for (const std::size_t position : {frame.size() / 4, frame.size() / 2}) frame[position] ^= 1;
    const Status first = decode_memory(frame, {.threads = 1}).status;
    EXPECT_EQ(first.code, ErrorCode::corrupt_frame);
    for (const std::uint32_t threads : {2u, 7u}) {
      const Status status = decode_memory(frame, {.threads = threads}).status;
      EXPECT_EQ(status.code, first.code);
      EXPECT_EQ(status.byte_offset, first.byte_offset);
    }
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

TEST(Threads, ShareAReaderOfAnArray) {
  for (const char* tree : {"spspeed", "spratio", "gfc", "sortable,delta,entropy", ""}) {
    Options options;
    options.tree = tree;
    options.segment_bytes = 20 * 16384;
    const Bytes content = make_bytes(32, 5, 70 * 16384, 1), frame = frame_of(content, DType::f32, options);
    const auto reader = Reader::open(view_of(frame));
    ASSERT_TRUE(reader);
    std::atomic<unsigned> wrong{0};
    in_eight_threads([&](unsigned t) {
      Random random(t);
      const std::uint64_t elements = reader->info().element_count;
      for (int round = 0; round < 20; ++round) {
        const std::uint64_t first = random.below(elements),
                            count = random.below(std::min<std::uint64_t>(elements - first, 30'000) + 1);
        Bytes out(4 * count);
        const Status status = reader->decompress_slice(room_of(out), {first, count}, {.threads = 1 + t % 3});
        const auto expected = std::span(content).subspan(4 * first, 4 * count);
        if (!status.ok() || !std::equal(out.begin(), out.end(), expected.begin(), expected.end())) ++wrong;
      }
      Bytes all(content.size());
      if (!reader->decompress(room_of(all), {.threads = 2}).ok() || all != content) ++wrong;
      if (!reader->segment(t % reader->info().segment_count)) ++wrong;
    });
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(Threads, ShareAReaderOfATable) {
  TableOptions table;
  table.segment_rows = 300;
  const std::string text = some_csv(2000);
  const Bytes frame = table_of(text, table);
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  const std::vector<std::string> prices = reader->read_texts(2, {0, 2000}).value();
  std::atomic<unsigned> wrong{0};
  in_eight_threads([&](unsigned t) {
    Random random(t);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t first = random.below(2000), count = random.below(2000 - first + 1);
      const auto texts = reader->read_texts(2, {first, count}, {.threads = 1 + t % 3});
      if (!texts ||
          !std::equal(texts->begin(), texts->end(), prices.begin() + static_cast<std::ptrdiff_t>(first)))
        ++wrong;
    }
    Bytes all;
    if (!reader->restore(sink_to(all), {.threads = 2}).ok() || text_of(all) != text) ++wrong;
  });
  EXPECT_EQ(wrong, 0u);
}

TEST(Threads, NeverChangeTables) {
  TableOptions table;
  table.segment_rows = 1000;
  const std::string text = some_csv(sanitized ? 7'000 : 20'000);
  Options options;
  options.threads = 1;
  const Bytes frame = table_of(text, table, options);
  for (const std::uint32_t threads : {0u, 2u, 3u, 8u}) {
    options.threads = threads;
    ASSERT_TRUE(table_of(text, table, options) == frame) << threads;
    ASSERT_TRUE(decode_restored(frame, {.threads = threads}).content == bytes_of(text)) << threads;
    ASSERT_TRUE(decode_stream(frame, [] { return std::size_t{10'000}; }, {.threads = threads}).content ==
                bytes_of(text));
  }
}

TEST(Threads, CompressAtTheSameTime) {
  const auto cases = mixed_cases();
  std::vector<Bytes> contents, frames;
  for (const ArrayCase& c : cases) {
    contents.push_back(c.sample(5, sanitized ? 50'000 : 150'000, contents.size()));
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
    if (codecs().size() < 8 || instruction_set().empty()) ++wrong;
  });
  EXPECT_EQ(wrong, 0u);
}

TEST(Threads, MayReleaseMemoryWhileOthersUseIt) {
  const Bytes content = make_bytes(32, 5, 40 * 16384, 1);
  const Bytes frame = frame_of(content, DType::f32, {});
  in_eight_threads([&](unsigned thread) {
    for (int call = 0; call < 10; ++call) {
      if (thread % 2 == 0) release_memory();
      EXPECT_TRUE(frame_of(content, DType::f32, {}) == frame);
      EXPECT_TRUE(decode_memory(frame).content == content);
    }
  });
}

}  // namespace
}  // namespace floe::test
