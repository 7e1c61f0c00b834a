// Test of recorded frames on the CPU: it makes them. Guards the identity with devices where there is none.
#include "tests/cuda/recorded_frames.hpp"

#include <gtest/gtest.h>

namespace floe::test {
namespace {

TEST(RecordedFrames, AreThoseOfTheCpu) {
  EXPECT_EQ(hash_recorded_frames([](const Bytes& content, const ArrayCase& c, const Options& options) {
              return frame_of(content, c.dtype, options);
            }),
            recorded_hash);
}

}  // namespace
}  // namespace floe::test
