// Do arrays in memory of the host that go through GPUs give the frames of the CPU, on one GPU and on all of
// them?
#include <cuda_runtime.h>

#include <algorithm>
#include <random>

#include "floe/cuda_host.hpp"
#include "tests/cuda/device_memory.hpp"

namespace floe {
namespace {

using test::has_device;
using Elements = std::vector<std::byte>;

struct Kind {
  DType dtype;
  const char* codec;
};
constexpr Kind kinds[] = {{DType::f64, "dpspeed"}, {DType::f32, "spspeed"},  {DType::f32, "spratio"},
                          {DType::f64, "gfc"},     {DType::bf16, "speed16"}, {DType::i8, "speed8"},
                          {DType::f64, "dpratio"}};

/// A walk with noise: chunks that are coded and raw.
Elements walk(std::uint64_t bytes, std::uint64_t seed) {
  Elements elements(bytes);
  std::mt19937_64 random(seed);
  std::uint32_t value = 0;
  for (std::uint64_t i = 0; i + 4 <= bytes; i += 4) {
    value = i % 900'000 < 800'000 ? value + static_cast<std::uint32_t>(random() % 1024) - 512
                                  : static_cast<std::uint32_t>(random());
    std::memcpy(elements.data() + i, &value, 4);
  }
  return elements;
}

/// The groups of devices to try: the first, and all if there are more.
std::vector<std::vector<std::uint32_t>> device_groups() {
  std::vector<std::vector<std::uint32_t>> groups{{0}};
  for (std::uint32_t i = 1; i < *gpu::device_count(); ++i) {
    groups.push_back(groups.back());
    groups.back().push_back(i);
  }
  return groups;
}

TEST(HostArrays, OneShotIsTheCpusFrame) {
  FLOE_NEEDS_DEVICE();
  for (const auto& group : device_groups()) {
    auto devices = cuda::Devices::open(group).value();
    ASSERT_EQ(devices.count(), group.size());
    for (const Kind& kind : kinds) {
      for (const std::uint64_t bytes : {0ull, 8ull, 16384ull, 16392ull, 1'000'000ull, 70'000'000ull}) {
        for (const std::uint64_t segment_bytes : {16384ull, 1ull << 20, 64ull << 20}) {
          if (bytes / segment_bytes > 1000) continue;
          const Elements elements = walk(bytes, bytes + segment_bytes);
          const Extent extent = Extent::linear(bytes / size_of(kind.dtype));
          Options options;
          options.codec = kind.codec;
          options.segment_bytes = segment_bytes;
          options.checksum = bytes != 16392;
          if (options.codec == "gfc") options.dimensionality = 3;
          const Elements expected = compress(elements, kind.dtype, extent, options).value();
          Elements frame(max_compressed_size(kind.dtype, extent, options).value()), back(bytes);
          const auto frame_bytes = devices.compress_into(frame, elements, kind.dtype, extent, options);
          ASSERT_TRUE(frame_bytes) << frame_bytes.status().message();
          frame.resize(*frame_bytes);
          EXPECT_TRUE(frame == expected)
              << kind.codec << " " << bytes << " " << segment_bytes << " on " << group.size();
          const Status status = devices.decompress(back, expected);
          EXPECT_TRUE(status.ok()) << status.message();
          EXPECT_TRUE(back == elements)
              << kind.codec << " " << bytes << " " << segment_bytes << " on " << group.size();
        }
      }
    }
  }
}

TEST(HostArrays, PinnedMemoryIsUsedInPlace) {
  FLOE_NEEDS_DEVICE();
  auto devices = cuda::Devices::open().value();
  const std::uint64_t bytes = 300'000'000;
  const Elements elements = walk(bytes, 5);
  const Extent extent = Extent::linear(bytes / 4);
  Options options;
  options.codec = "spspeed";
  options.segment_bytes = 16u << 20;
  auto in = cuda::PinnedMemory::allocate(bytes).value(), back = cuda::PinnedMemory::allocate(bytes).value();
  auto frame = cuda::PinnedMemory::allocate(max_compressed_size(DType::f32, extent, options).value()).value();
  std::copy(elements.begin(), elements.end(), in.bytes().begin());
  const auto frame_bytes = devices.compress_into(frame.bytes(), in.bytes(), DType::f32, extent, options);
  ASSERT_TRUE(frame_bytes) << frame_bytes.status().message();
  const auto made = frame.bytes().first(*frame_bytes);
  EXPECT_TRUE(std::ranges::equal(made, compress(elements, DType::f32, extent, options).value()));
  ASSERT_TRUE(devices.decompress(back.bytes(), made).ok());
  EXPECT_TRUE(std::ranges::equal(back.bytes(), elements));
}

TEST(HostArrays, StreamsAreTheSame) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  const Elements elements = walk(40'000'000, 6);
  Options options;
  options.codec = "dpspeed";
  options.segment_bytes = 1u << 20;
  Elements frame, back;
  const auto append_to = [](Elements& to) {
    return [&to](std::span<const std::byte> bytes) {
      to.insert(to.end(), bytes.begin(), bytes.end());
      return Status{};
    };
  };
  const auto in_pieces = [](std::span<const std::byte> bytes, auto&& take) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), 777'777)))
      take(bytes.first(std::min<std::size_t>(bytes.size(), 777'777)));
  };
  {
    auto compressor = gpu::Compressor::create(devices, append_to(frame), DType::f64, {}, options).value();
    in_pieces(elements, [&](auto piece) { ASSERT_TRUE(compressor.write(piece).ok()); });
    ASSERT_TRUE(compressor.finish().ok());
  }
  EXPECT_TRUE(frame == compress(elements, DType::f64, Extent::linear(elements.size() / 8), options).value());
  auto decompressor = gpu::Decompressor::create(devices, append_to(back)).value();
  in_pieces(frame, [&](auto piece) { ASSERT_TRUE(decompressor.write(piece).ok()); });
  ASSERT_TRUE(decompressor.finish().ok());
  EXPECT_TRUE(decompressor.on_devices());
  EXPECT_TRUE(back == elements);
}

TEST(HostArrays, DamageIsReportedAsByTheCpu) {
  FLOE_NEEDS_DEVICE();
  auto devices = cuda::Devices::open().value();
  const Elements elements = walk(3'000'000, 7);
  Options options;
  options.codec = "spratio";
  options.segment_bytes = 1u << 19;
  const Extent extent = Extent::linear(elements.size() / 4);
  const Elements frame = compress(elements, DType::f32, extent, options).value();
  std::mt19937_64 random(8);
  for (int i = 0; i < 500; ++i) {
    Elements damaged = frame, back(elements.size());
    damaged[random() % frame.size()] ^= std::byte{static_cast<unsigned char>(1 << random() % 8)};
    const auto view = FrameView::parse(damaged);
    const Status expected = view ? view->decompress(back) : view.status();
    EXPECT_EQ(devices.decompress(back, damaged).message(), expected.message());
  }
}

TEST(HostArrays, NamedDevices) {
  FLOE_NEEDS_DEVICE();
  const std::uint32_t none = 1000, twice[] = {0, 0};
  EXPECT_EQ(cuda::Devices::open({&none, 1}).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(cuda::Devices::open(twice).status().code, ErrorCode::invalid_argument);
  int before = -1;
  cudaGetDevice(&before);
  (void)cuda::Devices::open().value();
  int after = -1;
  cudaGetDevice(&after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace floe
