// Chunks of DPratio: a warp's part of shared memory, and how many lower bits a drop_tops stage keeps.
#pragma once

#include <cstdint>

#include "chunks/stages/stages.hpp"
#include "core/chunk.hpp"
#include "gpu/warp/lane_bits.hpp"

namespace floe::gpu {

/// Chunks of delta, zig-zag and two drop_tops stages (docs/format/stages/drop_tops.md). A buffer holds what
/// the first stage makes of the words, then counts or a bitmap with its levels.
struct TopsLayout {
  using Word = std::uint64_t;
  static constexpr unsigned max_warps = 13;
  static constexpr std::uint32_t bitmap_bytes = 256;
  static constexpr std::uint32_t scratch_bytes = 512;
  static constexpr std::uint32_t trailer_bytes = 3;

  /// What the first stage made, and what reads and zeroes of whole vectors touch behind it.
  static constexpr std::uint32_t words_bytes = core::chunk_bytes + 32;
  static constexpr unsigned lengths = 65;
  static constexpr std::uint32_t counts_bytes = lengths * warp_lanes;  ///< Later bitmap and scratch.
  static constexpr std::uint32_t encode_bytes = words_bytes + counts_bytes;
  static constexpr std::uint32_t decode_bytes = words_bytes + bitmap_bytes + scratch_bytes;
  static_assert(counts_bytes >= bitmap_bytes + scratch_bytes && counts_bytes % 16 == 0);

  static constexpr unsigned batch = 4;  ///< Rows of 32 words that are worked on side by side.

  static FLOE_DEVICE std::uint8_t* bitmap_of(std::uint8_t* buffer) { return buffer + words_bytes; }
  static FLOE_DEVICE std::uint8_t* scratch_of(std::uint8_t* buffer) {
    return buffer + words_bytes + bitmap_bytes;
  }
};

struct TopsLengths : TopsLayout {
  struct Keep {
    unsigned bits;             ///< Lower bits that are kept, or keep_everything or keep_nothing.
    std::uint32_t full_words;  ///< Words that do not fit into them.
  };

  template <class Warp>
  static FLOE_DEVICE void clear_counts(Warp& warp, std::uint8_t* buffer) {
    zero_words(warp, buffer + words_bytes, counts_bytes / 4);
    warp.sync();
  }

  /// A lane has at most 64 words, and counts in bytes of its own: nothing waits for shared numbers.
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
