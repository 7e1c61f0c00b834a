// Tests of recorded segments: the CPU makes those that the device was seen to make, and emulated lanes decode
// them to the words that it gave.
#include "tests/cuda/recorded_segments.hpp"

#include <gtest/gtest.h>

#include "tests/series_cuda/emulated_decoder.hpp"

namespace floe::test {
namespace {

TEST(RecordedSegments, AreThoseOfTheCpu) {
  std::vector<Bytes> segments;
  for (std::uint64_t seed = 0; seed < recorded_columns; ++seed) {
    for (Bytes& segment : RandomTree(seed).segments) segments.push_back(std::move(segment));
  }
  EXPECT_EQ(hash_of(segments), recorded_segments_hash);
}

TEST(RecordedSegments, GiveTheWordsThatDevicesGive) {
  std::vector<Bytes> words;
  for (std::uint64_t seed = 0; seed < recorded_columns; ++seed) {
    const RandomTree random(seed);
    for (std::size_t i = 0; i < random.segments.size(); ++i) {
      Column segment(
          random.column.type,
          std::min<std::uint64_t>(random.segment_words, random.column.count() - i * random.segment_words));
      ASSERT_EQ(
          decode_emulated(random.segments[i], segment, 64 * 1024 + 200 * segment.count(), seed % 2 == 0),
          ErrorCode::ok)
          << random.name;
      words.push_back(segment.bytes);
    }
  }
  EXPECT_EQ(hash_of(words), recorded_words_hash);
}

}  // namespace
}  // namespace floe::test
