// Test of recorded frames on a device: it makes them.
#include "tests/cuda/recorded_frames.hpp"

#include "tests/cuda/device_memory.hpp"

namespace floe::test {
namespace {

TEST(CudaRecordedFrames, AreThoseOfTheDevice) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t hash = hash_recorded_frames([](const Bytes& content, const ArrayCase& c,
                                                     const Options& options) {
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    return device_compress(content, c.dtype, extent, options, *max_compressed_size(c.dtype, extent, options))
        .bytes;
  });
  EXPECT_EQ(hash, recorded_hash) << std::hex << hash;
}

}  // namespace
}  // namespace floe::test
