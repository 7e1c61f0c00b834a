// Tests of segments whose grids and deltas are stored by a block before it packs the leaf of entropy below
// them, run by emulated lanes: the bytes are the CPU's.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "encodings/grid/grid.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t row = 100;

/// Fails where a segment is packed to other bytes than the CPU's. Returns whether it was packed.
bool is_packed_alike(const std::string& tree, const Column& column, const std::string& what) {
  const trees::Plan plan = trees::plan_from_text(tree, column.type).value();
  const std::vector<std::uint8_t> packed =
      pack_entropy_emulated(plan, column, column.count() % 3 == 0 ? 3 : 1, true);
  if (packed.empty()) return false;
  expect_bytes(ColumnEncoder(plan).encode(column.view()), packed, column.type,
               tree + " on " + what + " of " + std::to_string(column.count()));
  return true;
}

/// A word of a type that stands for a number of about 16 bits, of either sign.
std::uint64_t word_of(DType type, std::int64_t number) {
  if (!is_float(type)) return static_cast<std::uint64_t>(number);
  const float value = static_cast<float>(number) / 64.0f;
  if (type == DType::f64) return bits_of(static_cast<double>(value));
  const auto bits = static_cast<std::uint32_t>(bits_of(value));
  if (type != DType::f16) return type == DType::f32 ? bits : bits >> 16;
  const trees::FloatLayout layout = trees::layout_of(type);  // a float of about the same size
  const std::uint32_t exponent = (bits >> 23 & 0xFF) - 127 + layout.top_exponent() / 2;
  return bits == 0 ? 0 : bits >> 31 << 15 | (exponent & 0x1F) << 10 | (bits >> 13 & 0x3FF);
}

/// Rows that resemble each other, with noise.
Column rows(DType type, std::uint64_t count) {
  Column column(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto x = static_cast<std::int64_t>(i % row), y = static_cast<std::int64_t>(i / row);
    column.set(i, word_of(type, x * x - 40 * x + 9 * y + static_cast<std::int64_t>(core::splitmix(i) % 13)));
  }
  return column;
}

/// Words of which something is equal on the way to the leaf, or grows.
std::vector<std::pair<std::string, Column>> odd_columns(DType type, std::uint64_t count) {
  std::vector<std::pair<std::string, Column>> columns;
  const auto add = [&](const char* name, const auto& word) {
    Column column(type, count);
    for (std::uint64_t i = 0; i < count; ++i) column.set(i, word(i));
    columns.emplace_back(name, column);
  };
  add("equal words", [&](std::uint64_t) { return word_of(type, 4711); });
  add("zeros", [&](std::uint64_t) { return std::uint64_t{0}; });
  add("random words", [&](std::uint64_t i) { return core::splitmix(i); });
  add("equal rows",
      [&](std::uint64_t i) { return word_of(type, static_cast<std::int64_t>(i % row * 37 % 101)); });
  add("periods of 32", [&](std::uint64_t i) { return core::splitmix(i % 32); });
  add("a line", [&](std::uint64_t i) { return i * 12345; });
  add("rows that are multiples of the first", [&](std::uint64_t i) { return 7 * (i / row + 1); });
  add("one other word", [&](std::uint64_t i) { return word_of(type, i == count / 2 ? 3 : 4711); });
  add("whole numbers", [&](std::uint64_t i) {
    return word_of(type, static_cast<std::int64_t>(64 * (core::splitmix(i) % 8 + 1)));
  });
  add("powers of two",
      [&](std::uint64_t i) { return word_of(type, std::int64_t{64} << (core::splitmix(i) % 6)); });
  return columns;
}

class StoredStepsOf : public testing::TestWithParam<DType> {
 protected:
  [[nodiscard]] std::vector<std::string> trees() const {
    const std::array<std::string, 19> deltas = {"delta(1,100)",
                                                "delta(2,100)",
                                                "delta(1,65)",
                                                "delta(1,300),delta(1,100)",
                                                "delta(2,100),delta(2)",
                                                "delta(1,100),delta",
                                                "delta(1,32)",
                                                "delta(1,32),delta",
                                                "delta(1,100),delta(1,2)",
                                                "delta(2,7),delta(2)",
                                                "delta(2),delta(2)",
                                                "delta(2,100),delta(2),delta(2)",
                                                "delta(1,2)",
                                                "delta(1,3)",
                                                "delta(1,4)",
                                                "delta(1,5)",
                                                "delta(2,3)",
                                                "delta(1,1000),delta(1,100),delta",
                                                "delta(1,200),delta(1,100),delta(1,32),delta"};
    std::vector<std::string> all = {"grid,entropy,raw,bitpack,raw", "grid,delta,entropy,raw,bitpack,raw"};
    for (const std::string& some : deltas) {
      all.push_back(some + ",entropy");
      all.push_back("sortable," + some + ",entropy");
      all.push_back("grid," + some + ",entropy,raw,bitpack,raw");
      all.push_back("decimal(2,4)," + some + ",entropy,bitpack,raw");
    }
    std::erase_if(all, [](const std::string& tree) { return !trees::plan_from_text(tree, GetParam()); });
    return all;
  }
};

TEST_P(StoredStepsOf, PackRows) {
  std::size_t number = 0;
  for (const std::string& tree : trees()) {
    for (const std::uint64_t count : {1999, 4096, 4500, 30'001, 65'536}) {
      if (sanitized && number++ % 6 != 0) continue;
      const bool is_packed = is_packed_alike(tree, rows(GetParam(), count), "rows");
      if (HasFatalFailure()) return;
      if (tree.starts_with("grid") || tree.starts_with("decimal")) continue;  // there may be exceptions
      ASSERT_TRUE(is_packed) << tree << " of " << count;
    }
  }
}

TEST_P(StoredStepsOf, PackFewWords) {
  for (const std::string& tree : trees()) {
    for (const std::uint64_t count : {1, 2, 3, 6, 31, 33, 65, 70, 101, 200, 301}) {
      is_packed_alike(tree, rows(GetParam(), count), "rows");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(StoredStepsOf, PackOddWords) {
  std::size_t number = 0;
  for (const std::string& tree : trees()) {
    for (const std::uint64_t count : {40, 257, 700, 4096, 9000}) {
      for (const auto& [name, column] : odd_columns(GetParam(), count)) {
        if (sanitized && number++ % 13 != 0) continue;
        is_packed_alike(tree, column, name);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, StoredStepsOf,
                         testing::Values(DType::i16, DType::u32, DType::i64, DType::f32, DType::f64,
                                         DType::f16, DType::bf16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

/// Bits below that begin and end anywhere, in words that warps share.
TEST(StoredSteps, PackGrids) {
  std::size_t number = 0;
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const trees::FloatLayout layout = trees::layout_of(type);
    const std::uint64_t one = std::uint64_t{layout.top_exponent() / 2} << (layout.precision - 1),
                        mantissa = (std::uint64_t{1} << (layout.precision - 1)) - 1;
    for (const std::uint64_t count : {2, 100, 129, 1000, 4097, 12'345, 65'535}) {
      for (const unsigned max : {1u, 2u, layout.precision / 2, layout.precision - 1}) {
        for (const unsigned equal : {0u, 1u, 2u}) {
          if (sanitized && number++ % 5 != 0) continue;
          Column column(type, count);
          for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t drawn = core::splitmix(i + max),
                                exponents = i % (count / 3 + 1) == 0 ? 0 : drawn % max,
                                bits = equal == 0   ? drawn >> 7 & mantissa
                                       : equal == 1 ? 0
                                                    : mantissa;
            column.set(i, (drawn >> 5 & 1) << (layout.bits - 1) |
                              ((one - (exponents << (layout.precision - 1))) | bits));
          }
          if (max == 2 && count > 60) column.set(60, 0);
          for (const char* tree :
               {"grid,delta,entropy,raw,bitpack,raw", "grid,delta(1,70),delta,entropy,raw,bitpack,raw"}) {
            const bool is_packed = is_packed_alike(tree, column, "a grid of " + std::to_string(max));
            if (HasFatalFailure()) return;
            const bool must_be = equal == 0 && count > 70 && max + 1 < layout.precision;
            ASSERT_TRUE(is_packed || !must_be)
                << tree << " of " << count << ", " << name_of(type) << ", " << max;
          }
        }
      }
    }
  }
}

/// Words that no grid says, side by side, from the first word on, at equal distances, and too many of them.
TEST(StoredSteps, PackExceptionsOfGrids) {
  std::size_t number = 0;
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const trees::FloatLayout layout = trees::layout_of(type);
    const std::uint64_t one = std::uint64_t{layout.top_exponent() / 2} << (layout.precision - 1),
                        nan = (std::uint64_t{layout.top_exponent()} << (layout.precision - 1)) | 1,
                        mantissa = (std::uint64_t{1} << (layout.precision - 1)) - 1;
    for (const std::uint64_t count : {40, 700, 4100, 20'001, 65'535}) {
      for (const std::uint64_t length : {1, 3, 40, 900}) {
        for (const std::uint64_t distance : {17, 60, 3}) {
          if (sanitized && number++ % 5 != 0) continue;
          Column column(type, count);
          std::uint64_t exceptions = 0;
          for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t drawn = core::splitmix(i), exponents = drawn % (layout.precision / 2);
            const bool is_exception =
                i / length % distance == (distance == 60 ? 7 : 0) && (length < 40 || drawn % 64 > 1);
            exceptions += is_exception ? 1 : 0;
            const std::uint64_t number =
                (one - (exponents << (layout.precision - 1))) | (drawn >> 7 & mantissa);
            column.set(i, !is_exception ? (drawn >> 5 & 1) << (layout.bits - 1) | number
                          : length == 3 ? nan
                                        : nan + drawn % 4);
          }
          for (const char* tree : {"grid,delta,entropy,raw,bitpack,raw", "grid,delta,entropy,raw,raw,raw",
                                   "grid,delta(1,70),delta,entropy,raw,bitpack,raw"}) {
            const bool is_packed = is_packed_alike(tree, column, std::to_string(exceptions) + " exceptions");
            if (HasFatalFailure()) return;
            ASSERT_TRUE(is_packed || count < 100 || exceptions > count / 16) << tree << ": " << exceptions;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace floe::test
