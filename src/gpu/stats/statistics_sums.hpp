// What blocks add up, and how it becomes the record of trees::collect_statistics, which defines it.
#pragma once

#include "gpu/stats/sample_pages.hpp"
#include "plan/statistics/statistics.hpp"

namespace floe::series_cuda {

/// What the blocks of a launch add to; zeros at first.
struct StatisticsSums {
  std::uint64_t most = 0, min_inverted = 0;  ///< Numbers; the second with all bits inverted.
  std::uint64_t bits_in_any = 0, bits_missing = 0;
  std::uint64_t changes = 0, descents = 0;
  std::uint64_t lengths[3][65] = {};
  std::uint64_t special[4] = {};
  std::uint64_t blocks_done = 0;
};

/// Of so many words.
FLOE_HD constexpr std::uint64_t sampled_of(std::uint64_t count) {
  const std::uint64_t left = count % page_words;
  return count / page_words * sampled_words + (left < sampled_words ? left : sampled_words);
}

/// All of the record but its histograms.
template <core::Word W>
FLOE_HD void write_record(const StatisticsSums& sums, const Words<W>& words, DType type,
                          trees::Statistics& record) {
  record.type = type;
  record.count = words.count;
  record.first = words.values[0];
  record.last = words.values[words.count - 1];
  record.least = trees::from_order(static_cast<W>(~sums.min_inverted), words.order);
  record.most = trees::from_order(static_cast<W>(sums.most), words.order);
  record.runs = sums.changes + 1;
  record.descents = sums.descents;
  record.ascents = sums.changes - sums.descents;
  record.bits_in_all = static_cast<W>(~sums.bits_missing);
  record.bits_in_any = sums.bits_in_any;
  record.sampled = sampled_of(words.count);
  record.nans = sums.special[0];
  record.infinities = sums.special[1];
  record.negative_zeros = sums.special[2];
  record.subnormals = sums.special[3];
}

inline constexpr unsigned histogram_entries = 3 * 65;

/// One entry of the three histograms.
FLOE_HD inline void write_histogram_entry(const StatisticsSums& sums, unsigned entry,
                                          trees::Statistics& record) {
  const unsigned histogram = entry / 65, bits = entry % 65;
  trees::BitLengths& lengths = histogram == 0   ? record.offsets
                               : histogram == 1 ? record.differences
                                                : record.changed_bits;
  lengths[bits] = sums.lengths[histogram][bits];
}

}  // namespace floe::series_cuda
