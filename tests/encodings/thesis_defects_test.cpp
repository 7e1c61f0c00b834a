// What the program of the thesis did wrong, case by case; each name says what floe does instead. README.md
// lists all cases, also those that are tested elsewhere.
#include <gtest/gtest.h>

#include <thread>

#include "plan/search/facts/facts.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"

namespace floe::test {
namespace {

void expect_round_trip(const Column& column, ColumnEncoder encoder, const std::string& what) {
  const std::vector<std::uint8_t> bytes = encoder.encode(column.view());
  Column decoded(column.type, column.count());
  ASSERT_TRUE(decode(bytes, decoded).ok()) << what;
  ASSERT_EQ(decoded.bytes, column.bytes) << what;
}

ColumnEncoder with_tree(const char* tree, DType type) {
  return ColumnEncoder(trees::plan_from_text(tree, type).value());
}

TEST(ThesisDefect01, DecimalsAreVerifiedBitByBit) {
  // A tenth of these came back wrong.
  std::vector<float> hundredths(200000);
  for (std::size_t i = 0; i < hundredths.size(); ++i)
    hundredths[i] = static_cast<float>(static_cast<double>(core::splitmix(i) % 10'000'000) / 100);
  const Column column(DType::f32, hundredths);
  for (const char* tree : {"decimal(2,4),bitpack,bitpack,raw", "decimal(3,4),bitpack,bitpack,raw",
                           "decimal(0,4),bitpack,bitpack,raw", "decimal(9,4),bitpack,bitpack,raw"}) {
    expect_round_trip(column, with_tree(tree, DType::f32), tree);
  }
  // With the right digits there is not one exception: 24 bits of 32 hold them.
  auto encoder = with_tree("decimal(2,4),bitpack,bitpack,raw", DType::f32);
  EXPECT_LT(encoder.encode(column.view()).size(), hundredths.size() * 25 / 8);
}

TEST(ThesisDefect02, NegativeZerosKeepTheirSign) {
  const Column column(DType::f32, std::vector<float>{0.0F, -0.0F, -0.0F, 0.0F, 1.0F, -0.0F, 0.0F, 0.0F});
  for (const char* tree : {"rle,bitpack,raw", "dict,raw,bitpack,raw", "dict(1),raw,bitpack,raw",
                           "unique,raw,bitpack", "sparse,bitpack,raw", "decimal,bitpack,bitpack,raw",
                           "sortable,bitpack", "split(3),bitpack,raw,raw"}) {
    expect_round_trip(column, with_tree(tree, DType::f32), tree);
  }
}

TEST(ThesisDefect03, NansInfinitiesAndSubnormalsComeBack) {
  for (const DType type : {DType::f32, DType::f64}) {
    for (const auto& [name, column] : difficult_columns(type, 3000)) {
      for (const char* tree :
           {"rle,bitpack,raw", "dict(1),raw,bitpack,raw", "unique,sortable,delta,bitpack,bitpack",
            "sortable,delta,bitpack", "sparse,bitpack,raw"}) {
        expect_round_trip(column, with_tree(tree, type), std::string(tree) + " on " + name);
      }
    }
  }
}

TEST(ThesisDefect04, ExtremesNextToEachOtherAreWelcome) {
  constexpr auto min = std::numeric_limits<std::int64_t>::min(),
                 max = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i % 2 == 0 ? min + static_cast<std::int64_t>(i % 8) : max - static_cast<std::int64_t>(i % 8);
  const Column column(DType::i64, values);
  for (const char* tree : {"delta,bitpack", "int_mult,bitpack", "split,bitpack,bitpack,bitpack",
                           "split(1),bitpack,bitpack,bitpack"})
    expect_round_trip(column, with_tree(tree, DType::i64), tree);
  // Useful, too: two levels of three bits, and a stencil that is periodic.
  auto encoder = with_tree("split,delta,constant,bitpack,bitpack", DType::i64);
  EXPECT_LT(encoder.encode(column.view()).size(), values.size() * 4);
}

TEST(ThesisDefect05And06, EveryEncodingTakesEveryTypeItSays) {
  // Every encoding on every type and many lengths is what round_trip_test does; here, that doubles get what
  // floats get.
  for (const trees::Encoding& encoding : trees::all_encodings()) {
    if (encoding.parameter_count > 0) continue;
    EXPECT_EQ(encoding.accepts(DType::f32, {}), encoding.accepts(DType::f64, {})) << encoding.name;
  }
  const auto prices = decimals<double>(20000, 3, Random(1));
  const Column column(DType::f64, prices);
  const auto plan = trees::plan_of(ColumnEncoder().encode(column.view()), DType::f64);
  ASSERT_TRUE(plan);
  EXPECT_NE(text_of(*plan).find("decimal"), std::string::npos) << text_of(*plan);
}

TEST(ThesisDefect07, DictionariesOfLongWordsGoThroughTransforms) {
  std::vector<std::int64_t> values(3001);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int64_t>(core::splitmix(core::splitmix(i) % 7));
  for (const char* tree :
       {"dict,delta,bitpack,delta,bitpack,raw",
        "dict(0,4),int_mult,bitpack,rle,bitpack,bitpack,delta,bitpack",
        "dict(1),raw,stride_split(3),bitpack,bitpack,bitpack,raw", "unique,delta,bitpack,delta,bitpack"}) {
    expect_round_trip(Column(DType::i64, values), with_tree(tree, DType::i64), tree);
  }
}

TEST(ThesisDefect08, WhatCannotBeCompressedHardlyGrows) {
  for (const DType type : word_types) {
    Column column(type, 65536);
    for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(i));
    EXPECT_LE(ColumnEncoder().encode(column.view()).size(), column.bytes.size() * 1001 / 1000)
        << name_of(type);
  }
}

TEST(ThesisDefect09, NoBatchLagsBehindARegime) {
  ColumnEncoder encoder;
  for (std::uint64_t i = 0; i < 26; ++i) {
    const Column column(DType::i32, pattern_b<std::int32_t>(5000, i, 30000, -10000, 10000, Random(i)));
    EXPECT_LE(encoder.encode(column.view()).size(),
              ColumnEncoder().encode(column.view()).size() * 20 / 19 + 8)
        << "batch " << i;
  }
}

TEST(ThesisDefect10And11, ColumnsInParallelAreEncodedAsAlone) {
  const Column column(DType::f64, decimals<double>(50000, 3, Random(3)));
  const std::vector<std::uint8_t> alone = ColumnEncoder().encode(column.view());
  std::vector<std::vector<std::uint8_t>> together(4);
  std::vector<std::thread> threads;
  for (auto& bytes : together) threads.emplace_back([&] { bytes = ColumnEncoder().encode(column.view()); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& bytes : together) EXPECT_EQ(bytes, alone);
}

TEST(ThesisDefect12, FallingOrderAndAllRunsAreSeen) {
  std::vector<std::int64_t> falling(1000), runs(1000);
  std::vector<double> fractions(1000);
  for (std::size_t i = 0; i < falling.size(); ++i) {
    falling[i] = -static_cast<std::int64_t>(i * i);
    runs[i] = static_cast<std::int64_t>(i / 100) << 32;
    fractions[i] = static_cast<double>(i / 100) / 16;
  }
  const trees::StreamFacts of_falling = trees::find_facts(Column(DType::i64, falling).view());
  EXPECT_LT(of_falling.difference_bits[1], of_falling.offset_bits);
  // Of the 512 words in the middle.
  EXPECT_EQ(trees::find_facts(Column(DType::i64, runs).view()).runs, 6U);
  EXPECT_EQ(trees::find_facts(Column(DType::f64, fractions).view()).runs, 6U);
}

TEST(ThesisDefect15, ASplitWithAnEmptySideIsATreeLikeOthers) {
  const Column column(DType::i32, random_numbers(5000, 0, 1000, Random(5)));
  expect_round_trip(column, with_tree("split(2),rle,bitpack,bitpack,bitpack,delta,bitpack", DType::i32),
                    "nothing negative");
  auto encoder = with_tree("split(2),bitpack,bitpack,delta,bitpack", DType::i32);
  EXPECT_LT(encoder.encode(column.view()).size(),
            std::size_t{5000 * 11 / 8});  // the side that is not empty was encoded
}

}  // namespace
}  // namespace floe::test
