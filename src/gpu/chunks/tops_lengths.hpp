// How many lower bits of its words a drop_tops stage of DPratio keeps. A warp counts how many words have each
// length.
#pragma once

#include "chunks/stages/stages.hpp"
#include "gpu/chunks/tops_layout.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

struct TopsLengths : TopsLayout {
  struct Keep {
    unsigned bits;             ///< Lower bits that are kept, or keep_everything or keep_nothing.
    std::uint32_t full_words;  ///< Words that do not fit into them.
  };

  template <class Warp>
  static FLOE_DEVICE void clear_counts(Warp& warp, std::uint8_t* buffer) {
    for (std::uint32_t i = warp.lane(); i < counts_bytes / 4; i += warp_lanes)
      store_aligned(buffer + words_bytes + 4 * i, std::uint32_t{0});
    warp.sync();
  }

  /// A lane has at most 64 words. It counts in bytes of its own: additions to shared numbers would wait for
  /// each other.
  template <class Warp>
  static FLOE_DEVICE void count(Warp& warp, std::uint8_t* buffer, Word difference) {
    ++buffer[words_bytes + warp_lanes * core::bit_length(difference) + warp.lane()];
  }

  /// How many words have a length. Every lane begins elsewhere, so that few meet in a bank.
  template <class Warp>
  static FLOE_DEVICE std::uint32_t total_of(Warp& warp, const std::uint8_t* buffer, unsigned length) {
    std::uint32_t pairs = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < warp_lanes / 4; ++k) {
      const std::uint32_t four = word32(buffer + words_bytes + warp_lanes * length, (k + warp.lane()) % 8);
      pairs += (four & 0x00FF00FF) + (four >> 8 & 0x00FF00FF);
    }
    return (pairs & 0xFFFF) + (pairs >> 16);
  }

  /// The number of lower bits that saves the most bits, the smallest such number.
  template <class Warp>
  static FLOE_DEVICE Keep choose_keep(Warp& warp, const std::uint8_t* buffer, std::uint32_t words) {
    warp.sync();
    const std::uint32_t low = inclusive_scan(warp, total_of(warp, buffer, warp.lane()));
    const std::uint32_t low_all = warp.shuffle(low, warp_lanes - 1);
    const std::uint32_t high =
        low_all + inclusive_scan(warp, total_of(warp, buffer, warp_lanes + warp.lane()));
    if (warp.shuffle(low, 0) == words) return {stages::keep_nothing, 0};
    const auto rated = [](std::uint32_t covered, unsigned keep) {
      return (64 - keep) * covered << 6 | (63 - keep);
    };
    const std::uint32_t a = rated(low, warp.lane()), b = rated(high, warp_lanes + warp.lane());
    const std::uint32_t best = warp.reduce_max(a > b ? a : b);
    warp.sync();  // the counts become bitmap and scratch
    if (best >> 6 == 0) return {stages::keep_everything, words};
    const unsigned keep = 63 - best % 64;
    return {keep, words - (best >> 6) / (64 - keep)};
  }

  /// Counts the lengths of a batch's words that exist.
  template <class Warp>
  static FLOE_DEVICE void count_rows(Warp& warp, std::uint8_t* buffer, std::uint32_t first,
                                     std::uint32_t words, const Word (&difference)[batch]) {
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (first + b * warp_lanes + warp.lane() < words) count(warp, buffer, difference[b]);
    }
  }
};

}  // namespace floe::gpu
