// Tests of the encoder of devices, run by emulated lanes: it writes the bytes of the CPU's for the same plan.
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/grid/grid.hpp"
#include "gpu/encode/encode_target.hpp"
#include "tests/series_cuda/dictionary_columns.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/support/emulated_warp.hpp"
#include "tests/support/padded_bytes.hpp"

namespace floe::test {
namespace {

bool is_encoded_by_devices(const trees::Plan& plan) {
  return std::all_of(plan.nodes.begin(), plan.nodes.end(),
                     [](const trees::PlanNode& node) { return trees::has_device_form(node.encoding); });
}

class DeviceEncoderOf : public testing::TestWithParam<DType> {};

TEST_P(DeviceEncoderOf, WritesTheBytesOfEveryTree) {
  for (const std::string& tree : decoded_trees(GetParam())) {
    const auto plan = trees::plan_from_text(tree, GetParam());
    ASSERT_TRUE(plan.status().ok()) << tree;
    if (!is_encoded_by_devices(*plan)) continue;
    for (const std::uint64_t count : {2, 33, 1900}) {
      for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
        expect_same_bytes(*plan, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DeviceEncoderOf, WritesTheBytesOfRandomTrees) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const trees::Plan plan =
        random_plan(core::splitmix(1000 * seed + static_cast<unsigned>(GetParam())), GetParam());
    for (const auto& [name, column] : sampled_columns(GetParam(), 1 + core::splitmix(seed) % 2100)) {
      expect_same_bytes(plan, column, text_of(plan) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceEncoderOf, testing::ValuesIn(word_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(DeviceEncoder, CopiesFromAndToAnyAddress) {
  for (std::uint32_t size = 0; size < 150; size += size < 70 ? 1 : 9) {
    for (unsigned from_offset = 0; from_offset < 16; ++from_offset) {
      // Nothing is readable behind the source.
      std::vector<std::uint8_t> source(from_offset + size);
      for (std::size_t i = 0; i < source.size(); ++i)
        source[i] = static_cast<std::uint8_t>(core::splitmix(i));
      for (unsigned to_offset = 0; to_offset < 16; ++to_offset) {
        const PaddedBytes out(to_offset + size + 16);
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          gpu::copy_by_warp(warp, out.data() + to_offset, source.data() + from_offset, size);
        });
        ASSERT_TRUE(std::equal(source.begin() + from_offset, source.end(), out.data() + to_offset)) << size;
        for (unsigned i = 0; i < 16; ++i) ASSERT_EQ(out.data()[to_offset + size + i], 0xA5);
      }
    }
  }
}

/// What warps tell each other, round by round: ranges, counts, bases, the last decimals, positions of runs
/// and of words that are chosen. Of a few words, most warps have none.
TEST(DeviceEncoder, WritesTheSameBytesByWarpsAtTheSameTime) {
  for (unsigned kind = 0; kind < 8; ++kind) {
    constexpr std::uint64_t lengths[] = {1, 5, 50, 3000};
    const std::uint64_t count = kind < 4 ? 10000 : 40 * (kind - 3);
    Column integers(DType::i32, count), floats(DType::f64, count);
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < integers.count(); ++i) {
      if (core::splitmix(i) % lengths[kind % 4] == 0) value = core::splitmix(i + kind) % 3000;
      integers.set(i, value);
      floats.set(i,
                 std::bit_cast<std::uint64_t>(value % 97 == 0 ? 1.0 / 3 : static_cast<double>(value) / 100));
    }
    const auto expect_same = [](const Column& column, std::initializer_list<const char*> trees) {
      for (const char* tree : trees) {
        const trees::Plan plan = trees::plan_from_text(tree, column.type).value();
        expect_bytes(ColumnEncoder(plan).encode(column.view()),
                     encode_emulated(plan, column, gpu::max_encode_warps), column.type, tree);
        if (testing::Test::HasFatalFailure()) return;
      }
    };
    expect_same(integers, {"bitpack", "delta(2),bitpack", "int_mult,bitpack", "rle,bitpack,delta,bitpack",
                           "sparse,bitpack,bitpack", "split,bitpack,bitpack,bitpack", "dict,raw,bitpack,raw",
                           "dict(1,1000),delta,bitpack,bitpack,raw",
                           "stride_split(3),bitpack,bitpack,bitpack", "divide(49,1),bitpack,bitpack"});
    expect_same(floats, {"decimal(2,4),bitpack,bitpack,raw", "decimal(2,4),delta,bitpack,bitpack,raw",
                         "dict(2),raw,bitpack,raw", "grid,delta(2,100),delta,bitpack,raw,bitpack,raw"});
    if (HasFatalFailure()) return;
  }
}

/// Runs that begin and end with tiles and with rounds of tiles, runs longer than a round, runs of one word,
/// and a single one.
TEST(DeviceEncoder, TakesRunsApartWhereverTheyBegin) {
  for (const DType type : {DType::u8, DType::i32, DType::f64}) {
    const trees::Plan plan =
        trees::plan_from_text(type == DType::f64 ? "rle,bitpack,raw" : "rle,bitpack,bitpack", type).value();
    for (const std::uint64_t length :
         {1, 2, 31, 512, 1023, 1024, 1025, 4096, 8191, 8192, 16385, 16399, 20000}) {
      Column column(type, 16400);
      for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(i / length));
      const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(column.view());
      for (const unsigned warps : {1u, gpu::max_encode_warps}) {
        expect_bytes(bytes, encode_emulated(plan, column, warps), type, "runs of " + std::to_string(length));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Bits below that begin anywhere, none of them, exceptions side by side in several rounds and from the first
/// word on, and floats of which no exponent makes a grid.
TEST(DeviceEncoder, TakesFloatsOnGridsApart) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const trees::FloatLayout layout = trees::layout_of(type);
    const std::uint64_t one = std::uint64_t{layout.top_exponent() / 2} << (layout.precision - 1),
                        nan = (std::uint64_t{layout.top_exponent()} << (layout.precision - 1)) | 1,
                        mantissa = (std::uint64_t{1} << (layout.precision - 1)) - 1;
    const trees::Plan plan = trees::plan_from_text("grid,delta,bitpack,raw,bitpack,raw", type).value();
    for (const std::uint64_t length : {0, 1, 3, 40, 700, 5000, 9000}) {
      Column column(type, 18001);
      for (std::uint64_t i = 0; i < column.count(); ++i) {
        const std::uint64_t drawn = core::splitmix(i),
                            exponents = (i / 3000) % 2 == 0 ? 0 : drawn % (layout.precision / 2);
        const std::uint64_t number = (one - (exponents << (layout.precision - 1))) | (drawn >> 7 & mantissa);
        const bool is_exception = length > 0 && (i / length) % 2 == 0;
        column.set(i, is_exception ? nan : (drawn >> 5 & 1) << (layout.bits - 1) | number);
      }
      const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(column.view());
      for (const unsigned warps : {1u, gpu::max_encode_warps}) {
        expect_bytes(bytes, encode_emulated(plan, column, warps), type,
                     "exceptions side by side: " + std::to_string(length));
        if (HasFatalFailure()) return;
      }
    }
    Column no_grid(type, 100);
    for (std::uint64_t i = 0; i < no_grid.count(); ++i) no_grid.set(i, nan + i);
    expect_same_bytes(plan, no_grid, "no grid");
  }
}

/// Words that one table does not hold, and entries that are left out.
TEST(DeviceEncoder, MakesLargeDictionaries) {
  for (const DType type : {DType::u16, DType::f64}) {
    Column column(type, 12000);
    for (std::uint64_t i = 0; i < column.count(); ++i)
      column.set(i, core::splitmix(core::splitmix(i) % 7000));
    for (const char* tree :
         {"dict,raw,bitpack,raw", "dict(0,3000),raw,bitpack,raw", "dict(1,3000),raw,bitpack,raw",
          "dict(2,3000),raw,bitpack,raw", "dict(1),raw,bitpack,raw"}) {
      expect_same_bytes(trees::plan_from_text(tree, type).value(), column, tree);
      if (HasFatalFailure()) return;
    }
  }
}

/// Remainders that are the same, all but the last one, or not at all.
TEST(DeviceEncoder, DividesWordsWithTheSameRemainder) {
  for (const DType type : {DType::u32, DType::i64, DType::f64}) {
    for (const std::uint64_t last : {3, 4}) {
      for (const std::uint64_t step : {0, 1}) {
        Column column(type, 5000);
        for (std::uint64_t i = 0; i < column.count(); ++i)
          column.set(i, core::splitmix(i) % 1000 << 7 | (i + 1 == column.count() ? last : 3 + step * i % 5));
        for (const char* tree : {"divide(1,7),delta,bitpack,constant", "divide(1,7),bitpack,raw",
                                 "divide(1,7),raw,bitpack", "divide(2,6),delta,entropy,entropy"})
          expect_same_bytes(trees::plan_from_text(tree, type).value(), column, tree);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Words that crowd a table or the next one, words that are all different, and two words.
TEST(DeviceEncoder, MakesDictionariesOfWordsThatCrowdTables) {
  for (const DictionaryCase& with : dictionary_cases) {
    const Column column = with.column();
    unsigned warps = gpu::max_encode_warps;
    for (const char* tree : dictionary_trees) {
      const trees::Plan plan = trees::plan_from_text(tree, with.type).value();
      expect_bytes(ColumnEncoder(plan).encode(column.view()), encode_emulated(plan, column, warps), with.type,
                   tree);
      if (HasFatalFailure()) return;
      warps = 1;
    }
  }
}

}  // namespace
}  // namespace floe::test
