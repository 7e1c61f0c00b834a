// Is the record that warps make the one of the CPU? Run with an emulated warp, so without a GPU.
#include "gpu/stats/statistics_sums.hpp"

#include <gtest/gtest.h>

#include "tests/series/columns.hpp"
#include "tests/support/emulated_warp.hpp"

namespace floe::series_cuda {
namespace {

template <core::Word W, bool as_floats>
trees::Statistics statistics_of(const trees::ColumnView& column) {
  const Words<W> words{static_cast<const W*>(column.values), column.count, trees::order_of(column.type)};
  StatisticsSums sums;
  SampleCounts samples{};
  WordTotals totals;
  test::EmulatedWarp::run([&](test::EmulatedWarp& warp) {
    LaneCounts<W, as_floats> counts(words.order);
    constexpr std::uint64_t tile = tile_bytes / sizeof(W);
    for (std::uint64_t first = 0; first < words.count; first += tile) count_tile(warp, words, first, counts);
    constexpr std::uint64_t step = Sampler<W, as_floats>::max_pages * page_words;
    for (std::uint64_t first = 0; first < words.count; first += step)
      sample_pages<W, as_floats>(warp, words, first, words.count, samples);
    const WordTotals all = sum_totals(warp, counts.totals());
    if (warp.lane() == 0) totals = all;
  });
  sums.min_inverted = ~totals.least;
  sums.most = totals.most;
  sums.bits_missing = ~totals.bits_in_all;
  sums.bits_in_any = totals.bits_in_any;
  sums.changes = totals.changes;
  sums.descents = totals.descents;
  for (unsigned entry = 0; entry < histogram_entries; ++entry)
    sums.lengths[entry / 65][entry % 65] =
        samples.count<W>(entry / 65, entry % 65, static_cast<std::uint32_t>(sampled_of(words.count)));
  std::copy_n(samples.special, 4, sums.special);
  trees::Statistics record;
  write_record(sums, words, column.type, record);
  for (unsigned i = 0; i < histogram_entries; ++i) write_histogram_entry(sums, i, record);
  return record;
}

trees::Statistics statistics_of(const trees::ColumnView& column) {
  if (column.type == DType::f32) return statistics_of<std::uint32_t, true>(column);
  if (column.type == DType::f64) return statistics_of<std::uint64_t, true>(column);
  return with_word(size_of(column.type), [&]<class W>(W) { return statistics_of<W, false>(column); });
}

TEST(StatisticsSums, MakesTheRecordOfTheCpu) {
  for (const DType type : word_types) {
    if (is_float(type) && !is_wide_float(type)) continue;
    for (const std::uint64_t count : {1,    2,    15,   16,   17,   31,   33,   511,  513,  1023,
                                      1024, 1025, 2047, 5000, 8191, 8192, 8193, 9215, 9217, 20001}) {
      for (const auto& [name, column] : test::difficult_columns(type, count)) {
        const trees::Statistics expected = collect_statistics(column.view()),
                                found = statistics_of(column.view());
        ASSERT_EQ(found.least, expected.least) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.most, expected.most) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.bits_in_all, expected.bits_in_all) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.bits_in_any, expected.bits_in_any) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.runs, expected.runs) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.descents, expected.descents) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.offsets, expected.offsets) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.differences, expected.differences) << name_of(type) << " " << name << " " << count;
        ASSERT_EQ(found.changed_bits, expected.changed_bits) << name_of(type) << " " << name << " " << count;
        ASSERT_TRUE(found == expected) << name_of(type) << " " << name << " " << count;
      }
    }
  }
}

TEST(StatisticsSums, TakesColumnsAtAnyAddress) {
  for (const DType type : word_types) {
    if (is_float(type) && !is_wide_float(type)) continue;
    for (const auto& [name, column] : test::difficult_columns(type, 9001)) {
      const trees::ColumnView rest{type, column.bytes.data() + size_of(type), 9000};
      ASSERT_TRUE(statistics_of(rest) == collect_statistics(rest)) << name_of(type) << " " << name;
    }
  }
}

}  // namespace
}  // namespace floe::series_cuda
