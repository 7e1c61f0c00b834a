// Tests of all kinds of arrays, and of the golden files, by way of a device: frames, slices and restored
// content are those of the CPU.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "floe/cuda_host.hpp"
#include "tests/cuda/device_memory.hpp"

namespace floe::test {
namespace {

/// Every codec with every type, trees with every encoding, and every type by every goal.
std::vector<ArrayCase> all_cases() {
  std::vector<ArrayCase> cases = codec_cases();
  for (auto* const more : {&tree_cases, &goal_cases}) {
    for (ArrayCase& c : more()) cases.push_back(std::move(c));
  }
  return cases;
}

TEST(CudaKinds, FramesAreThoseOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  Random random(3);
  for (const ArrayCase& c : all_cases()) {
    for (const std::size_t kind : {std::size_t{4}, std::size_t{5}}) {
      const std::uint64_t elements = 25'000 * rounds(6) + random.below(1000);
      const Bytes content = c.sample(kind, elements * c.word_bytes(), kind);
      Options options = c.options();
      const Bytes expected = frame_of(content, c.dtype, options);
      options.accelerator = devices.get();
      const Bytes frame = frame_of(content, c.dtype, options);
      ASSERT_TRUE(frame == expected) << c.name() << ", content " << kind;
      DecodeOptions by_device = one_thread;
      by_device.accelerator = devices.get();
      const Decoded decoded = decode_memory(frame, by_device);
      ASSERT_TRUE(decoded.status.ok()) << c.name() << ": " << decoded.status.message();
      ASSERT_TRUE(decoded.content == content) << c.name() << ", content " << kind;
      const Slice slice{random.below(elements), 1 + random.below(1000)};
      const std::uint64_t count = std::min(slice.count, elements - slice.first);
      Bytes part(count * c.word_bytes());
      const Reader reader = Reader::open(view_of(frame)).value();
      ASSERT_TRUE(reader.decompress_slice(room_of(part), {slice.first, count}, by_device).ok()) << c.name();
      ASSERT_EQ(std::memcmp(part.data(), content.data() + slice.first * c.word_bytes(), part.size()), 0)
          << c.name() << " from " << slice.first;
    }
  }
}

TEST(CudaKinds, GoldenFilesAreReadAsByTheCpu) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  DecodeOptions by_device = one_thread;
  by_device.accelerator = devices.get();
  std::size_t files = 0;
  for (const char* const folder : {"arrays", "tables", "unusual", "reject"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path("tests/golden") / folder)) {
      if (entry.path().extension() != ".floe") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const Bytes frame{std::istreambuf_iterator<char>(file), {}};
      const Decoded expected = decode_memory(frame), decoded = decode_memory(frame, by_device);
      EXPECT_EQ(decoded.status.code, expected.status.code) << entry.path();
      EXPECT_EQ(decoded.status.byte_offset, expected.status.byte_offset) << entry.path();
      EXPECT_TRUE(!expected.status.ok() || decoded.content == expected.content) << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 100u);
}

}  // namespace
}  // namespace floe::test
