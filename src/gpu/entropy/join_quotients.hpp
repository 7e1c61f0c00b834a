// Words of quotients and remainders: those of a group of words whose remainder is the base of their vector,
// while they are stored; what remainders have above it is added at the words' position when all are there.
#pragma once

#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/vector_words.hpp"

namespace floe::gpu {

/// A divide by `divisor`. Of floats, `top` goes with quotients; a word whose magnitude has that bit cannot be
/// added to any more. No encoder makes such a word.
template <core::Word W>
struct QuotientJoiner {
  W divisor, same_remainder, top;
  std::uint32_t count;
  const std::uint8_t* vectors;

  FLOE_DEVICE QuotientJoiner(const ChainStep& step, const OuterSteps& outer)
      : divisor(static_cast<W>(step.number[1])),
        same_remainder(static_cast<W>(step.number[0])),
        top(is_float(outer.type) ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0}),
        count(outer.count),
        vectors(outer.vectors) {}

  /// The remainder of word `index`, or of the last one, without what is above the base of a vector.
  [[nodiscard]] FLOE_DEVICE W remainder(std::uint32_t index) const {
    if (vectors == nullptr) return same_remainder;
    const std::uint32_t vector = (index < count ? index : count - 1) / tile_words;
    static_assert(offsetof(VectorEntry, base) == 0);
    return static_cast<W>(load_aligned<std::uint64_t>(vectors + std::uint64_t{vector} * sizeof(VectorEntry)));
  }
  FLOE_DEVICE W join(W quotient, W remainder, bool& bad) const {
    const W sign = (quotient & top) != 0 ? static_cast<W>(~W{0}) : W{0};
    return finish(static_cast<W>(static_cast<W>(quotient ^ sign) * divisor + remainder), sign, bad);
  }
  FLOE_DEVICE W add(W word, W more, bool& bad) const {
    const W sign = static_cast<W>(word & top);
    return finish(static_cast<W>(static_cast<W>(word ^ sign) + more), sign, bad);
  }

 private:
  FLOE_DEVICE W finish(W magnitude, W sign, bool& bad) const {
    bad = bad || (magnitude & top) != 0;
    return static_cast<W>(magnitude ^ (sign & top));
  }
};

/// Adds what remainders have above the bases of their vectors to the words of memory.outer, if there are
/// such. Called by all threads, after a barrier; false to all if a block must make the words.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool add_to_remainders(Block& block) {
  auto& memory = block.memory();
  auto& warp = block.warp();
  const OuterSteps& outer = memory.outer;
  if (outer.kind != OuterSteps::quotients || outer.vectors == nullptr) return true;
  const QuotientJoiner<W> joiner(memory.chain.after, outer);
  bool good = true, bad = false;
  const auto entry_of = [&](std::uint32_t vector) {
    return load_aligned<VectorEntry>(outer.vectors + std::uint64_t{vector} * sizeof(VectorEntry));
  };
  const auto add = [&](W word, W more) { return joiner.add(word, more, bad); };
  const std::uint32_t step = block.warp_count(), vectors = tiles_of(outer.count);
  for (std::uint32_t first = block.warp_index(); first < vectors; first += warp_lanes * step) {
    const std::uint32_t own = first + warp.lane() * step;
    VectorEntry mine;
    if (own < vectors) mine = entry_of(own);
    std::uint32_t with_more = warp.ballot(own < vectors && (mine.width > 0 || mine.exception_count > 0));
    for (; with_more != 0; with_more &= with_more - 1) {
      const unsigned lane = core::bit_length(with_more & (0u - with_more)) - 1;
      const std::uint32_t vector = first + lane * step, count = words_of_tile(outer.count, vector);
      const VectorEntry entry = entry_of(vector);
      std::uint8_t* const words = memory.chain.out + std::uint64_t{vector} * (tile_words * sizeof(W));
      if (entry.width > 0) {
        FLOE_UNROLL_BY(4)
        for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes)
          store_word(
              words, i,
              add(load_aligned<W>(words + i * sizeof(W)), field_of<W>(memory.chain.bytes, entry, count, i)));
        warp.sync();
      }
      good = combine_exceptions<W>(warp, memory.chain.bytes, entry, count, words, add) && good;
    }
  }
  return !block.any(bad || !good);
}

}  // namespace floe::gpu
