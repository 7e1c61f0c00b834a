// Tests of the entropy leaf of devices, run by emulated lanes: leaves of all lengths and models, several
// sections, all frequencies, and damaged bytes.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "encodings/entropy/section_layout.hpp"
#include "tests/series_cuda/emulated_decoder.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tests/support/data.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

std::size_t room_for(const Column& column) { return 64 * 1024 + 64 * column.count(); }

std::vector<std::uint8_t> encode_with(const std::string& tree, const Column& column) {
  return ColumnEncoder(trees::plan_from_text(tree, column.type).value()).encode(column.view());
}

/// Words whose offsets have up to `bits` bits, small ones more often.
Column skewed(DType type, std::uint64_t count, unsigned bits) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i);
    const unsigned length = static_cast<unsigned>(random % 64) * (bits + 1) / 64;
    column.set(i, 1000 + (length == 0 ? 0 : core::splitmix(random) >> (64 - length)));
  }
  return column;
}

/// Few different words.
Column few(DType type, std::uint64_t count, std::uint64_t kinds) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) column.set(i, 7 * (core::splitmix(i) % kinds));
  return column;
}

void expect_same_leaf(const std::string& tree, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = encode_with(tree, column);
  const trees::Plan plan = trees::plan_from_text(tree, column.type).value();
  const unsigned warps = column.count() % 3 == 0 ? 3 : 1;
  expect_bytes(bytes, encode_emulated(plan, column, warps), column.type, what);
  if (const auto packed = pack_entropy_emulated(plan, column, warps); !packed.empty())
    expect_bytes(bytes, packed, column.type, what + ", packed");
  const std::size_t missed_before = missed_digests();
  for (const bool is_opened : {false, true}) {
    Column decoded(column.type, column.count());
    ASSERT_EQ(decode_emulated(bytes, decoded, room_for(column), is_opened), ErrorCode::ok) << what;
    ASSERT_EQ(decoded.bytes, column.bytes) << what << (is_opened ? ", opened ahead" : "");
  }
  EXPECT_EQ(missed_digests(), missed_before) << what;
}

class DeviceEntropyOf : public testing::TestWithParam<DType> {};

TEST_P(DeviceEntropyOf, DecodesLeavesOfEveryLength) {
  const DType type = GetParam();
  std::size_t number = 0;
  for (const std::uint64_t count : {1, 2, 31, 255, 256, 1023, 1024, 4095, 4096, 4097, 12345, 65536}) {
    for (const unsigned bits : {4u, 9u, 24u, 60u}) {
      if (!is_sampled(type, number++)) continue;
      expect_same_leaf("entropy",
                       skewed(type, count, std::min(bits, static_cast<unsigned>(8 * size_of(type)))),
                       std::to_string(count) + " words of " + std::to_string(bits) + " bits");
      if (HasFatalFailure()) return;
    }
    if (!is_sampled(type, number++)) continue;
    expect_same_leaf("entropy", few(type, count, 2), std::to_string(count) + " words of two kinds");
    if (HasFatalFailure()) return;
  }
}

TEST_P(DeviceEntropyOf, DecodesDifficultWords) {
  for (const std::uint64_t count : {100, 1500, 9000}) {
    for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
      expect_same_leaf("entropy", column, name + " of " + std::to_string(count));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(DeviceEntropyOf, DecodesSeveralSections) {
  for (const std::uint64_t count : {65537, 140'000}) {
    expect_same_leaf("entropy", skewed(GetParam(), count, 8), std::to_string(count));
    if (HasFatalFailure()) return;
  }
}

/// Noise that comes and goes, of up to `bits` bits.
Column changing(DType type, std::uint64_t count, unsigned bits) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const unsigned max_bits = 1 + static_cast<unsigned>(core::splitmix(i / 300) % bits);
    column.set(i, 1000 + (core::splitmix(i) >> (64 - max_bits)));
  }
  return column;
}

TEST_P(DeviceEntropyOf, DecodesSeveralTables) {
  const unsigned word_bits = static_cast<unsigned>(8 * size_of(GetParam()));
  std::size_t number = 0;
  for (const std::uint64_t count : {4096, 70'001}) {
    for (const unsigned bits : {3u, 7u, 60u}) {
      const Column column = changing(GetParam(), count, std::min(bits, word_bits));
      for (const char* tree : {"multi_entropy(1)", "multi_entropy(2)", "multi_entropy(3)"}) {
        if (!is_sampled(GetParam(), number++)) continue;
        const std::vector<std::uint8_t> bytes = encode_with(tree, column);
        for (const bool is_opened : {false, true}) {
          Column decoded(column.type, count);
          ASSERT_EQ(decode_emulated(bytes, decoded, room_for(column), is_opened), ErrorCode::ok) << tree;
          ASSERT_EQ(decoded.bytes, column.bytes) << tree << ", " << count << " words of " << bits << " bits";
        }
      }
    }
  }
}

/// Steps above a leaf are taken while its words are read, unless what comes out is not worth it: equal
/// differences, words that grow, too few words, more than a section.
TEST(DeviceEntropy, TakesStepsAboveLeavesWithinTrees) {
  std::size_t number = 0;
  for (const auto& [type, tree] : std::initializer_list<std::pair<DType, const char*>>{
           {DType::f64, "dict(1),sortable,entropy,delta(2),entropy,raw"},
           {DType::f32, "dict(2,100),sortable,delta,entropy,entropy,sortable,delta(2),entropy"},
           {DType::i64, "dict(1),delta(2),entropy,delta,entropy,raw"},
           {DType::f64, "divide(1,29),delta,entropy,constant"},
           {DType::i32, "rle,delta,entropy,delta(2),entropy"},
           {DType::f64, "rle,bitpack,sortable,entropy"},
           {DType::u16, "stride_split(2),delta(2),entropy,delta,entropy"}}) {
    for (const std::uint64_t count : {1, 2, 3, 40, 3000, 12345, 70'000}) {
      if (sanitized && number++ % 3 != 0) continue;
      std::vector<Column> columns = {skewed(type, count, 12), few(type, count, 300), few(type, count, 2),
                                     Column(type, count)};
      for (std::uint64_t i = 0; i < count; ++i) columns.back().set(i, 3 * i + (i / 50) % 7);
      for (const Column& column : columns) {
        const trees::Plan plan = trees::plan_from_text(tree, type).value();
        expect_bytes(encode_with(tree, column), encode_emulated(plan, column, count % 2 == 0 ? 4 : 1), type,
                     std::string(tree) + " on " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(DeviceEntropy, EncodesWhatArraysOfHostsHold) {
  for (const auto& [type, tree] :
       std::initializer_list<std::pair<DType, std::string>>{{DType::boolean, "entropy"},
                                                            {DType::u8, "entropy"},
                                                            {DType::f64, "entropy"},
                                                            {DType::f32, "sortable,delta,entropy"},
                                                            {DType::f64, "sortable,delta,entropy"}}) {
    const std::uint64_t width = size_of(type);
    for (const std::size_t kind : {std::size_t{4}, std::size_t{5}}) {
      Column column(type, 150'333);
      column.bytes = make_bytes(static_cast<unsigned>(8 * width), kind, 150'333 * width, kind);
      expect_same_leaf(tree, column, std::string(name_of(type)) + ", content " + std::to_string(kind));
    }
  }
}

/// Chains that need no block, and some that do. Long columns are of three kinds, by turns.
TEST_P(DeviceEntropyOf, UnpacksChains) {
  constexpr std::array<std::string_view, 3> long_ones = {"ramp", "runs", "falling decimals"};
  std::size_t number = 0, turn = 0, round = 0;
  for (std::string tree : {"delta,entropy",
                           "int_mult,entropy",
                           "int_mult,delta,entropy",
                           "delta,int_mult,entropy",
                           "int_mult,delta,int_mult,entropy",
                           "delta(1,2),entropy",
                           "delta(1,3),entropy",
                           "delta(1,4),entropy",
                           "delta(1,5),entropy",
                           "sortable,delta(1,3),entropy",
                           "int_mult,delta(1,2),int_mult,entropy",
                           "decimal(2,4),delta(1,3),entropy,raw,raw",
                           "decimal(2,4),int_mult,delta(1,2),int_mult,entropy,raw,raw",
                           "decimal(2,8),delta(1,4),entropy,raw,raw",
                           "delta(2),entropy",
                           "delta(2),int_mult,entropy",
                           "int_mult,delta(2),entropy",
                           "sortable,delta(2),entropy",
                           "sortable,entropy",
                           "sortable,delta,entropy",
                           "decimal(2,4),entropy,raw,raw",
                           "decimal(2,4),delta,entropy,raw,raw",
                           "decimal(2,4),int_mult,delta,entropy,raw,raw",
                           "decimal(2,8),delta,entropy,raw,raw",
                           "decimal(2,4),delta(2),entropy,raw,raw",
                           "decimal(2,8),delta(2),entropy,raw,raw"}) {
    if (!trees::plan_from_text(tree, GetParam()) || !is_sampled(GetParam(), number++)) continue;
    for (const std::uint64_t count : {4095, 4096, 4097, 4300, 16384, 30'000, 65'536, 65'537, 65'538}) {
      if (sanitized && round++ % 7 != 0) continue;
      const bool is_long = count > 5000;
      const std::string_view long_one = long_ones[turn++ % long_ones.size()];
      for (const auto& [name, column] :
           is_long ? difficult_columns(GetParam(), count) : sampled_columns(GetParam(), count)) {
        if (is_long && name != long_one) continue;
        expect_same_leaf(tree, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Of so few words, some of the tree is given up.
TEST_P(DeviceEntropyOf, PacksChainsOfFewWords) {
  std::size_t number = 0;
  for (const std::string tree :
       {"entropy", "delta,entropy", "delta(2),entropy", "delta(1,2),entropy", "delta(1,4),entropy",
        "sortable,entropy", "sortable,delta,entropy", "sortable,delta(1,3),entropy",
        "sortable,delta(2),entropy", "decimal(1,4),entropy,raw,raw", "decimal(1,4),delta,entropy,raw,raw",
        "decimal(0,8),entropy,raw,raw", "decimal(1,8),delta(2),entropy,raw,raw"}) {
    if (!trees::plan_from_text(tree, GetParam())) continue;
    for (const std::uint64_t count : {1, 2, 3, 4, 5, 9, 40, 300}) {
      if (!is_sampled(GetParam(), number++)) continue;
      for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
        expect_same_leaf(tree, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
      Column random(GetParam(), count), equal(GetParam(), count), steps(GetParam(), count);
      for (std::uint64_t i = 0; i < count; ++i) {
        random.set(i, core::splitmix(i));
        equal.set(i, ~std::uint64_t{0});
        steps.set(i, i * 0x4321987654321);
      }
      for (const Column& column : {random, equal, steps})
        expect_same_leaf(tree, column, tree + " of " + std::to_string(count));
    }
  }
}

/// As models of language have them: exponents are symbols.
TEST(DeviceEntropy, DecodesHalvesOfFloats) {
  for (const std::uint64_t count : {4096, 5001, 65'536}) {
    Column column(DType::bf16, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      float value = 0;
      for (unsigned k = 0; k < 8; ++k)
        value += static_cast<float>(core::splitmix(8 * i + k) >> 40) / 16777216.0f - 0.5f;
      column.set(i, static_cast<std::uint32_t>(bits_of(value)) >> 16);
    }
    expect_same_leaf("entropy", column, std::to_string(count));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceEntropyOf,
                         testing::Values(DType::u8, DType::i16, DType::u32, DType::i32, DType::u64,
                                         DType::i64, DType::f32, DType::f64, DType::bf16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

/// What damaged bytes become: the same as on the CPU.
void expect_same_of_damaged(const std::string& tree, const Column& column, std::size_t range,
                            std::uint64_t changes) {
  const std::vector<std::uint8_t> bytes = encode_with(tree, column);
  for (std::uint64_t change = 0; change < changes; change += sanitized ? 6 : 1) {
    std::vector<std::uint8_t> damaged = bytes;
    const std::uint64_t random = core::splitmix(change * 977 + bytes.size());
    const std::size_t at = random % std::min(range, damaged.size());
    damaged[at] = change % 5 == 0   ? static_cast<std::uint8_t>(damaged[at] ^ 1u << random % 8)
                  : change % 7 == 0 ? std::uint8_t{0xFF}
                                    : static_cast<std::uint8_t>(random >> 32);
    if (change % 11 == 0) damaged.resize(random % damaged.size());
    Column here(column.type, column.count()), there(column.type, column.count());
    const ErrorCode code = decode_emulated(damaged, here, room_for(column), change % 4 < 2);
    const Status status = decode(damaged, there);
    if (code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory) continue;
    ASSERT_EQ(code == ErrorCode::ok, status.ok()) << tree << ", change " << change << " at " << at;
    if (status.ok()) {
      ASSERT_EQ(here.bytes, there.bytes) << tree << ", change " << change;
    }
  }
}

TEST(DeviceEntropy, RefusesOrDecodesDamagedBytes) {
  for (const DType type : {DType::u8, DType::u16, DType::i32, DType::u64}) {
    for (const std::uint64_t count : {50, 700, 3000, 5000, 10'000}) {
      const Column column = skewed(type, count, static_cast<unsigned>(7 * size_of(type)));
      expect_same_of_damaged("entropy", column, 60, 100);
      expect_same_of_damaged("entropy", column, 400, 60);
      expect_same_of_damaged("entropy", column, ~std::size_t{0}, 40);
      if (HasFatalFailure()) return;
    }
    expect_same_of_damaged("entropy", skewed(type, 66'000, 8), 600, 30);
    for (const char* tree : {"multi_entropy(1)", "multi_entropy(3)"})
      expect_same_of_damaged(tree, changing(type, 9000, 8), 2000, 60);
    // Sums that are not those of words do not matter.
    for (const std::string tree : {"delta,entropy", "delta(2),entropy"})
      expect_same_of_damaged(tree, skewed(type, 9000, 7), 400, 200);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace floe::test
