// Finds the words of a stream that go to the second child of a split.
#pragma once

#include "gpu/encode/encode_select.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// The number of bits of an offset up to which words go to the first child of a split: memory.number[0]; see
/// encodings/split/split.cpp.
template <core::Word W, class Block>
FLOE_DEVICE void choose_split_bits(Block& block, const EncodeStream& stream, W base, W width) {
  EncodeMemory& memory = block.memory();
  constexpr unsigned bits = core::word_bits<W>;
  for (unsigned i = block.rank(); i <= bits; i += block.size()) {
    memory.counts[i] = 0;
    memory.least[i] = static_cast<W>(~W{0});
  }
  block.sync();
  const std::uint32_t step = (stream.count + max_counted_words - 1) / max_counted_words,
                      counted = (stream.count + step - 1) / step;
  for (std::uint32_t i = block.rank(); i < counted; i += block.size()) {
    const W offset = static_cast<W>(stream_word<W>(stream, std::uint64_t{i} * step) - base);
    const unsigned length = core::bit_length(offset);
    atomic_add(&memory.counts[length], 1);
    if (offset < *static_cast<const volatile std::uint64_t*>(&memory.least[length]))
      atomic_min(&memory.least[length], offset);
  }
  block.sync();
  if (block.rank() == 0) {
    unsigned best = bits;
    std::uint64_t best_bits = std::uint64_t{counted} * core::bit_length(width), above = 0;
    W min_above = static_cast<W>(~W{0});
    for (unsigned length = bits; length > 0; --length) {
      above += memory.counts[length];
      min_above = memory.least[length] < min_above ? static_cast<W>(memory.least[length]) : min_above;
      if (above == 0) continue;
      const std::uint64_t cost = (counted - above) * (length - 1) +
                                 above * core::bit_length(static_cast<W>(width - min_above)) + counted / 8;
      if (cost < best_bits) {
        best_bits = cost;
        best = length - 1;
      }
    }
    memory.number[0] = best;
  }
  block.sync();
}

/// Divides words between `first` and `second`, and marks those of the second. Returns how many those are.
template <core::Word W, class Block, class IsSecond>
FLOE_DEVICE std::uint32_t divide_words(Block& block, const EncodeStream& stream, const IsSecond& is_second,
                                       std::uint8_t* marks, std::uint8_t* first, std::uint8_t* second) {
  return select_words(
      block, stream.count, [&](std::uint32_t i) { return stream_word<W>(stream, i); }, is_second,
      [&](std::uint32_t i, W word, std::uint32_t n, bool is_marked) {
        marks[i] = is_marked ? 1 : 0;
        if (is_marked) {
          store_word(second, n, word);
        } else {
          store_word(first, i - n, word);
        }
      });
}

/// A split of kind 0 to 3.
template <core::Word W, class Block>
FLOE_DEVICE_CALL std::uint32_t split_words(Block& block, const EncodeStream& stream, unsigned kind,
                                           std::uint8_t* marks, std::uint8_t* first, std::uint8_t* second) {
  EncodeMemory& memory = block.memory();
  // Words of the second child are those whose offset from `base` is more than `limit`: all kinds can be said
  // in this way.
  W base = 0, limit = 0;
  if (kind < 2) {
    const W flip = flip_of<W>(stream.type);
    W least = 0, most = 0;
    find_range<W>(block, stream, flip, least, most);
    const W width = static_cast<W>(most - least);
    base = static_cast<W>(least ^ flip);
    if (kind == 0) {
      choose_split_bits<W>(block, stream, base, width);
      limit = core::low_mask<W>(static_cast<unsigned>(memory.number[0]));
    } else {
      const W tenth = static_cast<W>(width / 10);
      base = static_cast<W>(base + tenth);
      limit = static_cast<W>(width - 2 * tenth);
    }
  } else if (kind == 2) {
    limit = static_cast<W>(static_cast<W>(~W{0}) >> 1);
  } else {
    base = static_cast<W>(stream_word<W>(stream, 0) + 1);
    limit = static_cast<W>(~W{0} - 1);
  }
  return divide_words<W>(
      block, stream, [&](W word) { return static_cast<W>(word - base) > limit; }, marks, first, second);
}

}  // namespace floe::gpu
