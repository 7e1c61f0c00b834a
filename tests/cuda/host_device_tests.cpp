// Arrays and tables in memory of the host go through GPUs: frames are those of the CPU, on one GPU and on all
// of them.
#include <cuda_runtime.h>

#include <algorithm>

#include "floe/cuda_host.hpp"
#include "floe/floe.hpp"
#include "tests/accelerator/arrays.hpp"
#include "tests/cuda/device_memory.hpp"

namespace floe {
namespace {

using test::AcceleratorCase;
using test::Elements;

struct Kind {
  DType dtype;
  const char* tree;
};
constexpr Kind kinds[] = {
    {DType::f64, "dpspeed"}, {DType::f32, "spspeed"},       {DType::f32, "spratio"},
    {DType::f64, "gfc(3)"},  {DType::bf16, "speed16"},      {DType::i8, "speed8"},
    {DType::f64, "dpratio"}, {DType::i32, "delta,bitpack"}, {DType::u64, "rle,raw,bitpack"}};

/// The groups of devices to try: the first, and all if there are more.
std::vector<std::vector<std::uint32_t>> device_groups() {
  std::vector<std::vector<std::uint32_t>> groups{{0}};
  for (std::uint32_t i = 1; i < *cuda::device_count(); ++i) {
    groups.push_back(groups.back());
    groups.back().push_back(i);
  }
  return groups;
}

AcceleratorCase case_of(const Kind& kind, std::uint64_t bytes, std::uint64_t segment_bytes) {
  AcceleratorCase c;
  c.dtype = kind.dtype;
  c.extent = Extent::linear(bytes / size_of(kind.dtype));
  c.options.tree = kind.tree;
  c.options.segment_bytes = segment_bytes;
  c.options.checksum = bytes != 16392;
  c.elements = test::make_elements(bytes, bytes + segment_bytes);
  return c;
}

TEST(HostArrays, OneShotIsTheCpusFrame) {
  FLOE_NEEDS_DEVICE();
  for (const auto& group : device_groups()) {
    const auto devices = cuda::Devices::open(group).value();
    ASSERT_EQ(devices->count(), group.size());
    for (const Kind& kind : kinds) {
      for (const std::uint64_t bytes : {0ull, 8ull, 16384ull, 16392ull, 1'000'000ull, 70'000'000ull}) {
        for (const std::uint64_t segment_bytes : {16384ull, 1ull << 20, 64ull << 20}) {
          if (bytes / segment_bytes > 1000) continue;
          const AcceleratorCase c = case_of(kind, bytes, segment_bytes);
          const Elements expected = test::compressed(c, c.options);
          EXPECT_TRUE(test::compressed(c, c.with(*devices)) == expected)
              << kind.tree << " " << bytes << " " << segment_bytes << " on " << group.size();
          Elements back(bytes);
          const Status status = test::decompress_into(back, expected, test::decode_with(*devices));
          EXPECT_TRUE(status.ok()) << status.message();
          EXPECT_TRUE(back == c.elements)
              << kind.tree << " " << bytes << " " << segment_bytes << " on " << group.size();
        }
      }
    }
  }
}

TEST(HostArrays, GoalsPlanAsOnTheCpu) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  AcceleratorCase c = case_of({DType::f64, ""}, 20'000'000, 0);
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    for (const Goal goal : {Goal::speed, Goal::balance}) {
      c.options.profile = profile;
      c.options.goal = goal;
      EXPECT_TRUE(test::compressed(c, c.with(*devices)) == test::compressed(c, c.options));
    }
  }
}

/// Streams with several tables are coded by the CPU, whether the tree is given or chosen; the others by GPUs.
TEST(HostArrays, SeveralTablesAreLeftToTheCpu) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  AcceleratorCase c = case_of({DType::i32, ""}, 8'000'000, 0);
  for (std::uint64_t i = 0; i < c.elements.size() / 4; ++i) {  // noise that comes and goes
    const std::uint64_t product = core::splitmix(2 * i) % 1000 * (core::splitmix(2 * i + 1) % 1000) / 100;
    const auto word = static_cast<std::uint32_t>(product << 2 * (i / 1024 % 4));
    std::memcpy(c.elements.data() + 4 * i, &word, 4);
  }
  EXPECT_FALSE(cuda::supports(DType::i32, {.tree = "multi_entropy(2)"}));
  c.options.goal = Goal::ratio;  // which looks for several tables
  for (const char* tree : {"", "multi_entropy(2)", "delta,multi_entropy(1)"}) {
    c.options.tree = tree;
    const Elements expected = test::compressed(c, c.options);
    EXPECT_TRUE(test::compressed(c, c.with(*devices)) == expected) << tree;
    Elements back(c.elements.size());
    EXPECT_TRUE(test::decompress_into(back, expected, test::decode_with(*devices)).ok()) << tree;
    EXPECT_TRUE(back == c.elements) << tree;
    if (*tree != 0) continue;
    const auto reader = Reader::open(expected).value();
    const std::string chosen = reader.segment(0).value().columns.at(0).trees.at(0);
    EXPECT_NE(chosen.find("multi_entropy"), std::string::npos) << chosen;
  }
}

/// Integers times a step that is no power of ten: lattices are found by the CPU, and decoded by GPUs, too.
TEST(HostArrays, LatticesComeBack) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  AcceleratorCase c = case_of({DType::f64, ""}, 16'000'000, 0);
  std::int64_t walk = 0;
  for (std::uint64_t i = 0; i < c.elements.size() / 8; ++i) {
    walk += static_cast<std::int64_t>(core::splitmix(i) % 1001) - 500;
    const double value = static_cast<double>(walk) * 0.0173 + 3.1;
    std::memcpy(c.elements.data() + 8 * i, &value, 8);
  }
  c.options.goal = Goal::ratio;
  for (const Profile profile : {Profile::cpu, Profile::gpu}) {
    c.options.profile = profile;
    const Elements expected = test::compressed(c, c.options);
    const auto reader = Reader::open(expected).value();
    const std::string chosen = reader.segment(0).value().columns.at(0).trees.at(0);
    EXPECT_NE(chosen.find("affine"), std::string::npos) << chosen;
    EXPECT_TRUE(test::compressed(c, c.with(*devices)) == expected);
    Elements back(c.elements.size());
    EXPECT_TRUE(test::decompress_into(back, expected, test::decode_with(*devices)).ok());
    EXPECT_TRUE(back == c.elements);
  }
}

TEST(HostArrays, PinnedMemoryIsUsedInPlace) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  const AcceleratorCase c = case_of({DType::f32, "spspeed"}, 300'000'000, 16u << 20);
  auto in = cuda::PinnedMemory::allocate(c.elements.size()).value(),
       back = cuda::PinnedMemory::allocate(c.elements.size()).value();
  auto frame =
      cuda::PinnedMemory::allocate(max_compressed_size(c.dtype, c.extent, c.options).value()).value();
  std::copy(c.elements.begin(), c.elements.end(), in.bytes().begin());
  const auto bytes = compress_into(frame.bytes(), in.bytes(), c.dtype, c.extent, c.with(*devices));
  ASSERT_TRUE(bytes) << bytes.status().message();
  const auto made = frame.bytes().first(*bytes);
  EXPECT_TRUE(std::ranges::equal(made, test::compressed(c, c.options)));
  ASSERT_TRUE(test::decompress_into(back.bytes(), made, test::decode_with(*devices)).ok());
  EXPECT_TRUE(std::ranges::equal(back.bytes(), c.elements));
}

TEST(HostArrays, StreamsAreTheSame) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  const AcceleratorCase c = case_of({DType::f64, "dpspeed"}, 40'000'000, 1u << 20);
  Elements frame, back;
  auto writer = Writer::create(test::append_to(frame), c.dtype, {}, c.with(*devices)).value();
  ASSERT_TRUE(test::in_pieces(c.elements, 1, 777'777, [&](auto piece) { return writer.write(piece); }).ok());
  ASSERT_TRUE(writer.finish().ok());
  EXPECT_TRUE(frame == test::compressed(c, c.options));
  ASSERT_TRUE(test::restore_in_pieces(frame, back, test::decode_with(*devices)).ok());
  EXPECT_TRUE(back == c.elements);
}

TEST(HostArrays, DamageIsReportedAsByTheCpu) {
  FLOE_NEEDS_DEVICE();
  const auto devices = cuda::Devices::open().value();
  for (const Kind& kind : {Kind{DType::f32, "spratio"}, Kind{DType::i64, "delta,bitpack"}}) {
    const AcceleratorCase c = case_of(kind, 3'000'000, 1u << 19);
    const Elements frame = test::compressed(c, c.options);
    DecodeOptions by_cpu;
    by_cpu.threads = 1;
    for (std::uint64_t i = 0; i < test::rounds(300); ++i) {
      Elements damaged = frame, back(c.elements.size());
      const std::uint64_t random = core::splitmix(i);
      damaged[random % frame.size()] ^= std::byte{static_cast<unsigned char>(1 << random % 7)};
      EXPECT_EQ(test::decompress_into(back, damaged, test::decode_with(*devices)).message(),
                test::decompress_into(back, damaged, by_cpu).message());
    }
  }
}

TEST(HostTables, FramesAreThoseOfTheCpuAndComeBack) {
  FLOE_NEEDS_DEVICE();
  std::string text = "time,number,word\n";
  for (int i = 0; i < 300'000; ++i)
    text += std::to_string(1500000000 + 60 * i) + ',' + std::to_string(i * 7 % 101) +
            (i % 3 == 0 ? ",open\n" : ",closed\n");
  const auto devices = cuda::Devices::open().value();
  AcceleratorShare share;
  Options options;
  options.profile = Profile::gpu;
  TableOptions table;
  table.segment_rows = 1 << 15;  // what follows the segment whose trees are searched is the accelerator's
  const auto compress_table = [&] {
    Elements frame;
    auto writer = Writer::create(test::append_to(frame), table, options).value();
    EXPECT_TRUE(writer.write(std::as_bytes(std::span(text))).ok() && writer.finish().ok());
    return frame;
  };
  const Elements expected = compress_table();
  options.accelerator = devices.get();
  options.accelerator_share = &share;
  EXPECT_TRUE(compress_table() == expected);
  EXPECT_GT(share.accelerated_bytes, 0u);
  Elements back;
  ASSERT_TRUE(test::restore_in_pieces(expected, back, test::decode_with(*devices)).ok());
  EXPECT_TRUE(std::ranges::equal(back, std::as_bytes(std::span(text))));
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
