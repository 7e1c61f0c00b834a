// Slots on GPUs that are none: everything is where it belongs when it is used, and given back at the end.
#include <gtest/gtest.h>

#include <utility>

#include "floe/cuda_host.hpp"
#include "floe/floe_cuda.h"
#include "tests/accelerator/arrays.hpp"
#include "tests/gpu/fake_cuda.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Elements;
using test::FakeCuda;

/// Compresses and restores; what the devices did of it.
AcceleratorShare go_there_and_back(const AcceleratorCase& c, Accelerator& devices) {
  AcceleratorShare share;
  Options options = c.with(devices);
  options.accelerator_share = &share;
  const Elements frame = test::compressed(c, options);
  EXPECT_EQ(frame, test::compressed(c, c.options));
  DecodeOptions decode = test::decode_with(devices);
  decode.accelerator_share = &share;
  Elements back(c.elements.size());
  EXPECT_EQ(test::decompress_into(back, frame, decode).message(), "ok");
  EXPECT_EQ(back, c.elements);
  return share;
}

TEST(DevicesOnFakes, FramesAreThoseOfTheCpuAndComeBack) {
  FakeCuda::the() = {};
  FakeCuda::the().devices = 2;
  {
    const auto devices = cuda::Devices::open().value();
    EXPECT_EQ(devices->count(), 2u);
    EXPECT_EQ(devices->batches_at_once(), 8u);
    for (const char* const tree : {"dpspeed", "gfc(3)", "dpratio", "sortable,delta,bitpack", "raw"}) {
      for (const std::uint64_t elements : {1u, 20'000u, 300'001u}) {
        for (const std::uint64_t segment_bytes : {16384u, 1u << 20}) {
          const AcceleratorCase c = test::accelerator_case(elements, segment_bytes, tree);
          const AcceleratorShare share = go_there_and_back(c, *devices);
          EXPECT_EQ(share.words_bytes, 2 * c.elements.size());
          EXPECT_EQ(share.accelerated_bytes, 2 * c.elements.size()) << tree << " " << elements;
        }
      }
    }
  }
  EXPECT_EQ(FakeCuda::the().allocations, 0);
}

TEST(DevicesOnFakes, PinnedMemoryIsUsedInPlace) {
  FakeCuda::the() = {};
  const auto devices = cuda::Devices::open().value();
  const AcceleratorCase c = test::accelerator_case(500'000, 1 << 20);
  auto in = cuda::PinnedMemory::allocate(c.elements.size()).value();
  std::copy(c.elements.begin(), c.elements.end(), in.bytes().begin());
  auto frame =
      cuda::PinnedMemory::allocate(max_compressed_size(c.dtype, c.extent, c.options).value()).value();
  const auto bytes = compress_into(frame.bytes(), in.bytes(), c.dtype, c.extent, c.with(*devices));
  ASSERT_TRUE(bytes) << bytes.status().message();
  const auto made = frame.bytes().first(*bytes);
  EXPECT_TRUE(std::ranges::equal(made, test::compressed(c, c.options)));
  auto back = cuda::PinnedMemory::allocate(c.elements.size()).value();
  EXPECT_EQ(test::decompress_into(back.bytes(), made, test::decode_with(*devices, 1000)).message(), "ok");
  EXPECT_TRUE(std::ranges::equal(back.bytes(), c.elements));
}

TEST(DevicesOnFakes, WithoutMemoryThatDevicesReachAllIsStillDone) {
  FakeCuda::the() = {};
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  bool is_complete = false;
  for (std::int64_t n = 0; !is_complete; ++n) {
    FakeCuda::the() = {};
    const auto devices = cuda::Devices::open().value();
    FakeCuda::the().allocations_until_failure = n;
    const AcceleratorShare share = go_there_and_back(c, *devices);
    is_complete = FakeCuda::the().allocations_until_failure >= 0;
    EXPECT_TRUE(!is_complete || share.accelerated_bytes == share.words_bytes);
    EXPECT_TRUE(n > 0 || share.accelerated_bytes < share.words_bytes);
  }
}

TEST(DevicesOnFakes, WhenACallFailsAllIsSettled) {
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  const Elements expected = test::compressed(c, c.options);
  Elements frame(expected.size()), back(c.elements.size());
  bool has_failed = true;
  for (int n = 0; has_failed; ++n) {
    FakeCuda::the() = {};
    {
      const auto devices = cuda::Devices::open().value();
      FakeCuda::the().calls_until_failure = n;
      Status status = compress_into(frame, c.elements, c.dtype, c.extent, c.with(*devices)).status();
      if (status.ok()) status = test::decompress_into(back, expected, test::decode_with(*devices));
      has_failed = FakeCuda::the().calls_until_failure < 0;
      EXPECT_EQ(status.code, has_failed ? ErrorCode::device_error : ErrorCode::ok);
      FakeCuda::the().calls_until_failure = -1;
      (void)go_there_and_back(c, *devices);
    }
    EXPECT_EQ(FakeCuda::the().allocations, 0);
  }
}

/// What is under way, and calls that come later, end in an error; memory that is gone would end the process.
TEST(DevicesOnFakes, AfterAResetOfTheDeviceAllSaySo) {
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  const Elements frame = test::compressed(c, c.options);
  Elements out(frame.size()), back(c.elements.size());
  constexpr const char* expected = "the device was reset after the object that uses it was made";
  for (int steps = 0; steps <= 4; ++steps) {  // that a batch is done before the reset
    FakeCuda::the() = {};
    {
      const auto devices = cuda::Devices::open().value();
      const auto pinned = cuda::PinnedMemory::allocate(c.elements.size()).value();
      StreamToEncode stream{c.elements.data(), DType::f64, 50'000, "sortable,delta,bitpack"};
      const Executor executor = [](std::uint32_t count, const Task& task) {
        for (std::uint32_t i = 0; i < count; ++i) task(i);
      };
      std::unique_ptr<Accelerator::Batch> batch = devices->encode({&stream, 1}, executor).value();
      ASSERT_NE(batch, nullptr);
      Status status;
      if (steps > 0) status = batch->wait_for_sizes();
      if (steps > 1 && status.ok()) status = batch->fetch();
      if (steps > 2 && status.ok()) status = batch->finish();
      EXPECT_TRUE(status.ok()) << status.message();
      if (steps > 3) batch.reset();
      FakeCuda::the().reset_device();
      if (steps == 0) status = batch->wait_for_sizes();
      if (steps == 1) status = batch->fetch();
      if (steps == 2) status = batch->finish();
      EXPECT_EQ(status.code, steps > 2 ? ErrorCode::ok : ErrorCode::device_error);
      status = compress_into(out, c.elements, c.dtype, c.extent, c.with(*devices)).status();
      EXPECT_EQ(status.code, ErrorCode::device_error);
      EXPECT_STREQ(status.detail, expected);
      status = test::decompress_into(back, frame, test::decode_with(*devices));
      EXPECT_EQ(status.code, ErrorCode::device_error);
      EXPECT_STREQ(status.detail, expected);
      const auto fresh = cuda::Devices::open().value();
      EXPECT_EQ(go_there_and_back(c, *fresh).accelerated_bytes, 2 * c.elements.size());
    }
    EXPECT_EQ(FakeCuda::the().uses_after_reset, 0);
    EXPECT_EQ(FakeCuda::the().allocations, 0);
  }
}

TEST(DevicesOnFakes, DamageIsReportedAsByTheCpu) {
  FakeCuda::the() = {};
  const auto devices = cuda::Devices::open().value();
  const AcceleratorCase c = test::accelerator_case(10'000, 32768);
  const Elements frame = test::compressed(c, c.options);
  DecodeOptions by_cpu;
  by_cpu.threads = 1;
  for (std::size_t at = 3; at < frame.size(); at += 509) {
    Elements damaged = frame, back(c.elements.size());
    damaged[at] ^= std::byte{0x10};
    EXPECT_EQ(test::decompress_into(back, damaged, test::decode_with(*devices)).message(),
              test::decompress_into(back, damaged, by_cpu).message())
        << at;
  }
}

TEST(DevicesOnFakes, AreAnAcceleratorOfTheCAbi) {
  FakeCuda::the() = {};
  FakeCuda::the().devices = 2;
  const AcceleratorCase c = test::accelerator_case(50'000, 65536);
  Elements expected = test::compressed(c, c.options), frame(expected.size()), back(c.elements.size());
  floe_accelerator* devices = nullptr;
  const std::uint32_t second = 1, none = 2;
  ASSERT_EQ(floe_cuda_open_devices(&devices, &second, 1).code, FLOE_OK);
  floe_options options;
  floe_options_default(&options);
  options.tree = "dpspeed";
  options.segment_bytes = 65536;
  options.threads = 1;
  options.accelerator = devices;
  const floe_extent extent{{50'000}, 1};
  std::size_t bytes = frame.size();
  const auto made =
      floe_compress(frame.data(), &bytes, c.elements.data(), c.elements.size(), FLOE_F64, &extent, &options);
  EXPECT_EQ(made.code, FLOE_OK) << made.detail;
  EXPECT_EQ(frame, expected);
  floe_decode_options decode;
  floe_decode_options_default(&decode);
  decode.threads = 1;
  decode.accelerator = devices;
  const auto read = floe_decompress(back.data(), back.size(), frame.data(), frame.size(), &decode);
  EXPECT_EQ(read.code, FLOE_OK) << read.detail;
  EXPECT_EQ(back, c.elements);
  floe_accelerator_close(devices);
  EXPECT_EQ(FakeCuda::the().allocations, 0);

  EXPECT_EQ(floe_cuda_open_devices(&devices, &none, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(devices, nullptr);
  EXPECT_EQ(floe_cuda_open_devices(&devices, nullptr, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_cuda_open_devices(nullptr, nullptr, 0).code, FLOE_INVALID_ARGUMENT);
}

TEST(DevicesOnFakes, NamedDevices) {
  FakeCuda::the() = {};
  FakeCuda::the().devices = 3;
  const std::uint32_t some[] = {2, 0}, none = 3, twice[] = {1, 1};
  EXPECT_EQ(cuda::Devices::open(some).value()->count(), 2u);
  EXPECT_EQ(cuda::Devices::open({&none, 1}).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(cuda::Devices::open(twice).status().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe
