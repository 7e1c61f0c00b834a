// Finds where runs begin, and how long they are. A warp has a tile of words in registers, and keeps in shared
// memory which of them begin runs. What was before, it hears from the others once per round; then it writes
// values and lengths while the words of its next tile are on their way.
#pragma once

#include "gpu/encode/encode_select.hpp"

namespace floe::gpu {

/// Words that a warp looks at together; with a position of each they fit into its tile.
template <core::Word W>
inline constexpr std::uint32_t run_tile_words = warp_lanes* rows_in_flight<W>;
static_assert(run_tile_words<std::uint64_t> * (8 + 2) <= sizeof(EncodeMemory::tiles[0]));
static_assert(run_tile_words<std::uint32_t> * (4 + 2) <= sizeof(EncodeMemory::tiles[0]));

/// The tile's words, and the one before it, which differs from the first word of the stream if there is none.
template <core::Word W>
struct RunWords {
  W row[rows_in_flight<W>];
  W before;

  FLOE_DEVICE void load(const EncodeStream& stream, std::uint32_t first, unsigned lane) {
    load_rows(stream.count, first, lane, row, [&](std::uint32_t i) { return stream_word<W>(stream, i); });
    before = first == 0             ? static_cast<W>(~row[0])
             : first < stream.count ? stream_word<W>(stream, first - 1)
                                    : W{0};
  }
};

/// Keeps the words of a tile that begin runs, and their positions. `left` are in the stream. Returns how
/// many.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t keep_beginnings(Warp& warp, const RunWords<W>& words, std::uint32_t left,
                                          std::uint8_t* values, std::uint16_t* positions) {
  const std::uint32_t lower = (1u << warp.lane()) - 1;
  std::uint32_t kept = 0;
  W before = words.before;
  FLOE_UNROLL
  for (unsigned row = 0; row < rows_in_flight<W>; ++row) {
    const W word = words.row[row], turned = warp.shuffle(word, (warp.lane() + warp_lanes - 1) % warp_lanes);
    const std::uint32_t position = row * warp_lanes + warp.lane();
    const bool begins = position < left && word != (warp.lane() == 0 ? before : turned);
    const std::uint32_t mask = warp.ballot(begins);
    before = turned;
    if (begins) {
      const std::uint32_t n = kept + count_bits(mask & lower);
      store_word(values, n, word);
      positions[n] = static_cast<std::uint16_t>(position);
    }
    kept += count_bits(mask);
  }
  return kept;
}

/// Takes runs apart into values and lengths, and returns how many there are. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL std::uint32_t split_runs(Block& block, const EncodeStream& stream, std::uint8_t* lengths,
                                          std::uint8_t* values) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const unsigned w = block.warp_index(), warps = block.warp_count(), lane = warp.lane();
  std::uint8_t* const tile = memory.tiles[w];
  auto* const positions = reinterpret_cast<std::uint16_t*>(tile + run_tile_words<W> * sizeof(W));
  const std::uint32_t count = stream.count, step = warps * run_tile_words<W>;
  std::uint32_t runs = 0, last = 0, first = w * run_tile_words<W>;
  RunWords<W> words;
  words.load(stream, first, lane);
  for (std::uint32_t begin = 0, round = 0; begin < count; begin += step, first += step, ++round) {
    const std::uint32_t kept =
        keep_beginnings(warp, words, first < count ? count - first : 0, tile, positions);
    warp.sync();
    RunsOfTile* const tiles = memory.runs[round % 2];
    if (lane == 0) tiles[w] = {kept, kept == 0 ? 0 : first + positions[kept - 1]};
    words.load(stream, first + step, lane);
    block.sync();
    std::uint32_t run = 0, last_before = 0;
    for (unsigned v = 0; v < warps; ++v) {
      if (v == w) {
        run = runs;
        last_before = last;
      }
      const RunsOfTile of = tiles[v];
      runs += of.count;
      if (of.count > 0) last = of.last;
    }
    for (std::uint32_t k = lane; k < kept; k += warp_lanes) {
      const std::uint32_t before = k == 0 ? last_before : first + positions[k - 1];
      store_word(values, run + k, tile_word<W>(tile, k));
      if (run + k > 0) store_word(lengths, run + k - 1, first + positions[k] - before);
    }
    warp.sync();
  }
  if (block.rank() == 0) store_word(lengths, runs - 1, count - last);
  block.sync();
  return runs;
}

}  // namespace floe::gpu
