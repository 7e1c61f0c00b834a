// Tests of cursors, opened by 32 emulated lanes: they read what the decoder reads.
#include "gpu/cursor/open_cursor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cuda/cursor_example.hpp"
#include "tests/series/columns.hpp"
#include "tests/series/generators.hpp"
#include "tests/support/emulated_warp.hpp"

namespace floe::gpu {
namespace {

using test::Column;

/// A cursor and its index, which is exactly as large as it has to be.
struct Opened {
  Cursor cursor;
  std::vector<std::uint64_t> index;
};

Cursor open(const std::vector<std::uint8_t>& segment, DType type, std::uint64_t count,
            std::vector<std::uint64_t>& index) {
  std::vector<CursorTask> tasks(CursorOpener::max_tasks);
  std::array<std::uint64_t, 32> sums{};
  Cursor cursor;
  CursorOpener opener(tasks.data(), {reinterpret_cast<std::uint8_t*>(index.data()), index.size() * 8});
  opener.open(segment.data(), segment.size(), type, count, cursor);
  test::EmulatedWarp::run([&](test::EmulatedWarp& warp) {
    for (unsigned task = 0; task < opener.task_count(); ++task)
      run_cursor_task(tasks[task], warp.lane(), 32, sums.data(), [&] { warp.sync(); });
  });
  return cursor;
}

Opened open(const std::vector<std::uint8_t>& segment, DType type, std::uint64_t count) {
  Opened opened;
  opened.cursor = open(segment, type, count, opened.index);
  const auto needed = static_cast<ErrorCode>(opened.cursor.error);
  if (needed == ErrorCode::output_too_small) {
    opened.index.resize(opened.cursor.index_bytes / 8);
    opened.cursor = open(segment, type, count, opened.index);
  }
  return opened;
}

std::vector<std::uint8_t> encode(const Column& column, std::string_view plan) {
  return test::ColumnEncoder(trees::plan_from_text(plan, column.type).value()).encode(column.view());
}

std::uint64_t word_of(const Column& column, std::uint64_t i) {
  std::uint64_t word = 0;
  std::memcpy(&word, column.bytes.data() + i * size_of(column.type), size_of(column.type));
  return word;
}

void expect_words(const Cursor& cursor, const Column& column, std::string_view what) {
  ASSERT_EQ(cursor.error, 0U) << what << " " << name_of(column.type);
  ASSERT_EQ(cursor.count, column.count());
  for (std::uint64_t i = 0; i < column.count(); ++i)
    ASSERT_EQ(cursor.word(i), word_of(column, i))
        << what << " " << name_of(column.type) << " word " << i << " of " << column.count();
}

std::vector<std::string> plans_for(DType type) {
  if (is_float(type) && !is_wide_float(type))
    return {"raw", "sortable,bitpack", "sortable,delta,bitpack", "dict,raw,bitpack,raw"};
  if (is_float(type))
    return {"raw",
            "sortable,bitpack",
            "sortable,delta,bitpack",
            type == DType::f64 ? "decimal(2,8),bitpack,bitpack,raw" : "decimal(2,4),bitpack,bitpack,raw",
            "decimal(1,4),delta,bitpack,delta,bitpack,sortable,bitpack",
            "dict,raw,bitpack,raw",
            "sparse,bitpack,sortable,bitpack"};
  return {"bitpack",
          "raw",
          "delta,bitpack",
          "int_mult,bitpack",
          "delta,int_mult,bitpack",
          "int_mult,delta,bitpack",
          "dict,bitpack,bitpack,raw",
          "dict,delta,bitpack,int_mult,bitpack,raw",
          "sparse,bitpack,bitpack",
          "sparse,delta,bitpack,delta,bitpack"};
}

TEST(OpenCursor, ReadsEveryWordOfEveryTree) {
  for (const DType type : word_types) {
    for (const std::uint64_t count : {1, 2, 31, 33, 1024, 1025, 3100}) {
      for (const auto& [name, column] : test::sampled_columns(type, count)) {
        for (const std::string& plan : plans_for(type)) {
          const auto segment = encode(column, plan);
          const Opened opened = open(segment, type, count);
          if (plan.find("dict") != std::string::npos && opened.cursor.error != 0) {
            ASSERT_EQ(static_cast<ErrorCode>(opened.cursor.error), ErrorCode::unsupported_codec) << plan;
            continue;
          }
          expect_words(opened.cursor, column, plan + " of " + name);
        }
      }
    }
  }
}

TEST(OpenCursor, ReadsExceptionsOfVectors) {
  for (const DType type : {DType::u16, DType::i32, DType::u64}) {
    for (const std::uint64_t every : {3, 9, 40, 500}) {
      Column column(type, 3000);
      for (std::uint64_t i = 0; i < 3000; ++i)
        column.set(i, core::splitmix(i) % every == 0 ? core::splitmix(i) >> 1 : i % 5);
      expect_words(open(encode(column, "bitpack"), type, 3000).cursor, column, "bitpack");
      expect_words(open(encode(column, "delta,bitpack"), type, 3000).cursor, column, "delta");
    }
  }
}

TEST(OpenCursor, GivesTypedValues) {
  const Column prices(DType::f64, std::vector<double>{1.25, 2.5, -0.0, 3.75});
  const auto segment = encode(prices, "decimal(2,8),bitpack,bitpack,raw");
  const Opened opened = open(segment, prices.type, 4);
  EXPECT_EQ(opened.cursor.value<double>(0), 1.25);
  EXPECT_EQ(opened.cursor.value<double>(3), 3.75);
  EXPECT_TRUE(std::signbit(opened.cursor.value<double>(2)));
  const Column steps(DType::i16, std::vector<std::int16_t>{-3, -2, -1, 7});
  const auto packed = encode(steps, "delta,bitpack");
  EXPECT_EQ(open(packed, steps.type, 4).cursor.value<std::int16_t>(0), -3);
  EXPECT_EQ(open(packed, steps.type, 4).cursor.value<std::int16_t>(3), 7);
}

TEST(OpenCursor, AnswersTheExampleOfTheGuide) {
  std::vector<double> prices(10000);
  for (std::size_t i = 0; i < prices.size(); ++i)
    prices[i] = static_cast<double>(core::splitmix(i) % 10000) / 100;
  const Column column(DType::f64, prices);
  const auto segment = encode(column, "decimal(2,4),bitpack,bitpack,raw");
  const Opened opened = open(segment, column.type, column.count());
  std::uint64_t count = 0;
  test::EmulatedWarp::run(
      [&](test::EmulatedWarp& warp) { count += test::count_above(opened.cursor, 42.42, warp.lane(), 32); });
  EXPECT_EQ(count, static_cast<std::uint64_t>(
                       std::count_if(prices.begin(), prices.end(), [](double p) { return p > 42.42; })));
}

TEST(OpenCursor, ReadsWhatThePlannerChoosesOrSaysThatItCannot) {
  std::size_t read = 0;
  for (const DType type : word_types) {
    for (const auto& [name, column] : test::difficult_columns(type, 20000)) {
      const auto segment = test::ColumnEncoder(trees::Preset::fast).encode(column.view());
      const Opened opened = open(segment, type, column.count());
      if (opened.cursor.error == 0) {
        expect_words(opened.cursor, column, name);
        ++read;
      } else {
        EXPECT_EQ(static_cast<ErrorCode>(opened.cursor.error), ErrorCode::unsupported_codec) << name;
      }
    }
  }
  EXPECT_GT(read, 30U);
}

TEST(OpenCursor, SaysHowLargeTheIndexHasToBe) {
  Column column(DType::u32, 100000);
  for (std::uint64_t i = 0; i < 100000; ++i) column.set(i, i * i);
  const auto segment = encode(column, "delta,bitpack");
  std::vector<std::uint64_t> nothing;
  const Cursor refused = open(segment, column.type, column.count(), nothing);
  EXPECT_EQ(static_cast<ErrorCode>(refused.error), ErrorCode::output_too_small);
  EXPECT_EQ(refused.count, 0U);
  EXPECT_EQ(refused.index_bytes, 98 * 16 + 3125 * 4 + 12U);
}

TEST(OpenCursor, TakesAnyBytes) {
  test::Random random(1);
  std::size_t opened_count = 0;
  for (const DType type : {DType::u8, DType::i32, DType::f64}) {
    for (const auto& [name, column] : test::sampled_columns(type, 1500)) {
      for (const std::string& plan : plans_for(type)) {
        const auto segment = encode(column, plan);
        for (unsigned round = 0; round < 12; ++round) {
          std::vector<std::uint8_t> damaged = segment;
          const std::size_t reach =
              round % 2 == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 40);
          for (std::uint64_t i = random.below(3); i < 3; ++i)
            damaged[random.below(reach)] = static_cast<std::uint8_t>(random.next());
          if (round % 4 == 3) damaged.resize(random.below(damaged.size()));
          damaged.shrink_to_fit();
          const Opened opened = open(damaged, type, column.count());
          if (opened.cursor.error != 0) continue;
          ++opened_count;
          std::uint64_t sum = 0;
          for (std::uint64_t i = 0; i < column.count(); i += 7) sum += opened.cursor.word(i);
          EXPECT_NE(sum, 1U);  // the words may be anything
        }
      }
    }
  }
  EXPECT_GT(opened_count, 0U);
}

}  // namespace
}  // namespace floe::gpu
