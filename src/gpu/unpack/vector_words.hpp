// Words of vectors of bitpack one by one, where they lie in device memory: for streams that are short, or of
// which few words are more than their base.
#pragma once

#include "gpu/decode/decode_memory.hpp"

namespace floe::gpu {

/// Field `index` of a vector of `count` words, as unpack_vector and unpack_rest read them.
template <core::Word W>
FLOE_DEVICE W field_of(const std::uint8_t* bytes, const VectorEntry& entry, std::uint32_t count,
                       std::uint32_t index) {
  const unsigned width = entry.width;
  const std::uint8_t* const packed = bytes + entry.packed;
  if (count < tile_words) return static_cast<W>(load_bits(packed, std::uint64_t{index} * width, width));
  constexpr unsigned bits = core::word_bits<W>, lanes = tile_words / bits, row_bytes = lanes * sizeof(W);
  if (width == 0) return 0;
  const unsigned first = index / lanes * width, shift = first % bits;
  const std::uint8_t* const at = packed + (first / bits * row_bytes + index % lanes * sizeof(W));
  W word = static_cast<W>(load_word<W>(at) >> shift);
  if (shift + width > bits) word = static_cast<W>(word | load_word<W>(at + row_bytes) << (bits - shift));
  return static_cast<W>(word & core::low_mask<W>(width));
}

/// Makes combine(word, upper bits at their position) of the words of a vector of `count` words that are
/// exceptions, at `words`, by a warp. False to all if positions do not ascend up to its last word, as those
/// of all encoders do.
template <core::Word W, class Warp, class Combine>
FLOE_DEVICE bool combine_exceptions(Warp& warp, const std::uint8_t* bytes, const VectorEntry& entry,
                                    std::uint32_t count, std::uint8_t* words, const Combine& combine) {
  constexpr unsigned batch = 4;  // exceptions of a lane that are in flight
  const unsigned bits = 10 + entry.upper_bits;
  std::uint32_t min_position = 0;
  for (std::uint32_t first = 0; first < entry.exception_count; first += batch * warp_lanes) {
    const auto exists = [&](unsigned k) {
      return first + k * warp_lanes + warp.lane() < entry.exception_count;
    };
    std::uint32_t position[batch];
    W upper[batch], word[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint64_t at = std::uint64_t{first + k * warp_lanes + warp.lane()} * bits;
      position[k] = tile_words;
      upper[k] = 0;
      if (!exists(k)) continue;
      position[k] = static_cast<std::uint32_t>(load_bits(bytes + entry.exceptions, at, 10));
      upper[k] = static_cast<W>(load_bits(bytes + entry.exceptions, at + 10, entry.upper_bits));
    }
    bool good = true;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t before = warp.shuffle_up(position[k], 1);
      const std::uint32_t min_of_lane = warp.lane() == 0 ? min_position : before + 1;
      good = good && (!exists(k) || (position[k] >= min_of_lane && position[k] < count));
      min_position = warp.shuffle(position[k], warp_lanes - 1) + 1;
    }
    if (warp.ballot(!good) != 0) return false;
    if (entry.width >= core::word_bits<W>) continue;
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      word[k] = exists(k) ? load_aligned<W>(words + position[k] * sizeof(W)) : W{0};
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      if (exists(k))
        store_word(words, position[k], combine(word[k], static_cast<W>(upper[k] << entry.width)));
  }
  return true;
}

/// Unpacks `count` words whose vectors have `entries` to `out`, at a multiple of their size, with all warps
/// of a block. False to some if exceptions are not in order.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool unpack_words(Block& block, const std::uint8_t* bytes, const std::uint8_t* entries,
                                   std::uint32_t count, std::uint8_t* out) {
  auto& warp = block.warp();
  bool good = true;
  for (std::uint32_t vector = block.warp_index(); vector < tiles_of(count); vector += block.warp_count()) {
    const auto entry = load_aligned<VectorEntry>(entries + std::uint64_t{vector} * sizeof(VectorEntry));
    const std::uint32_t own = words_of_tile(count, vector);
    std::uint8_t* const to = out + std::uint64_t{vector} * (tile_words * sizeof(W));
    FLOE_UNROLL_BY(4)
    for (std::uint32_t i = warp.lane(); i < own; i += warp_lanes)
      store_word(to, i, static_cast<W>(static_cast<W>(entry.base) + field_of<W>(bytes, entry, own, i)));
    warp.sync();
    good = combine_exceptions<W>(warp, bytes, entry, own, to,
                                 [](W word, W upper) { return static_cast<W>(word + upper); }) &&
           good;
  }
  return good;
}

}  // namespace floe::gpu
