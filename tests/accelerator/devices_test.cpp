// Batches that go through the slots of devices give what the CPU gives, with devices that are no devices.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/accelerator/fake_slots.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Elements;
using test::FakeControl;

TEST(Devices, FramesAreThoseOfTheCpuAndComeBack) {
  rc::check([](std::uint64_t seed) {
    AcceleratorCase c;
    const std::vector<std::pair<DType, const char*>> kinds = {
        {DType::f64, "dpspeed"},    {DType::f32, "spspeed"},
        {DType::f32, "spratio"},    {DType::f64, "gfc(7)"},
        {DType::u8, "speed8"},      {DType::bf16, "speed16"},
        {DType::f64, "dpratio"},    {DType::i32, "delta,bitpack"},
        {DType::boolean, "speed8"}, {DType::f64, "sortable,delta,bitpack"}};
    const auto [dtype, tree] = *rc::gen::elementOf(kinds);
    c.dtype = dtype;
    c.options.tree = tree;
    c.options.checksum = *rc::gen::arbitrary<bool>();
    c.options.segment_bytes = 16384 * *rc::gen::element<std::uint64_t>(1, 2, 5);
    c.options.threads = 1;
    const std::uint64_t elements = *rc::gen::inRange<std::uint64_t>(0, 1'000'000 / size_of(c.dtype));
    c.extent = Extent::linear(elements);
    c.elements = test::make_elements(elements * size_of(c.dtype), seed);
    FakeControl control;
    control.reaches_all = *rc::gen::arbitrary<bool>();
    const auto devices = test::fake_devices(*rc::gen::inRange(1u, 9u), control);

    const Elements frame = test::compressed(c, c.with(*devices));
    RC_ASSERT(frame == test::compressed(c, c.options));
    Elements back(c.elements.size()), restored;
    RC_ASSERT(test::decompress_into(back, frame, test::decode_with(*devices)).ok());
    RC_ASSERT(back == c.elements);
    RC_ASSERT(test::restore_in_pieces(frame, restored, test::decode_with(*devices)).ok());
    RC_ASSERT(restored == c.elements);
    RC_ASSERT(control.busy == 0u);
    RC_ASSERT(elements == 0 || !control.started.empty());
  });
}

TEST(Devices, TakeBatchesInTurnAndOverlap) {
  FakeControl control;
  const auto devices = test::fake_devices(3, control);
  std::vector<StreamToEncode> streams(10);
  const Elements words = test::make_elements(16384, 1);
  const Executor executor = [](std::uint32_t count, const Task& task) {
    for (std::uint32_t i = 0; i < count; ++i) task(i);
  };
  std::vector<std::unique_ptr<Accelerator::Batch>> batches;
  for (StreamToEncode& stream : streams) {
    stream.words = words.data();
    stream.type = DType::f64;
    stream.count = 2048;
    stream.tree = "dpspeed";
    batches.push_back(devices->encode({&stream, 1}, executor).value());
  }
  EXPECT_EQ(control.started, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(control.max_busy, 10u);
  StreamToEncode more = streams[0];
  std::vector<std::unique_ptr<Accelerator::Batch>> others;
  for (int i = 0; i < 2; ++i) others.push_back(devices->encode({&more, 1}, executor).value());
  EXPECT_EQ(devices->encode({&more, 1}, executor).value(), nullptr);  // all have as much as they take
  batches.erase(batches.begin());
  EXPECT_EQ(control.busy, 11u);
  EXPECT_NE(devices->encode({&more, 1}, executor).value(), nullptr);
  EXPECT_EQ(control.started.back(), 0u);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    ASSERT_TRUE(batches[i]->wait_for_sizes().ok() && batches[i]->fetch().ok() && batches[i]->finish().ok());
    const auto expected = test::encode_by_cpu(streams[i + 1]);
    ASSERT_EQ(streams[i + 1].encoded_bytes, expected.size());
    EXPECT_EQ(std::memcmp(streams[i + 1].encoded, expected.data(), expected.size()), 0);
  }
}

TEST(Devices, MemoryIsReachedWithoutStaging) {
  FakeControl control;
  control.reaches_all = true;
  const auto devices = test::fake_devices(1, control);
  const AcceleratorCase c = test::accelerator_case(300'000, 1 << 20);
  const Elements frame = test::compressed(c, c.with(*devices));
  EXPECT_EQ(control.staged_bytes, 0u);
  Elements back(c.elements.size());
  ASSERT_TRUE(test::decompress_into(back, frame, test::decode_with(*devices)).ok());
  EXPECT_EQ(back, c.elements);
  EXPECT_LT(control.staged_bytes, 3 * 512u);  // what stands around the streams
  EXPECT_EQ(control.fetched_bytes, 0u);
}

TEST(Devices, SmallPiecesAreCopiedTogether) {
  FakeControl control;
  const auto devices = test::fake_devices(1, control);
  for (const char* const tree : {"dpspeed", "sortable,delta,bitpack"}) {
    const AcceleratorCase c = test::accelerator_case(200'000, 16384, tree);
    control.copies = 0;
    const Elements frame = test::compressed(c, c.with(*devices));
    EXPECT_EQ(control.copies, 2u) << tree;
    Elements back(c.elements.size());
    control.copies = 0;
    ASSERT_TRUE(test::decompress_into(back, frame, test::decode_with(*devices)).ok());
    EXPECT_EQ(control.copies, 2u) << tree;
  }
}

TEST(Devices, NeighboursInTheMemoryOfTheCallerAreOneCopy) {
  FakeControl control;
  control.reaches_all = true;
  const auto devices = test::fake_devices(1, control);
  const AcceleratorCase c = test::accelerator_case(12 * 16384, 131072, "sortable,delta,bitpack");
  const Elements frame = test::compressed(c, c.with(*devices));
  EXPECT_EQ(control.copies, 2u);
  EXPECT_EQ(control.fetched_bytes, 0u);
  EXPECT_TRUE(frame == test::compressed(c, c.options));
  Elements back(c.elements.size());
  control.copies = 0;
  ASSERT_TRUE(test::decompress_into(back, frame, test::decode_with(*devices)).ok());
  EXPECT_EQ(control.copies, 2u);
  EXPECT_TRUE(back == c.elements);
}

TEST(Devices, EveryDamageIsReportedAsByTheCpu) {
  DecodeOptions by_cpu;
  by_cpu.threads = 1;
  for (const char* const tree : {"dpspeed", "dpratio", "sortable,delta,bitpack"}) {
    const AcceleratorCase c = test::accelerator_case(10'000, 32768, tree);
    const Elements frame = test::compressed(c, c.options);
    FakeControl control;
    const auto devices = test::fake_devices(2, control);
    for (std::size_t at = 0; at < frame.size(); at += at < 400 || at + 400 > frame.size() ? 3 : 997) {
      Elements damaged = frame;
      damaged[at] ^= std::byte{0x10};
      Elements back(c.elements.size());
      EXPECT_EQ(test::decompress_into(back, damaged, test::decode_with(*devices)).message(),
                test::decompress_into(back, damaged, by_cpu).message())
          << at;
    }
    EXPECT_EQ(control.busy, 0u);
  }
}

TEST(Devices, FailuresAreReported) {
  const AcceleratorCase c = test::accelerator_case(30'000, 16384);
  Elements frame(max_compressed_size(c.dtype, c.extent, c.options).value()), back(c.elements.size());
  FakeControl control;
  const auto devices = test::fake_devices(2, control);
  control.fail_task = 0;
  EXPECT_EQ(compress_into(frame, c.elements, c.dtype, c.extent, c.with(*devices)).status().message(),
            "device_error: the device fell off the bus");
  control.fail_task = 1;
  EXPECT_EQ(test::decompress_into(back, test::compressed(c, c.options), test::decode_with(*devices)).code,
            ErrorCode::device_error);
  control.fail_task = ~0ull;
  control.damages_results = true;
  EXPECT_EQ(compress_into(frame, c.elements, c.dtype, c.extent, c.with(*devices)).status().message(),
            "device_error: a device made a frame of an impossible length");
  control.damages_results = false;
  EXPECT_EQ(control.busy, 0u);
  EXPECT_EQ(test::compressed(c, c.with(*devices)), test::compressed(c, c.options));  // they can be used again
}

TEST(Devices, WhatTheyDoNotHaveTheCpuDoes) {
  const AcceleratorCase c = test::accelerator_case(50'000, 1 << 17, "dpratio");
  FakeControl control;
  const auto devices = test::fake_devices(1, control);
  AcceleratorShare share;
  Options options = c.with(*devices);
  options.accelerator_share = &share;
  const auto compress_and_restore = [&] {
    const Elements frame = test::compressed(c, options);
    EXPECT_EQ(frame, test::compressed(c, c.options));
    DecodeOptions decode = test::decode_with(*devices);
    decode.accelerator_share = &share;
    Elements back;
    EXPECT_TRUE(test::restore_in_pieces(frame, back, decode).ok());
    EXPECT_EQ(back, c.elements);
    EXPECT_EQ(share.words_bytes, 2 * c.elements.size());
    return std::exchange(share, {}).accelerated_bytes;
  };
  EXPECT_EQ(compress_and_restore(), 2 * c.elements.size());
  control.lacks = "dpratio";
  EXPECT_EQ(compress_and_restore(), 0u);
  control.lacks = "";
  control.max_staging_bytes = 1000;
  EXPECT_EQ(compress_and_restore(), 0u);
}

TEST(Devices, StagingCountsAsMemory) {
  FakeControl control;
  const auto devices = test::fake_devices(1, control);
  const AcceleratorCase c = test::accelerator_case(500'000, 1 << 20);
  const Elements frame = test::compressed(c, c.options);
  Elements back(c.elements.size());
  for (const bool reaches_all : {false, true}) {
    control.reaches_all = reaches_all;
    AcceleratorShare share;
    DecodeOptions options = test::decode_with(*devices, 100'000);
    options.accelerator_share = &share;
    ASSERT_TRUE(test::decompress_into(back, frame, options).ok());
    EXPECT_EQ(back, c.elements);
    EXPECT_EQ(share.accelerated_bytes, reaches_all ? c.elements.size() : 0u);
  }
}

TEST(Devices, StreamsOfTablesOfAllKinds) {
  std::string text = "time,number,word\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(1500000000 + 60 * i) + ',' + std::to_string(i * i % 101) +
            (i % 3 == 0 ? ",open\n" : ",closed\n");
  TableOptions table;
  table.segment_rows = 500;
  table.trees = {{"time", 0, "spspeed"}, {"number", 0, "delta,bitpack"}};
  const auto compress_table = [&](const Options& options) {
    Elements frame;
    auto writer = Writer::create(test::append_to(frame), table, options).value();
    EXPECT_EQ(writer.write(std::as_bytes(std::span(text))).message(), "ok");
    EXPECT_EQ(writer.finish().message(), "ok");
    return frame;
  };
  FakeControl control;
  const auto devices = test::fake_devices(2, control);
  AcceleratorShare share;
  Options options;
  options.profile = Profile::gpu;
  const Elements expected = compress_table(options);
  options.accelerator = devices.get();
  options.accelerator_share = &share;
  EXPECT_EQ(compress_table(options), expected);
  EXPECT_GT(share.accelerated_bytes, share.words_bytes / 2);
  Elements back;
  ASSERT_TRUE(test::restore_in_pieces(expected, back, test::decode_with(*devices)).ok());
  EXPECT_TRUE(std::ranges::equal(back, std::as_bytes(std::span(text))));
}

}  // namespace
}  // namespace floe
