// How a block goes through a stream: all words, with loads in flight; or chosen ones in order, by ballots.
#pragma once

#include "gpu/encode/encode_chain.hpp"

namespace floe::gpu {

template <core::Word W>
FLOE_DEVICE W stream_word(const EncodeStream& stream, std::uint64_t index) {
  return load_aligned<W>(stream.words + index * sizeof(W));
}
template <core::Word W>
FLOE_DEVICE W flip_of(DType type) {
  return is_signed(type) ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
}

/// Calls work(i, word) for words [first, end), by all threads, with loads in flight if there are many.
template <core::Word W, class Block, class Work>
FLOE_DEVICE void for_each_word(Block& block, const EncodeStream& stream, std::uint32_t first,
                               std::uint32_t end, const Work& work) {
  constexpr unsigned batch = 8;
  const std::uint32_t step = block.size();
  std::uint32_t i = first + block.rank();
  for (; i + (batch - 1) * step < end; i += batch * step) {
    W words[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) words[k] = stream_word<W>(stream, i + k * step);
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) work(i + k * step, words[k]);
  }
  for (; i < end; i += step) work(i, stream_word<W>(stream, i));
}

/// Calls work(i, load(i)) likewise, with loads in flight however few there are: for short work.
template <class Block, class Load, class Work>
FLOE_DEVICE void for_each_loaded(Block& block, std::uint32_t first, std::uint32_t end, const Load& load,
                                 const Work& work) {
  using Word = decltype(load(0));
  constexpr unsigned batch = 8;
  const std::uint32_t step = block.size();
  for (std::uint32_t i = first + block.rank(); i < end; i += batch * step) {
    Word words[batch] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      if (i + k * step < end) words[k] = load(i + k * step);
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      if (i + k * step < end) work(i + k * step, words[k]);
    }
  }
}

/// Rows of 32 words that a warp keeps in registers.
template <class Word>
inline constexpr unsigned rows_in_flight = sizeof(Word) == 8 ? 16 : 32;

/// Loads rows of words, a word per lane, from word `first` on, all at once. Words from `count` on are 0.
template <class Word, unsigned rows, class Load>
FLOE_DEVICE void load_rows(std::uint32_t count, std::uint32_t first, unsigned lane, Word (&words)[rows],
                           const Load& load) {
  FLOE_UNROLL
  for (unsigned row = 0; row < rows; ++row) {
    const std::uint32_t i = first + row * warp_lanes + lane;
    words[row] = i < count ? load(i) : Word{};
  }
}

/// Calls put(i, word, before, chosen) for all words, which load(i) gives, with how many choose(word) has
/// chosen before word i. Returns how many are chosen. Called by all threads.
template <class Block, class Load, class Choose, class Put>
FLOE_DEVICE std::uint32_t select_words(Block& block, std::uint32_t count, const Load& load,
                                       const Choose& choose, const Put& put) {
  using Word = decltype(load(0));
  constexpr unsigned rows = rows_in_flight<Word>;
  constexpr std::uint32_t round_words = rows * warp_lanes;
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  const unsigned w = block.warp_index(), warps = block.warp_count();
  std::uint32_t before = 0;
  block.sync();
  for (std::uint32_t round = 0; round * warps * round_words < count; ++round) {
    const std::uint32_t first = (round * warps + w) * round_words;
    Word words[rows];
    load_rows(count, first, warp.lane(), words, load);
    std::uint32_t own = 0;
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      const std::uint32_t mask =
          warp.ballot(first + row * warp_lanes + warp.lane() < count && choose(words[row]));
      if (warp.lane() == row) own = mask;
    }
    const std::uint32_t inside = count_bits(own), inclusive = inclusive_scan(warp, inside);
    if (warp.lane() == warp_lanes - 1) memory.totals[round % 2][w] = inclusive;
    block.sync();
    std::uint32_t start = before;
    for (unsigned v = 0; v < warps; ++v) {
      if (v == w) start = before;
      before += memory.totals[round % 2][v];
    }
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      const std::uint32_t i = first + row * warp_lanes + warp.lane();
      const std::uint32_t mask = warp.shuffle(own, row),
                          row_start = start + warp.shuffle(inclusive - inside, row);
      if (i < count) put(i, words[row], row_start + count_before(warp, mask), (mask >> warp.lane() & 1) != 0);
    }
  }
  block.sync();
  return before;
}

/// The same of numbers: choose(i) says which are chosen, put(i, before, chosen) is called.
template <class Block, class Choose, class Put>
FLOE_DEVICE std::uint32_t select_words(Block& block, std::uint32_t count, const Choose& choose,
                                       const Put& put) {
  return select_words(
      block, count, [&](std::uint32_t i) { return static_cast<bool>(choose(i)); },
      [](bool is_chosen) { return is_chosen; },
      [&](std::uint32_t i, bool, std::uint32_t before, bool is_chosen) { put(i, before, is_chosen); });
}

/// Whether all words are equal. Most streams show soon that they are not.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool is_constant_stream(Block& block, const EncodeStream& stream) {
  const W word = stream_word<W>(stream, 0);
  std::uint32_t step = 8 * block.size();
  for (std::uint32_t first = 0; first < stream.count; first += step, step *= 4) {
    const std::uint32_t end = stream.count - first < step ? stream.count : first + step;
    bool differs = false;
    const auto compare = [&](std::uint32_t, W other) { differs = differs || other != word; };
    // Most streams are decided here. Where all words are equal, conditional loads would cost a seventh.
    if (first == 0) {
      for_each_loaded(
          block, first, end, [&](std::uint32_t i) { return stream_word<W>(stream, i); }, compare);
    } else {
      for_each_word<W>(block, stream, first, end, compare);
    }
    if (block.any(differs)) return false;
  }
  return true;
}

/// Of all words, as unsigned numbers after the XOR with `flip`, to all threads.
template <core::Word W, class Block>
FLOE_DEVICE WordRange<W> find_range(Block& block, const EncodeStream& stream, W flip) {
  EncodeMemory& memory = block.memory();
  auto& warp = block.warp();
  WordRange<W> range;
  for_each_word<W>(block, stream, 0, stream.count,
                   [&](std::uint32_t, W word) { range.add(static_cast<W>(word ^ flip)); });
  range.join_lanes(warp);
  block.sync();
  if (warp.lane() == 0) {
    memory.range[block.warp_index()][0] = range.min;
    memory.range[block.warp_index()][1] = range.max;
  }
  block.sync();
  for (unsigned w = 0; w < block.warp_count(); ++w)
    range.join({static_cast<W>(memory.range[w][0]), static_cast<W>(memory.range[w][1])});
  block.sync();
  return range;
}

}  // namespace floe::gpu
