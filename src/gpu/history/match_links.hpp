// match_history on a warp, between sorting and matching: from each word a link to the latest one before it
// that has the same key and may be equal, then along the links to the match.
#pragma once

#include "gpu/history/match_sort.hpp"

namespace floe::gpu {

/// A link: how far back it leads, and how many words with the same key stand there and in between, at most
/// stages::MatchHistory::candidates. 0 is none: a word without a match, for sure.
struct MatchLink {
  static_assert(stages::MatchHistory::candidates == 4);
  static constexpr std::uint32_t none = 0;

  static FLOE_DEVICE std::uint32_t of(std::uint32_t distance, unsigned candidates) {
    return distance << 2 | (candidates - 1);
  }
  static FLOE_DEVICE std::uint32_t distance(std::uint32_t link) { return link >> 2; }
  static FLOE_DEVICE unsigned candidates(std::uint32_t link) { return (link & 3) + 1; }
};

/// Which keys a tile of sorted records has that agree in all sorted bits: a bit for each value of the others.
/// Without these marks, a search for a rare key would have to look at all records of a frequent one.
struct TileMarks {
  static constexpr std::uint32_t words = (1u << unsorted_bits) / 32;

  static FLOE_DEVICE std::uint32_t word_of(std::uint32_t key) { return key / 32 % words; }
  static FLOE_DEVICE std::uint32_t bit_of(std::uint32_t key) { return 1u << key % 32; }
};

/// Calls put(i, marks) for a full tile's marks, if all keys agree in all sorted bits. `record(t)` is one.
template <class Warp, class Record, class Put>
FLOE_DEVICE void mark_tile(Warp& warp, const Record& record, const Put& put) {
  if ((record(0).key ^ record(chunk_words - 1).key) >> unsorted_bits != 0) return;
  std::uint32_t marks[TileMarks::words] = {};
  FLOE_UNROLL_BY(4)
  for (std::uint32_t t = warp.lane(); t < chunk_words; t += warp_lanes) {
    const std::uint32_t key = record(t).key;
    FLOE_UNROLL
    for (std::uint32_t i = 0; i < TileMarks::words; ++i)
      marks[i] |= TileMarks::word_of(key) == i ? TileMarks::bit_of(key) : 0;
  }
  FLOE_UNROLL
  for (std::uint32_t i = 0; i < TileMarks::words; ++i) {
    const std::uint32_t all = warp.reduce_or(marks[i]);
    if (warp.lane() == 0) put(i, all);
  }
}

/// How many tiles before the end of a tile only have keys that agree with a key just in the sorted bits.
template <class Warp, class Record, class Marks>
FLOE_DEVICE std::uint32_t tiles_without(Warp& warp, std::uint32_t key, std::uint32_t end,
                                        const Record& record, const Marks& marks) {
  const std::uint32_t tiles = end / chunk_words;
  for (std::uint32_t passed = 0;; passed += warp_lanes) {
    const std::uint32_t back = passed + warp.lane() + 1, tile = back <= tiles ? tiles - back : 0;
    const bool agrees = back <= tiles && (record(tile * chunk_words).key ^ key) >> unsorted_bits == 0;
    const bool has =
        !agrees || (marks(tile * TileMarks::words + TileMarks::word_of(key)) & TileMarks::bit_of(key)) != 0;
    const std::uint32_t stops = warp.ballot(has);
    if (stops != 0) return passed + count_bits((stops & (0 - stops)) - 1);
  }
}

/// Looks for what a sorted record is linked to, far before it: among the records before `end`. All lanes work
/// on the same search, with the same arguments, and get the same link.
template <class Warp, class Record, class Marks>
FLOE_DEVICE std::uint32_t search_far(Warp& warp, const SortRecord& own, std::uint32_t end, unsigned seen,
                                     const PositionBits& bits, const Record& record, const Marks& marks) {
  constexpr unsigned batch = 16;  // rows that are read together
  constexpr std::uint32_t step = batch * warp_lanes;
  static_assert(chunk_words % step == 0);
  for (;;) {
    if (end % chunk_words == 0) end -= chunk_words * tiles_without(warp, own.key, end, record, marks);
    const std::uint32_t begin = end == 0 ? 0 : (end - 1) / step * step;
    bool passed_over = end != 0;
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t t = begin + b * warp_lanes + warp.lane();
      const std::uint32_t difference = record(t < end ? t : begin).key ^ own.key;
      passed_over = passed_over && (t >= end || (difference != 0 && difference >> unsorted_bits == 0));
    }
    if (warp.ballot(!passed_over) == 0) {
      end = begin;
      continue;
    }
    FLOE_NO_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t back = b * warp_lanes + warp.lane() + 1;
      const SortRecord other = record(back <= end ? end - back : 0);
      const std::uint32_t outside = warp.ballot(back > end || (other.key ^ own.key) >> unsorted_bits != 0);
      const std::uint32_t inside = (outside & (0 - outside)) - 1;  // lanes below the first one outside
      std::uint32_t same = warp.ballot(other.key == own.key) & inside;
      const std::uint32_t equal = warp.ballot(bits.may_be_equal(other.position, own.position)) & same;
      for (; same != 0 && seen < stages::MatchHistory::candidates; same &= same - 1) {
        ++seen;
        const std::uint32_t first = same & (0 - same);
        if ((equal & first) == 0) continue;
        const std::uint32_t position = warp.shuffle(other.position, count_bits(first - 1));
        return MatchLink::of(bits.index(own.position) - bits.index(position), seen);
      }
      if (outside != 0 || seen == stages::MatchHistory::candidates) return MatchLink::none;
    }
    end -= step;
  }
}

/// Links the sorted records [first, first + count). `record(t)` is sorted record t, `marks(i)` word i of the
/// tiles' marks; `put(index, link)` is called for words that have one. A row of lanes has the last records of
/// the row before, too, so that each has those beside it that decide nearly always.
template <class Warp, class Record, class Marks, class Put>
FLOE_DEVICE void link_records(Warp& warp, std::uint32_t first, std::uint32_t count, const PositionBits& bits,
                              const Record& record, const Marks& marks, const Put& put) {
  constexpr unsigned batch = 4, again = stages::MatchHistory::candidates, step = warp_lanes - again;
  constexpr unsigned near = 16;  // records that a lane looks at alone
  const std::uint32_t end = first + count;
  FLOE_NO_UNROLL
  for (std::uint32_t row = first; row < end; row += batch * step) {
    SortRecord own[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t behind = row + b * step + warp.lane();  // again + its number
      own[b] = record(behind < again ? 0 : behind - again < end ? behind - again : first);
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const std::uint32_t t = row + b * step + warp.lane() - again, hash = own[b].position >> bits.index_bits;
      const bool exists = warp.lane() >= again && t < end;
      std::uint32_t same = 0, equal = 0, difference = 0;  // bit k: k records before
      FLOE_UNROLL
      for (unsigned back = 1; back <= again; ++back) {
        difference = warp.shuffle_up(own[b].key, back) ^ own[b].key;
        const std::uint32_t hash_there = warp.shuffle_up(hash, back);
        same |= difference == 0 ? 1u << back : 0;
        equal |= difference == 0 && hash_there == hash ? 1u << back : 0;
      }
      if (t < again) same &= (2u << t) - 1, equal &= (2u << t) - 1;
      const std::uint32_t nearest = equal & (0 - equal);
      unsigned seen = count_bits(equal != 0 ? same & (2 * nearest - 1) : same);
      const std::uint32_t position = warp.shuffle(own[b].position, warp.lane() - count_bits(nearest - 1));
      std::uint32_t link = MatchLink::none;
      if (exists && equal != 0)
        link = MatchLink::of(bits.index(own[b].position) - bits.index(position), seen);
      bool searches =
          exists && equal == 0 && seen < stages::MatchHistory::candidates && difference >> unsorted_bits == 0;
      FLOE_NO_UNROLL
      for (unsigned back = again + 1; back <= near && warp.ballot(searches) != 0; ++back) {
        searches = searches && back <= t;
        const SortRecord other = record(searches ? t - back : first);
        const std::uint32_t difference_there = other.key ^ own[b].key;
        searches = searches && difference_there >> unsorted_bits == 0;
        if (searches && difference_there == 0) {
          ++seen;
          if (bits.may_be_equal(other.position, own[b].position))
            link = MatchLink::of(bits.index(own[b].position) - bits.index(other.position), seen);
          searches = link == MatchLink::none && seen < stages::MatchHistory::candidates;
        }
      }
      for (std::uint32_t left = warp.ballot(searches); left != 0; left &= left - 1) {
        const unsigned lane = count_bits((left & (0 - left)) - 1);
        const SortRecord searched{warp.shuffle(own[b].key, lane), warp.shuffle(own[b].position, lane)};
        const std::uint32_t found = search_far(warp, searched, warp.shuffle(t, lane) - near,
                                               warp.shuffle(seen, lane), bits, record, marks);
        if (warp.lane() == lane) link = found;
      }
      if (link != MatchLink::none) put(bits.index(own[b].position), link);
    }
  }
}

/// Finds the matches of the words [first, first + count) of a segment, in their order: neighbours often match
/// neighbours, so that lanes read together. `link(i)` is the link of word i; put(i, distance) gets every
/// word. A lane follows several words side by side, as every step waits for memory.
template <class Warp, class Words, class Link, class Put>
FLOE_DEVICE void match_words(Warp& warp, const Words& words, std::uint32_t first, std::uint32_t count,
                             const Link& link, const Put& put) {
  constexpr unsigned batch = 4;
  const std::uint32_t end = first + count;
  FLOE_NO_UNROLL
  for (std::uint32_t row = first + warp.lane(); row < end; row += batch * warp_lanes) {
    std::uint32_t way[batch], at[batch];
    std::uint64_t word[batch], candidate[batch];
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      at[b] = row + b * warp_lanes < end ? row + b * warp_lanes : first;
      way[b] = link(at[b]);
      word[b] = words.word(at[b]);
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      at[b] -= MatchLink::distance(way[b]);
      candidate[b] = words.word(at[b]);  // where there is no link, the word once more
    }
    FLOE_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (row + b * warp_lanes >= end) continue;
      unsigned seen = MatchLink::candidates(way[b]);
      while (candidate[b] != word[b]) {
        const std::uint32_t next = link(at[b]);
        seen += MatchLink::candidates(next);
        if (next == MatchLink::none || seen > stages::MatchHistory::candidates) {
          at[b] = row + b * warp_lanes;
          break;
        }
        at[b] -= MatchLink::distance(next);
        candidate[b] = words.word(at[b]);
      }
      put(row + b * warp_lanes, row + b * warp_lanes - at[b]);
    }
  }
}

}  // namespace floe::gpu
