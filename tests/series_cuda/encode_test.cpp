// Does the encoder of devices, run by emulated lanes, write the bytes of the CPU's for the same plan?
#include <gtest/gtest.h>

#include "series_cuda/encode_limits.hpp"
#include "series_cuda/encode_segment.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tests/support/emulated_team.hpp"

namespace floe::test {
namespace {

/// Memory as devices have it: at a multiple of 16, and up to one.
class PaddedBytes {
 public:
  explicit PaddedBytes(std::size_t size) : size_(size), memory_(static_cast<std::uint8_t*>(std::aligned_alloc(16, (size + 31) / 16 * 16))) {
    std::fill_n(memory_, (size + 31) / 16 * 16, std::uint8_t{0xA5});
  }
  explicit PaddedBytes(std::span<const std::uint8_t> bytes) : PaddedBytes(bytes.size()) { std::copy(bytes.begin(), bytes.end(), memory_); }
  PaddedBytes(const PaddedBytes&) = delete;
  PaddedBytes& operator=(const PaddedBytes&) = delete;
  ~PaddedBytes() { std::free(memory_); }
  [[nodiscard]] std::uint8_t* data() const { return memory_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::uint8_t* memory_;
};

std::vector<std::uint8_t> encode_emulated(const series::Plan& plan, const Column& column) {
  const PaddedBytes words(column.bytes);
  static const auto memory = std::make_unique<series_cuda::EncodeMemory>();
  const PaddedBytes scratch(series_cuda::encode_scratch_bytes(series_cuda::encode_plan_of(plan), column.type, column.count()));
  series::ByteWriter plan_bytes;
  write_plan(plan, plan_bytes);
  std::uint64_t size = 0;
  std::vector<std::uint8_t> out;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    EmulatedTeam team(warp, *memory);
    if (team.rank() == 0) series_cuda::read_encode_plan(plan_bytes.bytes().data(), memory->plan);
    const std::uint64_t bytes =
        series_cuda::encode_pieces(team, {words.data(), static_cast<std::uint32_t>(column.count()), column.type}, scratch.data());
    if (team.rank() == 0) {
      size = bytes;
      out.resize(bytes);
    }
    team.sync();
    series_cuda::gather_pieces(team, out.data());
  });
  EXPECT_LE(memory->scratch.used, scratch.size());
  return out;
}

void expect_same_bytes(const series::Plan& plan, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = series::ColumnEncoder(plan).encode(column.view()), ours = encode_emulated(plan, column);
  if (bytes == ours) return;
  std::size_t at = 0;
  while (at < bytes.size() && at < ours.size() && bytes[at] == ours[at]) ++at;
  FAIL() << what << ": byte " << at << " of " << bytes.size() << " (" << ours.size() << "), plan "
         << text_of(series::plan_of(bytes, column.type).value());
}

class DeviceEncoderOf : public testing::TestWithParam<Type> {};

TEST_P(DeviceEncoderOf, WritesTheBytesOfEveryTree) {
  for (const std::string& tree : device_trees(GetParam())) {
    const auto plan = series::plan_from_text(tree, GetParam());
    ASSERT_TRUE(plan.status().ok()) << tree;
    for (const std::uint64_t count : {2, 33, 1900}) {
      for (const auto& [name, column] : difficult_columns(GetParam(), count)) {
        expect_same_bytes(*plan, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DeviceEncoderOf, WritesTheBytesOfRandomTrees) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const series::Plan plan = random_plan(core::splitmix(1000 * seed + static_cast<unsigned>(GetParam())), GetParam());
    for (const auto& [name, column] : difficult_columns(GetParam(), 1 + core::splitmix(seed) % 2100)) {
      expect_same_bytes(plan, column, text_of(plan) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceEncoderOf, testing::ValuesIn(series::all_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(DeviceEncoder, CopiesFromAndToAnyAddress) {
  for (std::uint32_t size = 0; size < 150; size += size < 70 ? 1 : 9) {
    for (unsigned from_offset = 0; from_offset < 16; ++from_offset) {
      // Nothing is readable behind the source.
      std::vector<std::uint8_t> source(from_offset + size);
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(core::splitmix(i));
      for (unsigned to_offset = 0; to_offset < 16; ++to_offset) {
        const PaddedBytes out(to_offset + size + 16);
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          series_cuda::copy_by_warp(warp, out.data() + to_offset, source.data() + from_offset, size);
        });
        ASSERT_TRUE(std::equal(source.begin() + from_offset, source.end(), out.data() + to_offset)) << size;
        for (unsigned i = 0; i < 16; ++i) ASSERT_EQ(out.data()[to_offset + size + i], 0xA5);
      }
    }
  }
}

/// Exceptions of bit packing of every width, and vectors of every width.
TEST(DeviceEncoder, PacksEveryWidth) {
  for (const Type type : {Type::i8, Type::u16, Type::i32, Type::u64}) {
    const unsigned bits = 8 * static_cast<unsigned>(series::bytes_of(type));
    for (unsigned width = 0; width <= bits; ++width) {
      for (unsigned rare = 0; rare < 3; ++rare) {
        Column column(type, 2048 + 77);
        for (std::uint64_t i = 0; i < column.count(); ++i) {
          const std::uint64_t random = core::splitmix(i + 10000 * width);
          const bool is_rare = rare > 0 && core::splitmix(random) % (rare == 1 ? 12 : 300) == 0;
          column.set(i, 1000 + (is_rare ? core::splitmix(random + 1) : width == 0 ? 0 : random >> (64 - width)));
        }
        expect_same_bytes(series::plan_from_text("afl", type).value(), column, "width " + std::to_string(width));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Tables and entries that shared memory does not hold, and entries that are left out.
TEST(DeviceEncoder, MakesLargeDictionaries) {
  for (const Type type : {Type::u16, Type::f64}) {
    Column column(type, 12000);
    for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(core::splitmix(i) % 7000));
    for (const char* tree :
         {"dict,raw,afl,raw", "dict(0,3000),raw,afl,raw", "dict(1,3000),raw,afl,raw", "dict(2,3000),raw,afl,raw", "dict(1),raw,afl,raw"}) {
      expect_same_bytes(series::plan_from_text(tree, type).value(), column, tree);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace floe::test
