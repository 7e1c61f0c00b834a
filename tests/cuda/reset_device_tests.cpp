// A process resets its device: objects that were made before say so, calls and new objects work as before.
#include <cuda_runtime.h>

#include <cstdlib>
#include <optional>

#include "floe/cuda_host.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/cuda/device_memory.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Bytes;
using test::Elements;

constexpr const char* reset_detail = "the device was reset after the object that uses it was made";

void expect_reset(const Status& status) {
  EXPECT_EQ(status.code, ErrorCode::device_error);
  EXPECT_STREQ(status.detail, reset_detail);
}

Status there_and_back(const AcceleratorCase& c, Accelerator& devices) {
  Elements frame(max_compressed_size(c.dtype, c.extent, c.options).value()), back(c.elements.size());
  const auto bytes = compress_into(frame, c.elements, c.dtype, c.extent, c.with(devices));
  if (!bytes) return bytes.status();
  frame.resize(*bytes);
  EXPECT_TRUE(frame == test::compressed(c, c.options));
  const Status status = test::decompress_into(back, frame, test::decode_with(devices));
  EXPECT_TRUE(!status.ok() || back == c.elements);
  return status;
}

/// Encodes an array with a planner, in memory that is made for it.
Status plan_and_encode(cuda::PlannedEncoder& encoder, const AcceleratorCase& c) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(c.elements.data());
  const Bytes content(bytes, bytes + c.elements.size());
  const std::uint64_t room = max_compressed_size(c.dtype, c.extent, {.profile = Profile::gpu}).value();
  const test::DeviceMemory in(content), out(room);
  test::DeviceValue<cuda::ItemResult> result;
  const Status status = encoder.compress({in.data(), content.size(), out.data(), room}, c.dtype, c.extent, {},
                                         result.pointer(), nullptr);
  test::expect_cuda(cudaDeviceSynchronize());
  EXPECT_TRUE(!status.ok() || result.get().code == 0);
  std::vector<std::byte> frame(room);
  const auto by_pieces = encoder.compress_into(frame, c.elements, c.dtype, c.extent);
  EXPECT_TRUE(by_pieces ? status.ok() : by_pieces.status().code == status.code);
  return status;
}

test::DeviceOutcome compress_by_call(const AcceleratorCase& c) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(c.elements.data());
  Options options = c.options;
  options.profile = Profile::gpu;
  return test::device_compress({bytes, bytes + c.elements.size()}, c.dtype, c.extent, options,
                               max_compressed_size(c.dtype, c.extent, options).value());
}

/// In a process of its own: what other tests have on the device is theirs.
void reset_and_go_on() {
  const std::uint32_t first = 0;
  const AcceleratorCase codec = test::accelerator_case(3'000'000, 1 << 20),
                        tree = test::accelerator_case(300'000, 1 << 16, "sortable,delta,bitpack");
  const auto create_encoder = [] {
    return cuda::PlannedEncoder::create(DType::f64, 300'000, 16384, 65536).value();
  };
  auto devices = cuda::Devices::open({&first, 1}).value();
  std::optional encoder = create_encoder();
  std::optional pinned = cuda::PinnedMemory::allocate(1 << 20).value();
  EXPECT_TRUE(there_and_back(codec, *devices).ok());
  EXPECT_TRUE(there_and_back(tree, *devices).ok());
  EXPECT_TRUE(plan_and_encode(*encoder, tree).ok());
  const Bytes by_call = compress_by_call(codec).bytes;
  const Executor executor = [](std::uint32_t count, const Task& task) {
    for (std::uint32_t i = 0; i < count; ++i) task(i);
  };
  StreamToEncode stream{tree.elements.data(), DType::f64, 300'000, "sortable,delta,bitpack"};
  auto under_way = devices->encode({&stream, 1}, executor).value();

  test::expect_cuda(cudaDeviceReset());
  expect_reset(under_way->wait_for_sizes());
  for (const AcceleratorCase* const c : {&codec, &tree}) expect_reset(there_and_back(*c, *devices));
  expect_reset(plan_and_encode(*encoder, tree));

  // New memory lies where the old one lay, maybe; what is destroyed now must not take it away.
  const auto fresh = cuda::Devices::open({&first, 1}).value();
  std::optional fresh_encoder = create_encoder();
  const auto fresh_pinned = cuda::PinnedMemory::allocate(1 << 20).value();
  EXPECT_TRUE(there_and_back(codec, *fresh).ok());
  EXPECT_TRUE(plan_and_encode(*fresh_encoder, tree).ok());
  expect_reset(there_and_back(tree, *devices));
  under_way.reset(), devices.reset(), encoder.reset(), pinned.reset();
  std::ranges::fill(fresh_pinned.bytes(), std::byte{1});
  EXPECT_TRUE(there_and_back(codec, *fresh).ok());
  EXPECT_TRUE(there_and_back(tree, *fresh).ok());
  EXPECT_TRUE(plan_and_encode(*fresh_encoder, tree).ok());
  const auto again = compress_by_call(codec);
  EXPECT_TRUE(again.status.ok() && again.intact && again.bytes == by_call);
  test::expect_cuda(cudaGetLastError());
}

TEST(DeviceReset, ObjectsSaySoAndNewOnesWork) {
  FLOE_NEEDS_DEVICE();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        reset_and_go_on();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace floe
