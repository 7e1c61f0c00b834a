// Do arrays that go through devices give the frames of the CPU, and come back? With devices that are no
// devices.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>

#include "gpu/offload/portion_rules.hpp"
#include "tests/offload/fake_devices.hpp"

namespace floe {
namespace {

using test::FakeControl;
using Elements = std::vector<std::byte>;

/// Smooth with noise, so that chunks are coded and raw.
Elements make_elements(std::uint64_t bytes, std::uint64_t seed) {
  Elements elements(bytes);
  for (std::uint64_t i = 0; i + 8 <= bytes; i += 8) {
    const std::uint64_t noise = core::splitmix(seed + i);
    const double value =
        i / 8 % 40000 < 30000 ? std::sin(static_cast<double>(i + seed) * 1e-5) : static_cast<double>(noise);
    std::memcpy(elements.data() + i, &value, 8);
  }
  return elements;
}

struct Case {
  DType dtype = DType::f64;
  Extent extent;
  Options options;
  Elements elements;
};

Case small_case(std::uint64_t elements, std::uint64_t segment_bytes) {
  Case c;
  c.extent = Extent::linear(elements);
  c.options.codec = "dpspeed";
  c.options.segment_bytes = segment_bytes;
  c.options.threads = 1;
  c.elements = make_elements(elements * 8, elements);
  return c;
}

Elements on_cpu(const Case& c) { return compress(c.elements, c.dtype, c.extent, c.options).value(); }

Elements on_devices(cuda::Devices& devices, const Case& c) {
  Elements frame(max_compressed_size(c.dtype, c.extent, c.options).value());
  frame.resize(devices.compress_into(frame, c.elements, c.dtype, c.extent, c.options).value());
  return frame;
}

TEST(Devices, OneShotIsTheCpusFrame) {
  rc::check([](std::uint64_t seed) {
    Case c;
    const std::vector<std::pair<DType, const char*>> kinds = {
        {DType::f64, "dpspeed"}, {DType::f32, "spspeed"},  {DType::f32, "spratio"}, {DType::f64, "gfc"},
        {DType::u8, "speed8"},   {DType::bf16, "speed16"}, {DType::f64, "dpratio"}};
    const auto kind = *rc::gen::elementOf(kinds);
    c.dtype = kind.first;
    c.options.codec = kind.second;
    c.options.checksum = *rc::gen::arbitrary<bool>();
    c.options.segment_bytes = 16384 * *rc::gen::element<std::uint64_t>(1, 2, 5);
    c.options.threads = 1;
    if (c.options.codec == "gfc") c.options.dimensionality = *rc::gen::inRange(1u, 33u);
    const std::uint64_t elements = *rc::gen::inRange<std::uint64_t>(0, 2'000'000 / size_of(c.dtype));
    c.extent = Extent::linear(elements);
    c.elements = make_elements(elements * size_of(c.dtype), seed);
    FakeControl control;
    cuda::Devices devices =
        test::fake_devices(*rc::gen::inRange(1u, 9u), *rc::gen::arbitrary<bool>(), control);

    const Elements frame = on_devices(devices, c);
    RC_ASSERT(frame == on_cpu(c));
    Elements back(c.elements.size());
    RC_ASSERT(devices.decompress(back, frame, {1}).ok());
    RC_ASSERT(back == c.elements);
  });
}

TEST(Devices, StreamsAreTheSame) {
  rc::check([](std::uint64_t seed) {
    Case c = small_case(*rc::gen::inRange<std::uint64_t>(0, 40) * 1000 * 6,
                        16384 * *rc::gen::element<std::uint64_t>(1, 3));
    const std::array<std::uint64_t, 2> inner = {2, 3};
    c.extent = {{c.extent.size[0] / 6, 2, 3}, 3};
    const Elements prefix(*rc::gen::inRange<std::size_t>(0, 100), std::byte{7});
    c.options.prefix = prefix;
    FakeControl control;
    const cuda::Devices devices = test::fake_devices(*rc::gen::inRange(1u, 5u), false, control);
    const auto in_pieces = [&seed](std::span<const std::byte> bytes, auto&& take) {
      while (!bytes.empty()) {
        seed = core::splitmix(seed + core::splitmix_step);
        const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), seed % 100'000));
        take(piece);
        bytes = bytes.subspan(piece.size());
      }
    };
    Elements frame, back;
    const auto append_to = [](Elements& to) {
      return [&to](std::span<const std::byte> bytes) {
        to.insert(to.end(), bytes.begin(), bytes.end());
        return Status{};
      };
    };
    {
      auto compressor =
          cuda::Compressor::create(devices, append_to(frame), c.dtype, inner, c.options).value();
      in_pieces(c.elements, [&](auto piece) { RC_ASSERT(compressor.write(piece).ok()); });
      RC_ASSERT(compressor.finish().ok());
    }
    RC_ASSERT(frame == on_cpu(c));
    auto decompressor = cuda::Decompressor::create(devices, append_to(back), {1}).value();
    decompressor.with_prefix(true);
    in_pieces(frame, [&](auto piece) { RC_ASSERT(decompressor.write(piece).ok()); });
    RC_ASSERT(decompressor.finish().ok());
    RC_ASSERT(decompressor.on_devices());
    RC_ASSERT(decompressor.info()->frame_bytes == frame.size());
    Elements expected = prefix;
    expected.insert(expected.end(), c.elements.begin(), c.elements.end());
    RC_ASSERT(back == expected);
  });
}

TEST(Devices, PortionsGoRoundAndOverlap) {
  FakeControl control;
  cuda::Devices devices = test::fake_devices(3, false, control);
  const Case c = small_case(10 * offload::max_portion_segments * 16384 / 8, 16384);
  EXPECT_EQ(on_devices(devices, c), on_cpu(c));
  EXPECT_EQ(control.started, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
  EXPECT_GE(control.max_busy, 9u);  // while three copy in and three work, three copy out
  EXPECT_LE(control.max_busy, 12u);
}

TEST(Devices, MemoryIsReachedWithoutStaging) {
  FakeControl control;
  cuda::Devices devices = test::fake_devices(1, true, control);
  const Case c = small_case(300'000, 65536);
  const Elements frame = on_devices(devices, c);
  EXPECT_EQ(control.max_memory_bytes, 0u);
  Elements back(c.elements.size());
  ASSERT_TRUE(devices.decompress(back, frame).ok());
  EXPECT_EQ(back, c.elements);
}

TEST(Devices, EveryDamageIsReportedAsByTheCpu) {
  const Case c = small_case(40'000, 65536);
  const Elements frame = on_cpu(c);
  FakeControl control;
  cuda::Devices devices = test::fake_devices(2, false, control);
  const auto into = [](Elements& to) {
    return [&to](std::span<const std::byte> bytes) {
      to.insert(to.end(), bytes.begin(), bytes.end());
      return Status{};
    };
  };
  for (std::size_t at = 0; at < frame.size(); at += at < 400 || at + 400 > frame.size() ? 1 : 997) {
    Elements damaged = frame;
    damaged[at] ^= std::byte{0x10};
    Elements back(c.elements.size()), cpu_out, device_out;
    const auto view = FrameView::parse(damaged);
    const Status expected = view ? view->decompress(back, {1}) : view.status();
    const Status status = devices.decompress(back, damaged, {1});
    EXPECT_EQ(status.message(), expected.message()) << at;

    Decompressor cpu(into(cpu_out), {1});
    Status cpu_status = cpu.write(damaged);
    if (cpu_status.ok()) cpu_status = cpu.finish();
    auto stream = cuda::Decompressor::create(devices, into(device_out), {1}).value();
    Status device_status = stream.write(damaged);
    if (device_status.ok()) device_status = stream.finish();
    EXPECT_EQ(device_status.message(), cpu_status.message()) << at;
    EXPECT_TRUE(std::equal(device_out.begin(), device_out.end(), cpu_out.begin(), cpu_out.end()) ||
                device_out.size() < cpu_out.size())
        << at;
  }
}

TEST(Devices, CutFramesAreTruncated) {
  const Case c = small_case(40'000, 65536);
  const Elements frame = on_cpu(c);
  FakeControl control;
  const cuda::Devices devices = test::fake_devices(2, false, control);
  for (std::size_t length = 0; length < frame.size(); length += 501) {
    Decompressor cpu([](std::span<const std::byte>) { return Status{}; }, {1});
    auto stream =
        cuda::Decompressor::create(devices, [](std::span<const std::byte>) { return Status{}; }, {1}).value();
    ASSERT_TRUE(cpu.write(std::span(frame).first(length)).ok());
    ASSERT_TRUE(stream.write(std::span(frame).first(length)).ok());
    EXPECT_EQ(stream.finish().message(), cpu.finish().message()) << length;
  }
}

TEST(Devices, FailuresOfDevicesAreReported) {
  const Case c = small_case(3 * offload::max_portion_segments * 16384 / 8, 16384);
  Elements frame(max_compressed_size(c.dtype, c.extent, c.options).value());
  FakeControl control;
  cuda::Devices devices = test::fake_devices(2, false, control);
  control.fail_task = 1;
  EXPECT_EQ(devices.compress_into(frame, c.elements, c.dtype, c.extent, c.options).status().message(),
            "device_error: the device fell off the bus");
  control.fail_task = ~0ull;
  control.damages_results = true;
  EXPECT_EQ(devices.compress_into(frame, c.elements, c.dtype, c.extent, c.options).status().code,
            ErrorCode::device_error);
  control.damages_results = false;
  EXPECT_EQ(on_devices(devices, c), on_cpu(c));  // they can be used again
}

TEST(Devices, OneUserAtATime) {
  FakeControl control;
  cuda::Devices devices = test::fake_devices(1, false, control);
  const Case c = small_case(1000, 16384);
  const auto sink = [](std::span<const std::byte>) { return Status{}; };
  {
    const auto stream = cuda::Compressor::create(devices, sink, c.dtype);
    ASSERT_TRUE(stream);
    EXPECT_EQ(cuda::Decompressor::create(devices, sink).status().code, ErrorCode::invalid_argument);
    Elements frame(100'000);
    EXPECT_EQ(devices.compress_into(frame, c.elements, c.dtype, c.extent).status().code,
              ErrorCode::invalid_argument);
  }
  EXPECT_TRUE(cuda::Decompressor::create(devices, sink));
}

TEST(Devices, TooSmallOutputAndWrongSizes) {
  FakeControl control;
  cuda::Devices devices = test::fake_devices(2, true, control);
  const Case c = small_case(100'000, 16384);
  const Elements frame = on_cpu(c);
  Elements out(frame.size());
  EXPECT_TRUE(devices.compress_into(out, c.elements, c.dtype, c.extent, c.options));
  for (const std::size_t less : {std::size_t{1}, std::size_t{20'000}, frame.size()}) {
    const auto room = std::span(out).first(frame.size() - less);
    EXPECT_EQ(devices.compress_into(room, c.elements, c.dtype, c.extent, c.options).status().code,
              ErrorCode::output_too_small);
  }
  EXPECT_EQ(
      devices.compress_into(out, std::span(c.elements).first(8), c.dtype, c.extent, c.options).status().code,
      ErrorCode::invalid_argument);
  EXPECT_EQ(devices.decompress(std::span(out).first(16), frame).code, ErrorCode::invalid_argument);
}

TEST(Devices, WhatTheyDoNotHaveIsRefusedOrDecodedByTheCpu) {
  Case c = small_case(50'000, 1 << 17);
  c.options.codec = "dpratio";
  FakeControl control;
  control.lacks = "dpratio";
  cuda::Devices devices = test::fake_devices(1, false, control);
  Elements out(max_compressed_size(c.dtype, c.extent, c.options).value());
  EXPECT_EQ(devices.compress_into(out, c.elements, c.dtype, c.extent, c.options).status().code,
            ErrorCode::unsupported_codec);
  const Elements frame = on_cpu(c);
  Elements back;
  auto stream = cuda::Decompressor::create(devices,
                                           [&back](std::span<const std::byte> bytes) {
                                             back.insert(back.end(), bytes.begin(), bytes.end());
                                             return Status{};
                                           },
                                           {1})
                    .value();
  for (const std::byte& byte : frame) ASSERT_TRUE(stream.write({&byte, 1}).ok());
  ASSERT_TRUE(stream.finish().ok());
  EXPECT_FALSE(stream.on_devices());
  EXPECT_EQ(stream.info()->codec.name, "dpratio");
  EXPECT_EQ(back, c.elements);
}

TEST(Devices, MemoryLimit) {
  FakeControl control;
  cuda::Devices devices = test::fake_devices(4, false, control);
  const Case c = small_case(5'000'000 / 8, 1 << 20);
  const Elements frame = on_cpu(c);
  Elements back(c.elements.size());
  EXPECT_EQ(devices.decompress(back, frame, {1, 100'000}).code, ErrorCode::out_of_memory);
  EXPECT_TRUE(devices.decompress(back, frame, {1, 100 << 20}).ok());
  EXPECT_EQ(back, c.elements);
}

}  // namespace
}  // namespace floe
