// Does the CPU still make the frames that a GPU made? Guards the identity of both where there is no GPU.
#include "tests/cuda/recorded_frames.hpp"

#include <gtest/gtest.h>

namespace floe::test {
namespace {

TEST(RecordedFrames, AreThoseOfTheCpu) {
  EXPECT_EQ(hash_recorded_frames([](const Bytes& content, const CodecCase& c, const Options& options) {
              return frame_of(content, c.dtype, options);
            }),
            recorded_hash);
}

}  // namespace
}  // namespace floe::test
