// Does the CPU make the segments that the device was seen to make?
#include "tests/cuda/recorded_segments.hpp"

#include <gtest/gtest.h>

namespace floe::test {
namespace {

TEST(RecordedSegments, AreThoseOfTheCpu) {
  std::vector<Bytes> segments;
  for (std::uint64_t seed = 0; seed < recorded_columns; ++seed) {
    for (Bytes& segment : RandomTree(seed).segments) segments.push_back(std::move(segment));
  }
  EXPECT_EQ(hash_of(segments), recorded_segments_hash);
}

}  // namespace
}  // namespace floe::test
