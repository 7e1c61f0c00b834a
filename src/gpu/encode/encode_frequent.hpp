// The most frequent word of a stream, and where the others are.
#pragma once

#include "gpu/encode/encode_select.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Gaps between positions, which ascend.
template <class Block>
FLOE_DEVICE void find_gaps(Block& block, const std::uint32_t* positions, std::uint32_t count,
                           std::uint8_t* gaps) {
  for_each_loaded(
      block, 0, count,
      [&](std::uint32_t i) {
        return std::uint64_t{positions[i]} - (i == 0 ? 0 : std::uint64_t{positions[i - 1]} + 1);
      },
      [&](std::uint32_t i, std::uint64_t gap) { store_word(gaps, i, gap); });
  block.sync();
}

/// Words that are not `common`, and their positions.
template <core::Word W, class Block>
FLOE_DEVICE_CALL std::uint32_t split_rare(Block& block, const EncodeStream& stream, std::uint64_t common,
                                          std::uint32_t* positions, std::uint8_t* words) {
  return select_words(
      block, stream.count, [&](std::uint32_t i) { return stream_word<W>(stream, i); },
      [&](W word) { return word != static_cast<W>(common); },
      [&](std::uint32_t i, W word, std::uint32_t n, bool is_rare) {
        if (!is_rare) return;
        positions[n] = i;
        store_word(words, n, word);
      });
}

/// A word and by how many votes it leads. Boyer and Moore's vote can be taken in any order.
template <core::Word W>
struct Vote {
  W word = 0;
  std::uint32_t lead = 0;

  FLOE_DEVICE void add(W other, std::uint32_t votes) {
    if (other == word) {
      lead += votes;
    } else if (lead >= votes) {
      lead -= votes;
    } else {
      word = other;
      lead = votes - lead;
    }
  }
};

/// The most frequent word, as encodings/sparse/sparse.cpp finds it: memory.number[0]. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void find_common(Block& block, const EncodeStream& stream) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  Vote<W> vote;
  for_each_word<W>(block, stream, 0, stream.count, [&](std::uint32_t, W word) { vote.add(word, 1); });
  for (unsigned distance = warp_lanes / 2; distance > 0; distance /= 2) {
    const W word = warp.shuffle_down(vote.word, distance);
    const std::uint32_t lead = warp.shuffle_down(vote.lead, distance);
    if (warp.lane() < distance) vote.add(word, lead);
  }
  if (warp.lane() == 0) {
    memory.range[block.warp_index()][0] = vote.word;
    memory.range[block.warp_index()][1] = vote.lead;
  }
  if (block.rank() == 0) memory.counts[0] = 0;
  block.sync();
  if (block.rank() == 0) {
    for (unsigned w = 1; w < block.warp_count(); ++w)
      vote.add(static_cast<W>(memory.range[w][0]), static_cast<std::uint32_t>(memory.range[w][1]));
    memory.number[0] = vote.word;
  }
  block.sync();
  const W candidate = static_cast<W>(memory.number[0]);
  std::uint32_t equal = 0;
  for_each_word<W>(block, stream, 0, stream.count,
                   [&](std::uint32_t, W word) { equal += word == candidate ? 1 : 0; });
  equal = warp.reduce_add(equal);
  if (warp.lane() == 0) atomic_add(&memory.counts[0], equal);
  // Otherwise words spread evenly are polled, of which the smallest of the most frequent ones wins.
  constexpr std::uint32_t polled_words = trees::SparseRules::polled_words;
  const std::uint32_t step = (stream.count + polled_words - 1) / polled_words,
                      polled = (stream.count + step - 1) / step;
  std::uint8_t* const poll = memory.tiles[0];
  auto* const votes = reinterpret_cast<std::uint32_t*>(memory.tiles[0] + 2048);
  for (std::uint32_t i = block.rank(); i < polled; i += block.size())
    store_word(poll, i, stream_word<W>(stream, std::uint64_t{i} * step));
  block.sync();
  for (std::uint32_t i = block.rank(); i < polled; i += block.size()) {
    std::uint32_t same = 0;
    for (std::uint32_t k = 0; k < polled; ++k) same += tile_word<W>(poll, k) == tile_word<W>(poll, i) ? 1 : 0;
    votes[i] = same;
  }
  block.sync();
  if (block.rank() == 0 && memory.counts[0] * 2 <= stream.count) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < polled; ++i) {
      const bool is_better = votes[i] > votes[best] ||
                             (votes[i] == votes[best] && tile_word<W>(poll, i) < tile_word<W>(poll, best));
      if (is_better) best = i;
    }
    memory.number[0] = tile_word<W>(poll, best);
  }
  block.sync();
}

}  // namespace floe::gpu
