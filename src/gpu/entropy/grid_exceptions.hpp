// What a grid cannot say of a segment, by a block of a few warps that packs entropy: where these words are,
// the gaps between them as they stand in the stream, and the bits that are at their positions.
#pragma once

#include "gpu/encode/encode_grid.hpp"
#include "gpu/entropy/pack_entropy_memory.hpp"

namespace floe::gpu {

/// Calls visit(words, number of the first one) with what lanes have of each group of a warp's part. The next
/// two groups are asked for before.
template <core::Word W, class Block, class Visit>
FLOE_DEVICE void for_groups_of_warp(Block& block, const EncodeStream& stream, const Visit& visit) {
  using Words = LeafWords<W, false>;
  const Words words(stream.words, stream.count, stream.type);
  const unsigned lane = block.warp().lane();
  const std::uint32_t together = block.warp_count() * Words::group_words,
                      part = (stream.count + together - 1) / together * Words::group_words,
                      begin = block.warp_index() * part,
                      end = stream.count < begin + part ? stream.count : begin + part;
  const auto load = [&](std::uint32_t at) {
    typename Words::Group group;
    if (words.is_aligned() && at + Words::group_words <= stream.count) {
      group = words.template load_full<false>(words.at(at + Words::steps * lane), lane);
    } else if (at < end) {
      group = words.load(at + Words::steps * lane, lane);
    }
    return group;
  };
  typename Words::Group next = load(begin), behind = load(begin + Words::group_words);
  FLOE_NO_UNROLL
  for (std::uint32_t at = begin; at < end; at += Words::group_words) {
    const typename Words::Group group = next;
    next = behind;
    behind = load(at + 2 * Words::group_words);
    visit(group.words.word, at + Words::steps * lane);
  }
}

/// What takes the place of the exception at `position`.
template <core::Word W>
FLOE_DEVICE_CALL trees::GridWord<W> word_instead(const std::uint8_t* words, DType type,
                                                 std::uint32_t position, unsigned exponent,
                                                 const std::uint32_t* positions, std::uint32_t exceptions) {
  return grid_word_before<W>({words, 0, type}, position, trees::layout_of(type), exponent, positions,
                             exceptions);
}

/// The exceptions of memory.now, whose grid is chosen; there are some, max_grid_exceptions at most.
template <core::Word W, class Block>
class GridExceptions {
 public:
  /// `temporary`: memory that blocks of the section need later.
  FLOE_DEVICE GridExceptions(Block& block, const EncodeStream& from, std::uint8_t* temporary)
      : block_(block), grid_(block.memory().now.grid), from_(from), layout_(trees::layout_of(from.type)) {
    const std::uint32_t max_count = max_grid_exceptions(from.count);
    slot_ = temporary;
    positions_ =
        reinterpret_cast<std::uint32_t*>(temporary + (slot_bytes(sizeof(std::uint64_t)) + 15) / 16 * 16);
    lists_ = positions_ + max_count;
    // There is room: slots take more than the words, and 16 KiB, and one of 16 words is an exception at most.
    static_assert((1 + max_packing_warps) * sizeof(std::uint32_t) <= 16 * sizeof(W));
    static_assert(slot_bytes(sizeof(std::uint64_t)) + 16 <= max_entropy_blocks * 1024);
  }

  [[nodiscard]] FLOE_DEVICE const std::uint32_t* positions() const { return positions_; }

  /// Finds them, and says where the bits below begin, in which their positions have a part. Called by all
  /// threads; with barriers.
  FLOE_DEVICE void find() {
    auto& warp = block_.warp();
    std::uint64_t* const totals = block_.memory().room.memory.totals;
    const unsigned w = block_.warp_index(), exponent = grid_.exponent;
    const std::uint32_t max_count = max_grid_exceptions(from_.count);
    std::uint32_t found = 0;
    for_groups_of_warp<W>(block_, from_, [&](const W(&word)[steps], std::uint32_t own) {
      std::uint32_t count = 0;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) count += is_exception(word[k], own + k) ? 1 : 0;
      if (warp.ballot(count > 0) == 0) return;
      const std::uint32_t inclusive = inclusive_scan(warp, count);
      std::uint32_t at = found + inclusive - count;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k)
        if (is_exception(word[k], own + k)) lists_[w * max_count + at++] = own + k;
      found += warp.shuffle(inclusive, warp_lanes - 1);
    });
    if (warp.lane() == 0) totals[w] = found;
    block_.sync();
    std::uint32_t before = 0;
    for (unsigned v = 0; v < w; ++v) before += static_cast<std::uint32_t>(totals[v]);
    for (std::uint32_t i = warp.lane(); i < found; i += warp_lanes)
      positions_[before + i] = lists_[w * max_count + i];
    block_.sync();
    std::uint32_t more = 0;  // bits than were counted for these words
    for (std::uint32_t i = warp.lane(); i < found; i += warp_lanes) {
      const std::uint32_t position = positions_[before + i];
      more += word_at(position).low_bits - (exponent - layout_.exponent_of(stream_word<W>(from_, position)));
    }
    more = warp.reduce_add(more);
    if (warp.lane() == 0) totals[w] = more;
    block_.sync();
    if (block_.rank() == 0) {
      std::uint32_t all = 0;
      for (unsigned v = 0; v < block_.warp_count(); ++v)
        grid_.starts[v + 1] += all += static_cast<std::uint32_t>(totals[v]);
      grid_.bytes = (grid_.starts[block_.warp_count()] + 7) / 8;
    }
    block_.sync();
  }

  /// What takes the place of the exception at `position`.
  [[nodiscard]] FLOE_DEVICE trees::GridWord<W> word_at(std::uint32_t position) const {
    return word_instead<W>(from_.words, from_.type, position, grid_.exponent, positions_, grid_.exceptions);
  }

  /// Stores gaps and words as they stand in the stream behind the bits below, which begin at `low`. Called by
  /// all threads; with barriers.
  FLOE_DEVICE void store(std::uint8_t* low) {
    const std::uint32_t count = grid_.exceptions, gaps_at = grid_.end_of_parts(),
                        words_at = gaps_at + (10 * count + 64 + 15) / 16 * 16;
    std::uint8_t *const gaps = low + gaps_at, *const words = low + words_at;
    const auto load = [&](std::uint32_t i) { return stream_word<W>(from_, positions_[i]); };
    const bool has_equal_gaps = are_equal(block_, count, [&](std::uint32_t i) { return gap(i); }),
               has_equal_words = are_equal(block_, count, load);
    for (std::uint32_t i = block_.rank(); i < (has_equal_words ? 1 : count); i += block_.size())
      store_word(words, i, load(i));
    std::uint32_t begin = gaps_at, bytes = (has_equal_gaps ? 1 : count) * 8;
    auto node = has_equal_gaps ? EncodingId::constant : EncodingId::raw;
    if (!has_equal_gaps && grid_.packs_gaps && block_.warp_index() == 0) {
      const std::uint32_t payload = pack_gaps(gaps + 8), header_bytes = varint_bytes(payload);
      if (header_bytes + payload <= bytes) {
        node = EncodingId::bitpack, begin = gaps_at + 8 - header_bytes, bytes = header_bytes + payload;
        if (block_.rank() == 0) HeaderWriter{low + begin}.put_varint(payload);
      }
      block_.warp().sync();
    }
    if (block_.warp_index() == 0) {
      for (std::uint32_t i = block_.warp().lane(); node != EncodingId::bitpack && 8 * i < bytes;
           i += warp_lanes)
        store_word(gaps, i, gap(i));
    }
    if (block_.rank() == 0) {
      grid_.gaps_node = node, grid_.gaps_at = begin, grid_.gaps_bytes = bytes;
      grid_.words_node = has_equal_words ? EncodingId::constant : EncodingId::raw;
      grid_.words_at = words_at,
      grid_.words_bytes = (has_equal_words ? 1 : count) * static_cast<std::uint32_t>(sizeof(W));
    }
    block_.sync();
  }

 private:
  static constexpr unsigned steps = LeafWords<W, false>::steps;

  [[nodiscard]] FLOE_DEVICE bool is_exception(W word, std::uint32_t index) const {
    return index < from_.count && !layout_.is_on_grid(word, grid_.exponent);
  }
  [[nodiscard]] FLOE_DEVICE std::uint64_t gap(std::uint32_t i) const {
    return positions_[i] - (i == 0 ? 0 : positions_[i - 1] + 1);
  }

  /// Packs gaps as a payload of bitpack at `out`. Returns its bytes. By a warp.
  FLOE_DEVICE std::uint32_t pack_gaps(std::uint8_t* out) {
    using Gap = std::uint64_t;
    auto& warp = block_.warp();
    EntropyEncodeMemory& room = block_.memory().room.memory;
    static_assert(sizeof room.histogram >= tile_words * sizeof(Gap));
    auto* const tile = reinterpret_cast<std::uint8_t*>(room.histogram);
    std::uint32_t size = 0;
    Gap last_base = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t first = 0; first < grid_.exceptions; first += tile_words) {
      const std::uint32_t left = grid_.exceptions - first, count = left < tile_words ? left : tile_words;
      WordRange<Gap> range;
      for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) {
        store_word(tile, i, gap(first + i));
        range.add(gap(first + i));
      }
      warp.sync();
      range.join_lanes(warp);
      VectorToPack<Gap> vector{{tile}, count, range.min, last_base, {}};
      vector.packing = choose_packing<Gap>(warp, tile, count, range.min, range.max - range.min);
      const std::uint32_t written = write_vector<Gap>(warp, vector, slot_), bytes = written & 0xFFFFFF;
      copy_by_warp(warp, out + size, slot_ + slot_header - (written >> 24), bytes);
      warp.sync();
      size += bytes;
      last_base = range.min;
    }
    return size;
  }

  Block& block_;
  StoredGrid& grid_;
  EncodeStream from_;
  trees::FloatLayout layout_;
  std::uint8_t* slot_;
  std::uint32_t *positions_, *lists_;  ///< Of all, and of each warp.
};

}  // namespace floe::gpu
