// Columns that are stored as differences from others come back, whole and in parts.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::size_t rows = 3000;

std::vector<std::string> cell_formats(const Bytes& frame) {
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  std::vector<std::string> formats;
  const StoredSegment segment = reader.segment(0).value();
  for (const StoredColumn& column : segment.columns) formats.push_back(column.cell_format);
  return formats;
}

bool is_based(const std::string& cell_format, const std::string& on) {
  return cell_format.find("differences from " + on) != std::string::npos;
}

TEST(BaseColumns, RelatedColumnsOfTextAreFound) {
  const std::string text = csv_of_related_columns(rows);
  for (const Goal goal : {Goal::balance, Goal::ratio, Goal::max}) {
    const Bytes frame = table_of(text, {}, {.goal = goal});
    const std::vector<std::string> formats = cell_formats(frame);
    EXPECT_TRUE(is_based(formats[0], "ms * 1000000") || is_based(formats[1], "ns / 1000000"))
        << formats[0] << ", " << formats[1];
    EXPECT_TRUE(is_based(formats[2], "ask") != is_based(formats[3], "bid"))
        << formats[2] << ", " << formats[3];
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
  }
  TableOptions given;
  given.trees = {{"", 0, "delta,bitpack"}};
  for (const Bytes& frame : {table_of(text, {}, {.goal = Goal::speed}), table_of(text, given)}) {
    for (const std::string& format : cell_formats(frame)) EXPECT_FALSE(is_based(format, "")) << format;
    EXPECT_EQ(text_of(decode_restored(frame).content), text);
  }
  given.trees = {{"ask", 0, "delta,bitpack"}};
  const std::vector<std::string> formats = cell_formats(table_of(text, given));
  EXPECT_FALSE(is_based(formats[3], "")) << formats[3];
  EXPECT_TRUE(is_based(formats[2], "ask")) << formats[2];
}

// A column alone, with its base column before or behind it, and rows in the middle, over the end of a
// segment.
TEST(BaseColumns, PartsComeBack) {
  TableOptions table;
  table.segment_rows = 2000;
  const Bytes frame = table_of(csv_of_related_columns(rows), table);
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  std::vector<std::int64_t> ns(rows), ms(rows), part(100);
  ASSERT_TRUE(reader.read_values(0, {0, rows}, std::as_writable_bytes(std::span(ns))).ok());
  ASSERT_TRUE(reader.read_values(1, {0, rows}, std::as_writable_bytes(std::span(ms))).ok());
  for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(ns[i] / 1000000, ms[i]);
  ASSERT_GT(ns[0], 1500000000123456789);
  for (const std::uint64_t first : {0u, 17u, 1950u, 2900u}) {
    for (const std::size_t column : {0u, 1u}) {
      ASSERT_TRUE(reader.read_values(column, {first, 100}, std::as_writable_bytes(std::span(part))).ok());
      const auto& whole = column == 0 ? ns : ms;
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)));
    }
  }
  const auto printed = [&reader](std::initializer_list<std::size_t> columns) {
    std::string text;
    const Status status =
        reader.print_rows(std::vector(columns), {1990, 20}, [&](std::span<const std::byte> b) {
          text.append(reinterpret_cast<const char*>(b.data()), b.size());
          return Status{};
        });
    EXPECT_TRUE(status.ok()) << status.message();
    return text;
  };
  std::string both = "ns,ms\n", other = "ms,ns\n";
  for (std::size_t row = 1990; row < 2010; ++row) {
    both += std::to_string(ns[row]) + ',' + std::to_string(ms[row]) + '\n';
    other += std::to_string(ms[row]) + ',' + std::to_string(ns[row]) + '\n';
  }
  EXPECT_EQ(printed({0, 1}), both);
  EXPECT_EQ(printed({1, 0}), other);
}

template <class A, class B, class Relate>
void expect_round_trip(DType type, DType other, bool is_found, const Relate& relate) {
  Random random(5);
  std::vector<A> base(rows);
  std::vector<B> column(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    base[i] = static_cast<A>(random.below(1u << 20));
    column[i] = static_cast<B>(relate(base[i]) + static_cast<std::int64_t>(random.below(3)));
  }
  const std::array<const void*, 2> pointers = {base.data(), column.data()};
  const Schema schema = {{"a", type, 0}, {"b", other, 0}};
  const Bytes frame = columns_frame(pointers, rows, schema);
  const std::vector<std::string> formats = cell_formats(frame);
  EXPECT_EQ(is_based(formats[0], "b") || is_based(formats[1], "a"), is_found)
      << formats[0] << ", " << formats[1] << " of " << name_of(type) << " and " << name_of(other);
  const Reader reader = Reader::open(reader_of(frame), frame.size()).value();
  std::vector<A> base_again(rows);
  std::vector<B> again(rows);
  ASSERT_TRUE(reader.read_values(1, {0, rows}, std::as_writable_bytes(std::span(again))).ok());
  ASSERT_TRUE(reader.read_values(0, {0, rows}, std::as_writable_bytes(std::span(base_again))).ok());
  EXPECT_EQ(again, column);
  EXPECT_EQ(base_again, base);
}

TEST(BaseColumns, OfAllWidthsAndSlopes) {
  using I = std::int64_t;
  expect_round_trip<I, I>(DType::i64, DType::i64, true, [](auto x) { return I{x} + 5000; });
  expect_round_trip<std::uint32_t, std::uint64_t>(DType::u32, DType::u64, true,
                                                  [](auto x) { return I{x} * 60; });
  expect_round_trip<std::uint32_t, std::int32_t>(DType::u32, DType::i32, true, [](auto x) { return -I{x}; });
  expect_round_trip<I, std::int32_t>(DType::time, DType::i32, true, [](auto x) { return I{x} * 9 / 5 + 32; });
  expect_round_trip<std::uint16_t, std::uint16_t>(DType::u16, DType::u16, true,
                                                  [](auto x) { return I{x} / 2 + 7; });
  expect_round_trip<std::uint32_t, std::int32_t>(DType::u32, DType::i32, false,
                                                 [](auto x) { return I{x} * 2654435761 % (1 << 20); });
  expect_round_trip<std::uint32_t, float>(DType::u32, DType::f32, false, [](auto x) { return I{x}; });
}

}  // namespace
}  // namespace floe::test
