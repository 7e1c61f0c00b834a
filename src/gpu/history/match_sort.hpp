// match_history on a warp, first half: the positions of a segment in the order of their keys, and of
// positions where keys are equal. A stable radix sort of 24 bits of the mixed keys in three passes, by blocks
// of eight warps; where different keys share these bits, the search for earlier words with the same key
// passes over the others. The reference is tests/oracle/match_history.hpp.
#pragma once

#include "chunks/stages/stages.hpp"
#include "core/bits.hpp"
#include "core/chunk.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

inline constexpr std::uint32_t chunk_words = core::chunk_bytes / 8;
inline constexpr unsigned sort_digit_bits = 8;
inline constexpr std::uint32_t digits = 1u << sort_digit_bits;
inline constexpr unsigned sort_passes = 3;
inline constexpr unsigned unsorted_bits = 32 - sort_passes * sort_digit_bits;  ///< The lowest ones.

/// Neighbouring tiles that a block sorts together: records with the same digit make longer runs.
inline constexpr std::uint32_t span_tiles = 4;
inline constexpr std::uint32_t span_words = span_tiles * chunk_words;
inline constexpr unsigned span_warps = 8;
inline constexpr std::uint32_t warp_words = span_words / span_warps;  ///< Of a span, that a warp ranks.

/// What is sorted. Words with equal keys have equal mixed keys, and only they.
struct alignas(8) SortRecord {
  std::uint32_t key;       ///< Mixed.
  std::uint32_t position;  ///< Lower bits: where the word stands in its segment. Upper bits: a hash of it.
};

/// How positions of a segment's words are divided.
struct PositionBits {
  unsigned index_bits;

  explicit FLOE_DEVICE PositionBits(std::uint32_t segment_words)
      : index_bits(core::bit_length(segment_words - 1)) {}
  [[nodiscard]] FLOE_DEVICE std::uint32_t index(std::uint32_t position) const {
    return position & ((1u << index_bits) - 1);
  }
  [[nodiscard]] FLOE_DEVICE bool may_be_equal(std::uint32_t a, std::uint32_t b) const {
    return (a ^ b) >> index_bits == 0;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t position(std::uint32_t index, std::uint64_t word) const {
    const std::uint32_t hash = low_half(word) * 0x9E3779B1 + high_half(word) * 0x85EBCA77;
    return index | (hash >> index_bits << index_bits);
  }
};

/// One word of 64 bits at an address that is a multiple of 8, or at any.
FLOE_DEVICE std::uint64_t load_value(const std::uint8_t* from, bool aligned) {
  return aligned ? load_aligned<std::uint64_t>(from) : load_bits(from, 0, 64);
}

FLOE_DEVICE void store_value(std::uint8_t* to, std::uint64_t word, bool aligned) {
  if (aligned) {
    store_aligned(to, word);
  } else {
    for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
}

/// The words of a segment.
struct SegmentWords {
  const std::uint8_t* bytes;
  bool aligned;  ///< To 8.

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const {
    return load_value(bytes + 8 * std::uint64_t{i}, aligned);
  }
};

/// The same where they are aligned, without branches: several loads are in flight together.
struct AlignedWords : SegmentWords {
  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const {
    return load_aligned<std::uint64_t>(bytes + 8 * std::uint64_t{i});
  }
};

/// Calls work(words) with words that are read in the fastest way there is.
template <class Work>
FLOE_DEVICE void with_words(const SegmentWords& words, const Work& work) {
  if (words.aligned) {
    work(AlignedWords{words});
  } else {
    work(words);
  }
}

/// A bijection whose upper bits depend on all bits of the key.
FLOE_DEVICE std::uint32_t mixed(std::uint32_t key) { return (key ^ key >> 15) * 0x9E3779B1; }

/// What is sorted of word i.
template <class Words>
FLOE_DEVICE SortRecord record_of(const Words& words, std::uint32_t i, const PositionBits& bits) {
  std::uint32_t key = 0;
  FLOE_UNROLL
  for (std::uint32_t back = 1; back <= stages::MatchHistory::context_words; ++back) {
    const std::uint32_t hash = stages::MatchHistory::hash(words.word(back <= i ? i - back : 0));
    key ^= back <= i ? hash : 0;
  }
  return {mixed(key), bits.position(i, words.word(i))};
}

FLOE_DEVICE std::uint32_t digit_of(std::uint32_t key, unsigned pass) {
  return key >> (unsorted_bits + sort_digit_bits * pass) & (digits - 1);
}

/// Counts the digits of a span's records; this warp takes every eighth row. `key(i)` is the key of record i.
template <class Warp, class Key>
FLOE_DEVICE void count_digits(Warp& warp, std::uint32_t* counts, unsigned warp_index, std::uint32_t records,
                              unsigned pass, const Key& key) {
  FLOE_UNROLL_BY(4)
  for (std::uint32_t i = warp_index * warp_lanes + warp.lane(); i < records; i += span_warps * warp_lanes)
    warp.shared_add(counts + digit_of(key(i), pass), 1);
}

/// Moves the records of a span by a digit: the steps of each of its warps, with barriers between them.
struct SpanMover {
  static_assert(digits == span_warps * warp_lanes && span_words < 1u << 16);
  static constexpr unsigned rows = warp_words / warp_lanes;
  static constexpr std::uint32_t records_bytes = span_words * sizeof(SortRecord);
  static constexpr std::uint32_t bytes =
      records_bytes + span_warps * digits * 2 + digits * 4 + span_warps * 8;

  /// What a lane remembers from step to step.
  struct Lane {
    SortRecord record[rows];
    std::uint32_t rank[rows / 2];  ///< Among the warp's records with the same digit: 16 bits each.
    std::uint32_t shift;  ///< For a digit per lane: from a position in the span to one in the segment.
  };

  std::uint8_t* memory;  ///< Records in their new order; counts, then positions; shifts; sums of warps.
  unsigned own;          ///< Number of this warp.
  unsigned pass;

  /// First step: reads and ranks this warp's records, of `count` in the span. `record(i)` is one of these.
  template <class Warp, class Record>
  FLOE_DEVICE void rank(Warp& warp, Lane& lane, std::uint32_t count, const Record& record) const {
    FLOE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint32_t i = index_of(warp, r);
      lane.record[r] = i < count ? record(i) : SortRecord{0, 0};
    }
    for (unsigned k = warp.lane(); k < digits; k += warp_lanes) counts_of(own)[k] = 0;
    warp.sync();
    constexpr unsigned batch = 4;
    FLOE_UNROLL
    for (unsigned first = 0; first < rows; first += batch) {
      std::uint32_t peers[batch];
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) peers[b] = warp.ballot(index_of(warp, first + b) < count);
      FLOE_UNROLL
      for (unsigned bit = 0; bit < sort_digit_bits; ++bit) {
        FLOE_UNROLL
        for (unsigned b = 0; b < batch; ++b) {
          const bool set = (digit_of(lane.record[first + b].key, pass) >> bit & 1) != 0;
          const std::uint32_t sets = warp.ballot(set);
          peers[b] &= set ? sets : ~sets;
        }
      }
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const unsigned r = first + b;
        const std::uint32_t digit = digit_of(lane.record[r].key, pass), below = count_before(warp, peers[b]);
        const std::uint32_t rank = counts_of(own)[digit] + below;
        warp.sync();
        if (index_of(warp, r) < count && below == 0)
          counts_of(own)[digit] = static_cast<std::uint16_t>(rank + count_bits(peers[b]));
        warp.sync();
        lane.rank[r / 2] = r % 2 == 0 ? rank : lane.rank[r / 2] | rank << 16;
      }
    }
  }

  /// Second step: counts of all warps become positions among the digits of this warp. `before` are the sums
  /// of all spans before this one, or null, `segment` those of the whole segment, a number per digit.
  template <class Warp>
  FLOE_DEVICE void add_up(Warp& warp, Lane& lane, const std::uint32_t* before,
                          const std::uint32_t* segment) const {
    const std::uint32_t digit = own * warp_lanes + warp.lane(), records_of_segment = segment[digit];
    std::uint32_t count[span_warps], total = 0;
    FLOE_UNROLL
    for (unsigned w = 0; w < span_warps; ++w) total += count[w] = counts_of(w)[digit];
    std::uint32_t sum[2] = {total, records_of_segment};
    inclusive_scans(warp, sum);
    if (warp.lane() == warp_lanes - 1) {
      sums()[own] = sum[0];
      sums()[span_warps + own] = sum[1];
    }
    std::uint32_t next = sum[0] - total;
    lane.shift = sum[1] - records_of_segment - next + (before == nullptr ? 0 : before[digit]);
    FLOE_UNROLL
    for (unsigned w = 0; w < span_warps; ++w) {
      counts_of(w)[digit] = static_cast<std::uint16_t>(next);
      next += count[w];
    }
  }

  /// Third step: they become positions in the span.
  template <class Warp>
  FLOE_DEVICE void add_digits_before(Warp& warp, Lane& lane) const {
    const std::uint32_t digit = own * warp_lanes + warp.lane();
    std::uint32_t in_span = 0, in_segment = 0;
    FLOE_UNROLL
    for (unsigned w = 0; w < span_warps; ++w) {
      in_span += w < own ? sums()[w] : 0;
      in_segment += w < own ? sums()[span_warps + w] : 0;
    }
    FLOE_UNROLL
    for (unsigned w = 0; w < span_warps; ++w)
      counts_of(w)[digit] = static_cast<std::uint16_t>(counts_of(w)[digit] + in_span);
    shifts()[digit] = lane.shift + in_segment - in_span;
  }

  /// Fourth step: records to their positions in the span.
  template <class Warp>
  FLOE_DEVICE void sort(Warp& warp, const Lane& lane, std::uint32_t count) const {
    FLOE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint32_t first = counts_of(own)[digit_of(lane.record[r].key, pass)];
      const std::uint32_t rank = r % 2 == 0 ? lane.rank[r / 2] & 0xFFFF : lane.rank[r / 2] >> 16;
      if (index_of(warp, r) < count) records()[first + rank] = lane.record[r];
    }
  }

  /// Last step: `put(position, record)` writes a record to its position in the segment.
  template <class Warp, class Put>
  FLOE_DEVICE void put_all(Warp& warp, std::uint32_t count, const Put& put) const {
    FLOE_UNROLL_BY(8)
    for (std::uint32_t i = own * warp_lanes + warp.lane(); i < count; i += span_warps * warp_lanes) {
      const SortRecord sorted = records()[i];
      put(i + shifts()[digit_of(sorted.key, pass)], sorted);
    }
  }

 private:
  template <class Warp>
  FLOE_DEVICE std::uint32_t index_of(Warp& warp, unsigned row) const {
    return own * warp_words + row * warp_lanes + warp.lane();
  }
  [[nodiscard]] FLOE_DEVICE SortRecord* records() const { return reinterpret_cast<SortRecord*>(memory); }
  [[nodiscard]] FLOE_DEVICE std::uint16_t* counts_of(unsigned warp) const {
    return reinterpret_cast<std::uint16_t*>(memory + records_bytes) + warp * digits;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t* shifts() const {
    return reinterpret_cast<std::uint32_t*>(memory + records_bytes + span_warps * digits * 2);
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t* sums() const { return shifts() + digits; }
};

}  // namespace floe::gpu
