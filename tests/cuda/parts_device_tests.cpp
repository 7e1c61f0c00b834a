// Arrays in several parts, on one GPU and on all of them: the frame is that of the CPU, and comes back.
#include <memory>
#include <utility>

#include "floe/cuda_host.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/cuda/part_contents.hpp"

namespace floe {
namespace {

using test::Bytes;
using test::DeviceMemory;
using test::has_device;
using test::options_with;
using test::repeats;
using test::walk;

/// Parts on the devices in turn, with memory of their own; every other one has pinned memory of the host.
class Parts {
 public:
  Parts(const Bytes& content, DType dtype, const Options& options, const std::vector<std::uint64_t>& cuts) {
    int devices = 0;
    cudaGetDeviceCount(&devices);
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const std::uint64_t end = i < cuts.size() ? cuts[i] : content.size();
      cuda::ArrayPart part;
      part.device = static_cast<int>(i) % devices;
      cudaSetDevice(part.device);
      part.bytes = end - begin;
      part.frame_room = *cuda::part_frame_room(part.bytes, dtype, options);
      part.workspace.bytes = *cuda::part_workspace_size(part.bytes, dtype, options);
      part.elements = keep(Bytes(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                 content.begin() + static_cast<std::ptrdiff_t>(end)));
      part.frame = keep(Bytes(part.frame_room));
      part.workspace.data = keep(Bytes(part.workspace.bytes));
      if (i % 2 == 0) {
        pinned_.push_back(
            cuda::PinnedMemory::allocate(*cuda::part_host_workspace_size(part.bytes, dtype, options))
                .value());
        part.host_workspace = {pinned_.back().bytes().data(), pinned_.back().bytes().size()};
      }
      cudaStreamCreate(&part.stream);
      parts.push_back(part);
      begin = end;
    }
    cudaSetDevice(0);
  }
  ~Parts() {
    for (const auto& part : parts) {
      cudaSetDevice(part.device);
      cudaStreamDestroy(part.stream);
    }
    cudaSetDevice(0);
  }
  [[nodiscard]] Bytes elements() const {
    Bytes all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      cudaSetDevice(parts[i].device);
      const Bytes part = memories_[3 * i]->read();
      all.insert(all.end(), part.begin(), part.end());
    }
    cudaSetDevice(0);
    return all;
  }
  void wipe_elements() const {
    for (const auto& part : parts) {
      cudaSetDevice(part.device);
      cudaMemset(part.elements, 0x77, part.bytes);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
  }
  std::vector<cuda::ArrayPart> parts;

 private:
  void* keep(const Bytes& content) {
    memories_.push_back(std::make_unique<DeviceMemory>(content));
    return memories_.back()->data();
  }
  std::vector<std::unique_ptr<DeviceMemory>> memories_;
  std::vector<cuda::PinnedMemory> pinned_;
};

void expect_frame_of_cpu(const Bytes& content, DType dtype, const Extent& extent, const Options& options,
                         const std::vector<std::uint64_t>& cuts) {
  const Parts parts(content, dtype, options, cuts);
  const auto frame = cuda::compress_parts(parts.parts, dtype, extent, options);
  ASSERT_TRUE(frame) << frame.status().message();
  const auto expected = compress(std::as_bytes(std::span(content)), dtype, extent, options).value();
  Bytes gathered(frame->frame_bytes);
  ASSERT_TRUE(cuda::gather(parts.parts, *frame, gathered.data(), gathered.size()).ok());
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(gathered)), expected))
      << options.tree << " " << cuts.size();
  const DeviceMemory on_device(frame->frame_bytes);
  ASSERT_TRUE(cuda::gather(parts.parts, *frame, on_device.data(), on_device.size()).ok());
  EXPECT_TRUE(on_device.read() == gathered);

  for (int round = 0; round < 2; ++round) {  // the first one must leave the frame as it was
    parts.wipe_elements();
    const Status status = cuda::decompress_parts(parts.parts, *frame);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(parts.elements() == content);
  }
  ASSERT_TRUE(cuda::gather(parts.parts, *frame, gathered.data(), gathered.size()).ok());
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(gathered)), expected));
}

TEST(Parts, FrameOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t segment = 1 << 18;
  const Bytes content = walk(11 * segment + 4808);
  const Extent linear = Extent::linear(content.size() / 8);
  expect_frame_of_cpu(content, DType::f64, linear, options_with("dpspeed", segment), {});
  expect_frame_of_cpu(content, DType::f64, linear, options_with("dpspeed", segment), {segment});
  for (const bool checksum : {true, false}) {
    expect_frame_of_cpu(repeats(11 * segment + 4808), DType::f64, linear,
                        options_with("dpratio", segment, checksum), {segment, 3 * segment, 8 * segment});
  }
  expect_frame_of_cpu(content, DType::f64, linear, options_with("gfc(1)", segment),
                      {2 * segment, 2 * segment, 7 * segment});
  expect_frame_of_cpu(content, DType::f32, Extent::linear(content.size() / 4),
                      options_with("spratio", segment),
                      {segment, 2 * segment, 3 * segment, 4 * segment, 11 * segment});
  expect_frame_of_cpu(content, DType::i8, Extent::linear(content.size()),
                      options_with("speed8", segment, false), {segment, 5 * segment});
  expect_frame_of_cpu(content, DType::i64, linear, options_with("delta,bitpack", segment),
                      {segment, 3 * segment, 8 * segment});
  expect_frame_of_cpu(content, DType::u16, Extent::linear(content.size() / 2),
                      options_with("rle,bitpack,bitpack", segment, false), {5 * segment});
  const std::uint64_t rows = content.size() / 8 / 601;
  const Bytes whole_rows(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(rows * 601 * 8));
  expect_frame_of_cpu(whole_rows, DType::f64, {{rows, 601}, 2}, options_with("dpspeed", segment),
                      {3 * segment, 6 * segment});
}

TEST(Parts, DamageIsFoundAndStays) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t segment = 1 << 16;
  const Bytes content = walk(6 * segment);
  const Options options = options_with("dpspeed", segment);
  const Parts parts(content, DType::f64, options, {2 * segment, 4 * segment});
  const auto frame =
      cuda::compress_parts(parts.parts, DType::f64, Extent::linear(content.size() / 8), options).value();
  for (const std::uint64_t at : {8ull, 50ull, 5000ull}) {  // number and table of a segment, payload
    const cuda::ArrayPart& part = parts.parts[1];
    auto* const byte = static_cast<std::uint8_t*>(part.frame) + frame.parts[1].memory_offset + at;
    cudaSetDevice(part.device);
    std::uint8_t before = 0;
    cudaMemcpy(&before, byte, 1, cudaMemcpyDeviceToHost);
    const auto changed = static_cast<std::uint8_t>(before ^ 4);
    cudaMemcpy(byte, &changed, 1, cudaMemcpyHostToDevice);
    const Status status = cuda::decompress_parts(parts.parts, frame);
    EXPECT_EQ(status.code, ErrorCode::corrupt_frame) << at;
    std::uint8_t after = 0;
    cudaMemcpy(&after, byte, 1, cudaMemcpyDeviceToHost);
    EXPECT_EQ(after, changed);
    cudaMemcpy(byte, &before, 1, cudaMemcpyHostToDevice);
    cudaSetDevice(0);
    EXPECT_TRUE(cuda::decompress_parts(parts.parts, frame).ok());
  }
}

TEST(Parts, RefusedDecodingLeavesTheFrameAsItWas) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t segment = 1 << 16;
  const Bytes content = walk(6 * segment);
  const Options options = options_with("dpspeed", segment);
  Parts parts(content, DType::f64, options, {2 * segment, 4 * segment});
  const auto frame =
      cuda::compress_parts(parts.parts, DType::f64, Extent::linear(content.size() / 8), options).value();
  void* const elements = std::exchange(parts.parts[1].elements, nullptr);
  EXPECT_EQ(cuda::decompress_parts(parts.parts, frame).code, ErrorCode::invalid_argument);
  parts.parts[1].elements = elements;
  parts.wipe_elements();
  EXPECT_TRUE(cuda::decompress_parts(parts.parts, frame).ok());
  EXPECT_TRUE(parts.elements() == content);
}

TEST(Parts, WrongArguments) {
  FLOE_NEEDS_DEVICE();
  const Bytes content = walk(200'000);
  const Options options = options_with("dpspeed", 16384);
  const Extent extent = Extent::linear(content.size() / 8);
  const Parts uneven(content, DType::f64, options, {16392});
  EXPECT_EQ(cuda::compress_parts(uneven.parts, DType::f64, extent, options).status().code,
            ErrorCode::invalid_argument);
  Parts parts(content, DType::f64, options, {16384});
  EXPECT_EQ(cuda::compress_parts(parts.parts, DType::f64, Extent::linear(5), options).status().code,
            ErrorCode::invalid_argument);
  parts.parts[1].frame_room = 1000;
  EXPECT_EQ(cuda::compress_parts(parts.parts, DType::f64, extent, options).status().code,
            ErrorCode::output_too_small);
  parts.parts[0].host_workspace.bytes -= 8;
  EXPECT_EQ(cuda::compress_parts(parts.parts, DType::f64, extent, options).status().code,
            ErrorCode::invalid_argument);
  parts.parts[0].host_workspace.bytes += 8;
  parts.parts[1].workspace.bytes = 256;
  EXPECT_EQ(cuda::compress_parts(parts.parts, DType::f64, extent, options).status().code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe
