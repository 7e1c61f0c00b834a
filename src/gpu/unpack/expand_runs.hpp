// Makes words of lengths and values of runs that lie in memory, with warps. A bit in shared memory for each
// word, which is set where a run begins, so that a word's run is a count of bits. Words of the column go to
// their position 16 bytes at a time.
//
// A Group has warp(), warp_index(), warp_count(), rank(), size(), and sync() for all its threads, which all
// call these functions; and memory(), a RunsMemoryOf.
#pragma once

#include "gpu/decode/decode_memory.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// Words of a segment that is done so; and of one that blocks of a few warps make.
inline constexpr std::uint32_t max_run_words = 1 << 20, max_small_run_words = 1 << 16;

/// `window`: words whose bits lie in shared memory at a time; `max_words`: of a segment.
template <std::uint32_t window, std::uint32_t max_words>
struct RunsMemoryOf {
  static constexpr std::uint32_t window_words = window;
  std::uint32_t heads[window / 32];  ///< A bit for each word of the window with which a run begins.
  std::uint32_t first_runs[window / tile_words];  ///< Runs of the first words of the window's tiles.
  std::uint32_t totals[max_words / tile_words];   ///< Of 1024 lengths each, or not_a_total.
};
using RunsMemory = RunsMemoryOf<1 << 18, max_run_words>;
using SmallRunsMemory = RunsMemoryOf<max_small_run_words, max_small_run_words>;
inline constexpr std::uint32_t not_a_total = 0xFFFFFFFF;  ///< A length is wrong.

/// Runs of a segment of `words` words. Behind the last 32-bit length there is memory up to a multiple of 16.
struct ExpandedRuns {
  const std::uint8_t *lengths, *values;
  std::uint32_t runs, words;
  std::uint8_t* out;  ///< A multiple of 16.
};

/// Lengths of 1024 runs: in row r, lane l has those of runs from 128 r + 4 l on, four. Others are 0.
class RunLengths {
 public:
  static constexpr unsigned rows = 8, of_lane = 4, of_row = of_lane * warp_lanes;

  template <class Warp>
  FLOE_DEVICE RunLengths(Warp& warp, const ExpandedRuns& runs, std::uint32_t chunk)
      : first_(chunk * tile_words + of_lane * warp.lane()) {
    FLOE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint32_t first = run(r);
      row_[r] = {};
      if (first < runs.runs)
        row_[r] = load_aligned<Vector<std::uint32_t>>(runs.lengths + 4 * std::uint64_t{first});
      FLOE_UNROLL
      for (unsigned i = 0; i < of_lane; ++i) {
        if (first + i >= runs.runs) row_[r].word[i] = 0;
      }
    }
  }
  /// The lane's first run of a row.
  FLOE_DEVICE std::uint32_t run(unsigned row) const { return first_ + row * of_row; }
  FLOE_DEVICE std::uint32_t length(unsigned row, unsigned i) const { return row_[row].word[i]; }
  FLOE_DEVICE std::uint32_t sum(unsigned row) const {
    return row_[row].word[0] + row_[row].word[1] + row_[row].word[2] + row_[row].word[3];
  }

 private:
  std::uint32_t first_;
  Vector<std::uint32_t> row_[rows];
};

/// Adds up lengths, chunk by chunk.
template <class Group>
FLOE_DEVICE void total_lengths(Group& group, const ExpandedRuns& runs) {
  auto& warp = group.warp();
  for (std::uint32_t chunk = group.warp_index(); chunk * tile_words < runs.runs;
       chunk += group.warp_count()) {
    const RunLengths lengths(warp, runs, chunk);
    std::uint32_t sum = 0;
    bool good = true;
    FLOE_UNROLL
    for (unsigned r = 0; r < RunLengths::rows; ++r) {
      sum += lengths.sum(r);
      FLOE_UNROLL
      for (unsigned i = 0; i < RunLengths::of_lane; ++i)
        good = good && (lengths.run(r) + i >= runs.runs || lengths.length(r, i) - 1 < runs.words);
    }
    // Nothing overflows if all lengths are good: they are no more than 2^20.
    const std::uint32_t total = warp.reduce_add(sum);
    const bool all_good = warp.ballot(!good) == 0;
    if (warp.lane() == 0)
      group.memory().totals[chunk] = all_good && total <= runs.words ? total : not_a_total;
  }
}

/// The lengths of runs before a chunk, to all lanes; `fits`: those of all runs are the segment's words.
template <class Group>
FLOE_DEVICE std::uint32_t lengths_before(Group& group, const ExpandedRuns& runs, std::uint32_t chunk,
                                         bool& fits) {
  auto& warp = group.warp();
  std::uint32_t before = 0, all = 0;
  bool good = true;
  for (std::uint32_t i = warp.lane(); i * tile_words < runs.runs; i += warp_lanes) {
    const std::uint32_t total = group.memory().totals[i];
    good = good && total != not_a_total;
    all += total;
    before += i < chunk ? total : 0;
  }
  fits = warp.ballot(!good) == 0 && warp.reduce_add(all) == runs.words;
  return warp.reduce_add(before);
}

/// Sets the bits of a chunk's runs that begin in the window at `begin`, and finds the runs of its tiles.
template <class Group>
FLOE_DEVICE void set_heads(Group& group, const ExpandedRuns& runs, std::uint32_t chunk, std::uint32_t before,
                           std::uint32_t begin) {
  auto& warp = group.warp();
  auto& memory = group.memory();
  constexpr std::uint32_t window_words = std::remove_reference_t<decltype(memory)>::window_words;
  const RunLengths lengths(warp, runs, chunk);
  const std::uint32_t end = begin + window_words < runs.words ? begin + window_words : runs.words;
  std::uint32_t inclusive[RunLengths::rows];
  FLOE_UNROLL
  for (unsigned r = 0; r < RunLengths::rows; ++r) inclusive[r] = lengths.sum(r);
  inclusive_scans(warp, inclusive);
  FLOE_UNROLL
  for (unsigned r = 0; r < RunLengths::rows; ++r) {
    std::uint32_t head = before + inclusive[r] - lengths.sum(r);
    before += warp.shuffle(inclusive[r], warp_lanes - 1);
    FLOE_UNROLL
    for (unsigned i = 0; i < RunLengths::of_lane; ++i) {
      const std::uint32_t next = head + lengths.length(r, i);
      if (head >= begin && head < end && next > head)
        warp.shared_or(reinterpret_cast<std::uint8_t*>(memory.heads + (head - begin) / 32),
                       1u << (head - begin) % 32);
      const std::uint32_t first = head > begin ? head : begin, last = next < end ? next : end;
      std::uint32_t tile = (first - begin + tile_words - 1) / tile_words;
      if (first < last) {
        for (; begin + tile * tile_words < last; ++tile) memory.first_runs[tile] = lengths.run(r) + i;
      }
      head = next;
    }
  }
}

/// `count` words of a tile of the window, to `out`.
template <core::Word W, class Group>
FLOE_DEVICE void expand_tile(Group& group, const std::uint8_t* values, std::uint32_t tile,
                             std::uint32_t count, std::uint8_t* out) {
  using Words = Vector<W>;
  constexpr unsigned of_row = warp_lanes * Words::size, rows = tile_words / of_row,
                     batch = Words::size <= 4 ? 4 : 2;
  auto& warp = group.warp();
  const auto& memory = group.memory();
  const std::uint32_t own = memory.heads[tile * (tile_words / 32) + warp.lane()], bits = count_bits(own);
  // The run of the word before the lane's first one; where a run begins with the tile, that before it.
  const std::uint32_t before =
      inclusive_scan(warp, bits) - bits + memory.first_runs[tile] - (warp.shuffle(own, 0) & 1);
  FLOE_NO_UNROLL
  for (unsigned row = 0; row < rows; row += batch) {
    Words words[batch];
    FLOE_UNROLL
    for (unsigned r = 0; r < batch; ++r) {
      const std::uint32_t first = (row + r) * of_row + Words::size * warp.lane();
      const std::uint32_t all = warp.shuffle(own, first / 32), heads = all >> first % 32;
      std::uint32_t run = warp.shuffle(before, first / 32) + count_bits(all & ((2u << first % 32) - 1));
      FLOE_UNROLL
      for (unsigned i = 0; i < Words::size; ++i) {
        if (i > 0) run += heads >> i & 1;
        words[r].word[i] = load_aligned<W>(values + run * sizeof(W));
      }
    }
    FLOE_UNROLL
    for (unsigned r = 0; r < batch; ++r) {
      const std::uint32_t first = (row + r) * of_row + Words::size * warp.lane();
      if (first + Words::size <= count) {
        store_aligned(out + first * sizeof(W), words[r]);
      } else {
        FLOE_UNROLL
        for (unsigned i = 0; i < Words::size; ++i) {
          if (first + i < count) store_word(out, first + i, words[r].word[i]);
        }
      }
    }
  }
}

/// Makes the words of a segment from runs that all threads see. False to all if the lengths are not those of
/// runs of at least one word that make all words; then nothing was written. Begins when nobody uses the
/// group's memory any more, and ends so.
template <core::Word W, class Group>
FLOE_DEVICE bool expand_runs(Group& group, const ExpandedRuns& runs) {
  auto& memory = group.memory();
  constexpr std::uint32_t window_words = std::remove_reference_t<decltype(memory)>::window_words;
  total_lengths(group, runs);
  for (std::uint32_t begin = 0; begin < runs.words; begin += window_words) {
    const std::uint32_t words = runs.words - begin < window_words ? runs.words - begin : window_words,
                        tiles = tiles_of(words);
    for (std::uint32_t i = group.rank(); i < tiles * (tile_words / 32); i += group.size())
      memory.heads[i] = 0;
    group.sync();
    bool fits = false;
    lengths_before(group, runs, 0, fits);
    if (!fits) {
      group.sync();
      return false;
    }
    for (std::uint32_t chunk = group.warp_index(); chunk * tile_words < runs.runs;
         chunk += group.warp_count())
      set_heads(group, runs, chunk, lengths_before(group, runs, chunk, fits), begin);
    group.sync();
    for (std::uint32_t tile = group.warp_index(); tile < tiles; tile += group.warp_count()) {
      expand_tile<W>(group, runs.values, tile, words_of_tile(words, tile),
                     runs.out + (begin + std::uint64_t{tile} * tile_words) * sizeof(W));
    }
    group.sync();
  }
  return true;
}

}  // namespace floe::gpu
