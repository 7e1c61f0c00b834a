// Every word of a column, counted by warps.
#pragma once

#include "gpu/stats/lane_counts.hpp"

namespace floe::series_cuda {

/// What a warp counts at a time.
inline constexpr std::uint64_t tile_bytes = 8 << 10, row_bytes = 16 * cuda::warp_lanes;

/// The words that a warp works on.
template <core::Word W>
struct Words {
  using P = Packed<W>;
  const W* values = nullptr;
  std::uint64_t count = 0;
  trees::WordOrder order = trees::WordOrder::unsigned_integers;

  static constexpr std::uint64_t lane_words = 16 / sizeof(W), row_words = row_bytes / sizeof(W);

  /// Whether rows can be loaded as they are, up to word `end`.
  [[nodiscard]] FLOE_DEVICE bool has_rows_to(std::uint64_t end) const {
    return end <= count && reinterpret_cast<std::uintptr_t>(values) % 16 == 0;
  }
  /// 16 bytes from word `first` on. With `whole` they are all there, and aligned; otherwise what is behind
  /// the end is the last word.
  template <bool whole>
  FLOE_DEVICE void load(std::uint64_t first, typename P::R (&registers)[P::registers]) const {
    cuda::Vector<W> vector;
    if constexpr (whole) {
      vector = cuda::load_aligned<cuda::Vector<W>>(reinterpret_cast<const std::uint8_t*>(values + first));
    } else {
      FLOE_UNROLL
      for (unsigned i = 0; i < lane_words; ++i)
        vector.word[i] = values[first + i < count ? first + i : count - 1];
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

template <bool whole, core::Word W, class Warp, class Counts>
FLOE_DEVICE void count_rows(Warp& warp, const Words<W>& words, std::uint64_t first, std::uint64_t end,
                            Counts& counts) {
  using P = Packed<W>;
  constexpr unsigned rows_at_once = 4;
  auto carried = counts.ending_with(words.values[first == 0 ? 0 : first - 1]);
  FLOE_NO_UNROLL
  for (; first < end; first += rows_at_once * Words<W>::row_words) {
    typename P::R registers[rows_at_once][P::registers];
    FLOE_UNROLL
    for (unsigned row = 0; row < rows_at_once; ++row)
      words.template load<whole>(first + row * Words<W>::row_words + warp.lane() * Words<W>::lane_words,
                                 registers[row]);
    FLOE_UNROLL
    for (unsigned row = 0; row < rows_at_once; ++row) {
      counts.order(registers[row]);
      counts.add(registers[row], take_turns(warp, registers[row][P::registers - 1], carried));
    }
  }
}

/// Counts a tile of words from `first` on, or what is left of them.
template <core::Word W, class Warp, class Counts>
FLOE_DEVICE void count_tile(Warp& warp, const Words<W>& words, std::uint64_t first, Counts& counts) {
  const std::uint64_t end = first + tile_bytes / sizeof(W);
  if (words.has_rows_to(end)) {
    count_rows<true>(warp, words, first, end, counts);
  } else {
    count_rows<false>(warp, words, first, end < words.count ? end : words.count, counts);
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

}  // namespace floe::series_cuda
