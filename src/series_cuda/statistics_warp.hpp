// The statistics of a column by warps: every word is counted, and the first 1024 of every page of 8192 are looked at more closely. The
// record is that of series::collect_statistics, which defines it.
#pragma once

#include "series/statistics/statistics.hpp"
#include "series_cuda/bit_counter.hpp"
#include "series_cuda/lane_counts.hpp"
#include "stages/zigzag.hpp"

namespace floe::series_cuda {

inline constexpr std::uint64_t page_words = 8192, sampled_words = 1024;
/// What a warp counts at a time.
inline constexpr std::uint64_t tile_bytes = 8 << 10, row_bytes = 16 * cuda::warp_lanes;

/// The words that a warp works on.
template <core::Word W>
struct Words {
  using P = Packed<W>;
  const W* values = nullptr;
  std::uint64_t count = 0;
  series::WordOrder order = series::WordOrder::unsigned_integers;

  static constexpr std::uint64_t lane_words = 16 / sizeof(W), row_words = row_bytes / sizeof(W);

  /// 16 bytes from word `first` on; what is behind the end is the last word.
  FLOE_DEVICE void load(std::uint64_t first, typename P::R (&registers)[P::registers]) const {
    cuda::Vector<W> vector;
    if (first + lane_words <= count && reinterpret_cast<std::uintptr_t>(values) % 16 == 0) {
      vector = cuda::load_aligned<cuda::Vector<W>>(reinterpret_cast<const std::uint8_t*>(values + first));
    } else {
      FLOE_UNROLL
      for (unsigned i = 0; i < lane_words; ++i) vector.word[i] = values[first + i < count ? first + i : count - 1];
    }
    std::memcpy(registers, &vector, sizeof vector);
  }
};

/// The register of the lane before; for lane 0 the one that lane 31 had the last time.
template <class Warp, class R>
FLOE_DEVICE R take_turns(Warp& warp, R last, R& carried) {
  const R before = warp.shuffle(last, (warp.lane() + 31) % cuda::warp_lanes);
  if (warp.lane() != 0) return before;
  const R from = carried;
  carried = before;
  return from;
}

/// Counts up to `word_count` words from `first` on, which must be fewer than all.
template <core::Word W, class Warp, class Counts>
FLOE_DEVICE void count_tile(Warp& warp, const Words<W>& words, std::uint64_t first, std::uint64_t word_count, Counts& counts) {
  using P = Packed<W>;
  constexpr unsigned rows_at_once = 4;
  const std::uint64_t end = first + word_count < words.count ? first + word_count : words.count;
  auto carried = counts.ending_with(words.values[first == 0 ? 0 : first - 1]);
  FLOE_NO_UNROLL
  for (; first < end; first += rows_at_once * Words<W>::row_words) {
    typename P::R registers[rows_at_once][P::registers];
    FLOE_UNROLL
    for (unsigned row = 0; row < rows_at_once; ++row)
      words.load(first + row * Words<W>::row_words + warp.lane() * Words<W>::lane_words, registers[row]);
    FLOE_UNROLL
    for (unsigned row = 0; row < rows_at_once; ++row) {
      counts.order(registers[row]);
      counts.add(registers[row], take_turns(warp, registers[row][P::registers - 1], carried));
    }
  }
}

/// The totals of all lanes.
template <class Warp>
FLOE_DEVICE WordTotals sum_totals(Warp& warp, WordTotals totals) {
  FLOE_NO_UNROLL
  for (unsigned distance = 1; distance < cuda::warp_lanes; distance *= 2) {
    const unsigned from = warp.lane() ^ distance;
    const WordTotals other{warp.shuffle(totals.least, from),       warp.shuffle(totals.most, from),
                           warp.shuffle(totals.bits_in_all, from), warp.shuffle(totals.bits_in_any, from),
                           warp.shuffle(totals.changes, from),     warp.shuffle(totals.descents, from)};
    totals.add(other);
  }
  return totals;
}

/// Counts of the words that were sampled. Shared by warps, which add to them.
struct SampleCounts {
  /// Words with more than k bits: offsets, zig-zags of differences, words changed.
  std::uint32_t longer[3][64];
  std::uint32_t special[4];  ///< NaNs, infinities, negative zeros, subnormals.
};

/// Which of the four kinds a float is: 1 << 8 * kind; 0 for the others.
template <core::Word W>
FLOE_DEVICE std::uint32_t special_kind(W word) {
  constexpr unsigned mantissa = core::word_bits<W> == 64 ? 52 : 23;
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  constexpr W infinity = static_cast<W>(static_cast<W>(~top) >> mantissa << mantissa);
  const W magnitude = static_cast<W>(word & ~top);
  std::uint32_t kind = magnitude > infinity ? 1 : 0;
  kind |= magnitude == infinity ? 1u << 8 : 0;
  kind |= word == top ? 1u << 16 : 0;
  kind |= magnitude != 0 && magnitude >> mantissa == 0 ? 1u << 24 : 0;
  return kind;
}

/// A lane's counters of bit lengths, of two rows of its words at a time: 32 words, so that counts stay below 64.
template <core::Word W>
class LengthCounter {
 public:
  using R = Register<W>;
  static constexpr unsigned halves = sizeof(R) / 4, registers = 16 / sizeof(R);
  FLOE_DEVICE void add(const R (&lengths)[2 * registers]) {
    if constexpr (halves == 1) {
      counter_[0].add(lengths[0], lengths[1], lengths[2], lengths[3]);
      counter_[0].add(lengths[4], lengths[5], lengths[6], lengths[7]);
    } else {
      counter_[0].add(cuda::low_half(lengths[0]), cuda::low_half(lengths[1]), cuda::low_half(lengths[2]), cuda::low_half(lengths[3]));
      counter_[1].add(cuda::high_half(lengths[0]), cuda::high_half(lengths[1]), cuda::high_half(lengths[2]), cuda::high_half(lengths[3]));
    }
  }
  template <class Warp>
  FLOE_DEVICE void add_to(Warp& warp, std::uint32_t* longer) {
    FLOE_UNROLL
    for (unsigned half = 0; half < halves; ++half)
      warp.shared_add(longer + (32 * half + warp.lane()) % core::word_bits<W>, sum_counters(warp, counter_[half]));
  }

 private:
  /// A lane has 8 registers of bytes, 16 of 16 bits, and 32 of longer words.
  BitCounter<sizeof(W) == 1 ? 4 : sizeof(W) == 2 ? 5 : 6> counter_[halves];
};

/// The sample of the page that begins at word `first`.
template <core::Word W, bool as_floats, class Warp>
FLOE_DEVICE void sample_page(Warp& warp, const Words<W>& words, std::uint64_t first, SampleCounts& counts) {
  using P = Packed<W>;
  using R = typename P::R;
  constexpr unsigned rows = static_cast<unsigned>(sampled_words / Words<W>::row_words);
  const auto here = static_cast<unsigned>(words.count - first < sampled_words ? words.count - first : sampled_words);
  const Words<W> sampled{words.values + first, here, words.order};
  W least = static_cast<W>(~W{0});
  FLOE_UNROLL_BY(4)
  for (unsigned row = 0; row < rows; ++row) {
    R registers[P::registers];
    sampled.load(row * Words<W>::row_words + warp.lane() * Words<W>::lane_words, registers);
    FLOE_UNROLL
    for (unsigned i = 0; i < P::registers; ++i) {
      FLOE_UNROLL
      for (unsigned k = 0; k < P::words; ++k) {
        const W number = series::in_order(static_cast<W>(registers[i] >> (P::bits * k)), words.order);
        least = number < least ? number : least;
      }
    }
  }
  FLOE_UNROLL
  for (unsigned distance = 1; distance < cuda::warp_lanes; distance *= 2) {
    const W other = warp.shuffle(least, warp.lane() ^ distance);
    least = other < least ? other : least;
  }

  const R flip = words.order == series::WordOrder::signed_integers ? P::tops : 0;
  LengthCounter<W> offsets, differences, changes;
  std::uint32_t special = 0;
  R carried = static_cast<R>(static_cast<R>(words.values[first]) << (P::register_bits - P::bits));
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < rows; row += 2) {
    R offset[2 * P::registers], difference[2 * P::registers], change[2 * P::registers];
    FLOE_UNROLL
    for (unsigned r = 0; r < 2; ++r) {
      const auto at = static_cast<unsigned>((row + r) * Words<W>::row_words + warp.lane() * Words<W>::lane_words);
      R registers[P::registers];
      sampled.load(at, registers);
      R before = take_turns(warp, registers[P::registers - 1], carried);
      FLOE_UNROLL
      for (unsigned i = 0; i < P::registers; ++i) {
        const R now = registers[i];
        const unsigned valid = here > at + i * P::words ? here - at - i * P::words : 0;
        R step, number, shifted = before;
        if constexpr (P::words > 1) {
          shifted = cuda::funnel_left(before, now, P::bits);
          number = now ^ flip;
          step = P::subtract(now, shifted);
        } else {
          number = series::in_order(static_cast<W>(now), words.order);
          step = number - series::in_order(static_cast<W>(before), words.order);
        }
        const unsigned j = P::registers * r + i;
        offset[j] = P::lengths(number - P::repeat(least)) & P::first_words(valid);
        difference[j] = P::zigzag_lengths(step);  // no differences behind the end, where words repeat
        change[j] = P::lengths(now ^ shifted);
        if constexpr (as_floats) special += valid > 0 ? special_kind(static_cast<W>(now)) : 0;
        before = now;
      }
    }
    offsets.add(offset);
    differences.add(difference);
    changes.add(change);
  }
  offsets.add_to(warp, counts.longer[0]);
  differences.add_to(warp, counts.longer[1]);
  changes.add_to(warp, counts.longer[2]);
  if constexpr (as_floats) {
    const std::uint32_t even = warp.reduce_add(special & 0x00FF00FF), odd = warp.reduce_add(special >> 8 & 0x00FF00FF);
    const std::uint32_t mine = (warp.lane() % 2 == 0 ? even : odd) >> (16 * (warp.lane() / 2 % 2)) & 0xFFFF;
    if (warp.lane() < 4) warp.shared_add(counts.special + warp.lane(), mine);
  }
}

/// What the blocks of a launch add to; zeros at first.
struct StatisticsSums {
  std::uint64_t most = 0, least_inverted = 0;  ///< Numbers; the second with all bits inverted.
  std::uint64_t bits_in_any = 0, bits_missing = 0;
  std::uint64_t changes = 0, descents = 0;
  std::uint64_t longer[3][64] = {};
  std::uint64_t special[4] = {};
  std::uint64_t blocks_done = 0;
};

/// What is known of a segment without reading it.
struct SegmentShape {
  series::Type type = series::Type::u8;
  std::uint64_t count = 0;
  [[nodiscard]] FLOE_HD std::uint64_t sampled() const {
    const std::uint64_t left = count % page_words;
    return count / page_words * sampled_words + (left < sampled_words ? left : sampled_words);
  }
};

/// All of the record but its histograms.
template <core::Word W>
FLOE_HD void write_record(const StatisticsSums& sums, const Words<W>& words, series::Type type, series::Statistics& record) {
  record.type = type;
  record.count = words.count;
  record.first = words.values[0];
  record.last = words.values[words.count - 1];
  record.least = series::from_order(static_cast<W>(~sums.least_inverted), words.order);
  record.most = series::from_order(static_cast<W>(sums.most), words.order);
  record.runs = sums.changes + 1;
  record.descents = sums.descents;
  record.ascents = sums.changes - sums.descents;
  record.bits_in_all = static_cast<W>(~sums.bits_missing);
  record.bits_in_any = sums.bits_in_any;
  record.sampled = SegmentShape{type, words.count}.sampled();
  record.nans = sums.special[0];
  record.infinities = sums.special[1];
  record.negative_zeros = sums.special[2];
  record.subnormals = sums.special[3];
}

inline constexpr unsigned histogram_entries = 3 * 65;

/// One entry of the three histograms.
FLOE_HD inline void write_histogram_entry(const StatisticsSums& sums, const SegmentShape& shape, unsigned entry, series::Statistics& record) {
  const unsigned histogram = entry / 65, bits = entry % 65;
  series::BitLengths& lengths = histogram == 0 ? record.offsets : histogram == 1 ? record.differences : record.changed_bits;
  const std::uint64_t as_long = bits == 0 ? shape.sampled() : sums.longer[histogram][bits - 1];
  lengths[bits] = as_long - (bits < 64 ? sums.longer[histogram][bits] : 0);
}

}  // namespace floe::series_cuda
