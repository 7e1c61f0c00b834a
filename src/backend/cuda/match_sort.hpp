// match_history on a warp, first half: the positions of a segment in the order of their keys, and of positions where keys are equal. A
// stable radix sort, eight bits at a time from the lowest on, in tiles of one chunk of content; the reference is
// src/backend/reference/match_history.hpp.
#pragma once

#include "backend/cuda/device.hpp"
#include "core/chunk.hpp"
#include "stages/match_history.hpp"

namespace floe::cuda {

inline constexpr std::uint32_t tile_words = core::chunk_bytes / 8;
inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint32_t digits = 1u << digit_bits;
inline constexpr unsigned sort_passes = 32 / digit_bits;

/// What is sorted: the key of a word and where it stands in its segment.
struct SortRecord {
  std::uint32_t key, index;
};

/// One word of 64 bits at an address that is a multiple of 8, or at any.
FLOE_DEVICE std::uint64_t load_word(const std::uint8_t* from, bool aligned) {
  if (aligned) return load_aligned<std::uint64_t>(from);
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{from[i]} << (8 * i);
  return word;
}

FLOE_DEVICE void store_word(std::uint8_t* to, std::uint64_t word, bool aligned) {
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

  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return load_word(bytes + 8 * std::uint64_t{i}, aligned); }
};

/// The same where they are aligned: without branches, so that the loads of several words are in flight together.
struct AlignedWords : SegmentWords {
  FLOE_DEVICE std::uint64_t word(std::uint32_t i) const { return load_aligned<std::uint64_t>(bytes + 8 * std::uint64_t{i}); }
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

template <class Words>
FLOE_DEVICE std::uint32_t key_of(const Words& words, std::uint32_t i) {
  std::uint32_t key = 0;
  FLOE_UNROLL
  for (std::uint32_t back = 1; back <= stages::MatchHistory::context_words; ++back) {
    const std::uint32_t hash = stages::MatchHistory::hash(words.word(back <= i ? i - back : 0));
    key ^= back <= i ? hash : 0;
  }
  return key;
}

FLOE_DEVICE std::uint32_t digit_of(std::uint32_t key, unsigned pass) { return key >> (digit_bits * pass) & (digits - 1); }

/// Counts the digits of a tile's records in `counts`, 256 numbers in shared memory. `key(i)` is the key of record i.
template <class Warp, class Key>
FLOE_DEVICE void count_digits(Warp& warp, std::uint32_t* counts, std::uint32_t records, unsigned pass, const Key& key) {
  for (std::uint32_t d = warp.lane(); d < digits; d += warp_lanes) counts[d] = 0;
  warp.sync();
  FLOE_UNROLL_BY(4)
  for (std::uint32_t i = warp.lane(); i < records; i += warp_lanes) warp.shared_add(counts + digit_of(key(i), pass), 1);
  warp.sync();
}

/// Turns 256 numbers, of which lane l has those of digits 8 l to 8 l + 7, into the sums over all digits before.
template <class Warp>
FLOE_DEVICE void sums_before(Warp& warp, std::uint32_t (&number)[digits / warp_lanes]) {
  std::uint32_t sum = 0;
  FLOE_UNROLL
  for (std::uint32_t& n : number) {
    const std::uint32_t own = n;
    n = sum;
    sum += own;
  }
  const std::uint32_t before = inclusive_scan(warp, sum) - sum;
  FLOE_UNROLL
  for (std::uint32_t& n : number) n += before;
}

/// Shared memory of warps that move neighbouring tiles of a segment together: records with the same digit then go to neighbouring places in
/// longer runs.
struct TileMover {
  static constexpr std::uint32_t records_bytes = tile_words * sizeof(SortRecord);
  static constexpr std::uint32_t bytes(std::uint32_t tiles) { return tiles * (records_bytes + digits * 4) + digits * 4; }

  SortRecord* records;   ///< Of all tiles.
  std::uint32_t* next;   ///< Of this warp, per digit: where the next record with it goes among all of them.
  std::uint32_t* shift;  ///< Per digit: from there to the place in the segment, modulo 2^32.

  FLOE_DEVICE TileMover(std::uint8_t* memory, std::uint32_t tiles, std::uint32_t warp)
      : records(reinterpret_cast<SortRecord*>(memory)),
        next(reinterpret_cast<std::uint32_t*>(memory + tiles * records_bytes) + warp * digits),
        shift(reinterpret_cast<std::uint32_t*>(memory + tiles * records_bytes) + tiles * digits) {}
};

/// Rows of the table of a segment's tiles: per digit the records in all tiles up to and including one; null stands for zeros.
struct DigitRows {
  const std::uint32_t* before_all;  ///< Of the tile before those that are moved together.
  const std::uint32_t* before;      ///< Of the tile before this warp's.
  const std::uint32_t* upto_all;    ///< Of the last tile that is moved together with this one.
  const std::uint32_t* segment;     ///< Of the segment's last tile.
};

/// First step of a warp: its tile's records into the memory of all, in their order.
template <class Warp, class Record>
FLOE_DEVICE void rank_tile(Warp& warp, const TileMover& memory, std::uint32_t count, unsigned pass, const DigitRows& rows,
                           const Record& record) {
  constexpr unsigned each = digits / warp_lanes;
  std::uint32_t begins[each], local[each], earlier[each], own[each];
  FLOE_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const std::uint32_t d = each * warp.lane() + k;
    earlier[k] = rows.before_all == nullptr ? 0 : rows.before_all[d];
    own[k] = (rows.before == nullptr ? 0 : rows.before[d]) - earlier[k];
    local[k] = rows.upto_all[d] - earlier[k];
    begins[k] = rows.segment[d];
  }
  sums_before(warp, begins);
  sums_before(warp, local);
  FLOE_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const std::uint32_t d = each * warp.lane() + k;
    memory.next[d] = local[k] + own[k];
    if (rows.before == rows.before_all) memory.shift[d] = begins[k] + earlier[k] - local[k];  // only the first one of them
  }
  warp.sync();
  constexpr unsigned batch = 4;  // rows that are loaded while those before are ranked
  const auto load = [&](std::uint32_t first, SortRecord(&row)[batch]) {
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t i = first + b * warp_lanes + warp.lane();
      row[b] = i < count ? record(i) : SortRecord{0, 0};
    }
  };
  SortRecord next[batch];
  load(0, next);
  FLOE_NO_UNROLL
  for (std::uint32_t first = 0; first < count; first += batch * warp_lanes) {
    SortRecord row[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) row[b] = next[b];
    load(first + batch * warp_lanes, next);
    std::uint32_t digit[batch], peers[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      digit[b] = digit_of(row[b].key, pass);
      peers[b] = warp.ballot(first + b * warp_lanes + warp.lane() < count);
    }
    FLOE_UNROLL
    for (unsigned bit = 0; bit < digit_bits; ++bit) {
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const bool set = (digit[b] >> bit & 1) != 0;
        const std::uint32_t sets = warp.ballot(set);
        peers[b] &= set ? sets : ~sets;
      }
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t rank = count_bits(peers[b] & ((1u << warp.lane()) - 1)), place = memory.next[digit[b]] + rank;
      warp.sync();
      if (first + b * warp_lanes + warp.lane() < count) {
        memory.records[place] = row[b];
        if (rank == 0) memory.next[digit[b]] = place + count_bits(peers[b]);
      }
      warp.sync();
    }
  }
}

/// Second step, when all warps are done with the first: a warp's share of all `count` records to their places. `put(place, record)` writes
/// one to its place in the segment.
template <class Warp, class Put>
FLOE_DEVICE void put_records(Warp& warp, const TileMover& memory, std::uint32_t count, unsigned pass, std::uint32_t warp_index,
                             std::uint32_t warps, const Put& put) {
  FLOE_UNROLL_BY(4)
  for (std::uint32_t i = warp_index * warp_lanes + warp.lane(); i < count; i += warps * warp_lanes) {
    const SortRecord sorted = memory.records[i];
    put(i + memory.shift[digit_of(sorted.key, pass)], sorted);
  }
}

/// Links each of the sorted records [first, first + count) to the one before it with the same key. `record(t)` is sorted record t;
/// `put(index, distance)` is called for those that have one.
template <class Warp, class Record, class Put>
FLOE_DEVICE void link_records(Warp& warp, std::uint32_t first, std::uint32_t count, const Record& record, const Put& put) {
  FLOE_UNROLL_BY(4)
  for (std::uint32_t t = first + warp.lane(); t < first + count; t += warp_lanes) {
    const SortRecord own = record(t), before = record(t == 0 ? 0 : t - 1);
    if (t != 0 && own.key == before.key) put(own.index, own.index - before.index);
  }
}

/// Finds the matches of the words [first, first + count) of a segment, in their order: neighbours often match neighbours, so that lanes
/// read together. `link(i)` is how far before word i the latest one with the same key is, or 0; `put(i, distance)` is called for every
/// word. A lane follows several words side by side, as every step waits for memory.
template <class Warp, class Words, class Link, class Put>
FLOE_DEVICE void match_words(Warp& warp, const Words& words, std::uint32_t first, std::uint32_t count, const Link& link, const Put& put) {
  constexpr unsigned batch = 4;
  const std::uint32_t end = first + count;
  FLOE_NO_UNROLL
  for (std::uint32_t row = first + warp.lane(); row < end; row += batch * warp_lanes) {
    std::uint32_t step[batch], at[batch], distance[batch];
    std::uint64_t word[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      at[b] = row + b * warp_lanes < end ? row + b * warp_lanes : first;
      step[b] = link(at[b]);
      word[b] = words.word(at[b]);
      distance[b] = 0;
    }
    FLOE_NO_UNROLL
    for (unsigned c = 0; c < stages::MatchHistory::candidates; ++c) {
      std::uint64_t candidate[batch];
      std::uint32_t next[batch], left = 0;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) left |= step[b];
      if (left == 0) break;
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        at[b] -= step[b];
        candidate[b] = words.word(at[b]);  // of a word that is done, the same once more
        next[b] = link(at[b]);
      }
      FLOE_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const bool found = step[b] != 0 && candidate[b] == word[b];
        if (found) distance[b] = row + b * warp_lanes - at[b];
        step[b] = found || step[b] == 0 ? 0 : next[b];
      }
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (row + b * warp_lanes < end) put(row + b * warp_lanes, distance[b]);
    }
  }
}

}  // namespace floe::cuda
