// What is left of the words of a segment that is packed as quotients, by a block of a few warps: the same of
// all words, or a payload of bitpack, whose vectors lie in slots until the segment has its position.
#pragma once

#include "gpu/encode/encode_vector.hpp"
#include "gpu/entropy/pack_entropy_memory.hpp"
#include "gpu/entropy/quick_range.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Remainders of floats by 2^shift. `finds_facts`: somebody asks for the range of the floats.
template <core::Word W, bool finds_facts, class Block>
class RemaindersStorer {
 public:
  /// `room`: memory for slots of all words.
  FLOE_DEVICE RemaindersStorer(Block& block, const EncodeStream& from, unsigned shift, std::uint8_t* room)
      : block_(block),
        from_(from),
        mask_(core::low_mask<W>(shift)),
        found_(from.type),
        table_(reinterpret_cast<PackedSlot*>(room)),
        slots_(room + first_slot(tiles_of(from.count))) {
    static_assert(max_tiles * sizeof(Range) <= sizeof block.memory().room.rings[0]);
    static_assert(max_packers * tile_words * sizeof(W) <= sizeof block.memory().room.memory.histogram);
  }

  /// Puts vectors to their slots, and publishes the range. Returns the bytes of the payload, to all threads.
  /// Called by all of them; with barriers.
  FLOE_DEVICE std::uint32_t store() {
    const unsigned w = block_.warp_index(), warps = block_.warp_count(),
                   packers = warps < max_packers ? warps : max_packers;
    const std::uint32_t tiles = tiles_of(from_.count);
    for (std::uint32_t tile = w; tile < tiles; tile += warps) find_range(tile);
    if constexpr (finds_facts) publish_range(block_, block_.memory().room.memory.totals, found_);
    block_.sync();
    // A vector of one word has no bits. Others need memory for a tile.
    unsigned turn = 0;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const bool is_one_word = ranges()[tile].min == ranges()[tile].max;
      if (is_one_word ? tile % warps == w : turn == w) put_vector(tile, is_one_word);
      if (!is_one_word) turn = turn + 1 == packers ? 0 : turn + 1;
    }
    block_.sync();
    std::uint32_t end = 0;
    for (std::uint32_t from = 0; from < tiles; from += warp_lanes) {
      auto& warp = block_.warp();
      const std::uint32_t tile = from + warp.lane(), size = tile < tiles ? table_[tile].size & 0xFFFFFF : 0,
                          inclusive = inclusive_scan(warp, size);
      if (w == 0 && tile < tiles) table_[tile].offset = end + inclusive - size;
      end += warp.shuffle(inclusive, warp_lanes - 1);
    }
    block_.sync();
    return end;
  }

 private:
  static constexpr std::uint32_t max_tiles = trees::section_words / tile_words;
  static constexpr unsigned max_packers = 2, batch = 8;
  struct Range {
    W min, max;
  };

  [[nodiscard]] FLOE_DEVICE Range* ranges() const {
    return reinterpret_cast<Range*>(block_.memory().room.rings[0]);
  }
  /// Calls visit(number within the tile, word) for the words of a tile. By a warp.
  template <class Visit>
  FLOE_DEVICE void for_words(std::uint32_t tile, const Visit& visit) const {
    const std::uint32_t count = words_of_tile(from_.count, tile);
    const std::uint8_t* const words = from_.words + std::uint64_t{tile} * (tile_words * sizeof(W));
    FLOE_NO_UNROLL
    for (std::uint32_t first = block_.warp().lane(); first < count; first += batch * warp_lanes) {
      W word[batch] = {};
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        if (first + k * warp_lanes < count)
          word[k] = load_aligned<W>(words + (first + k * warp_lanes) * sizeof(W));
      FLOE_UNROLL
      for (unsigned k = 0; k < batch; ++k)
        if (first + k * warp_lanes < count) visit(first + k * warp_lanes, word[k]);
    }
  }
  FLOE_DEVICE void find_range(std::uint32_t tile) {
    WordRange<W> range;
    for_words(tile, [&](std::uint32_t, W word) {
      range.add(static_cast<W>(word & mask_));
      if constexpr (finds_facts) found_.add(word);
    });
    range.join_lanes(block_.warp());
    if (block_.warp().lane() == 0) ranges()[tile] = {range.min, range.max};
  }
  FLOE_DEVICE void put_vector(std::uint32_t tile, bool is_one_word) {
    auto& warp = block_.warp();
    std::uint8_t* const own = reinterpret_cast<std::uint8_t*>(block_.memory().room.memory.histogram) +
                              (is_one_word ? 0 : block_.warp_index()) * (tile_words * sizeof(W));
    const Range range = ranges()[tile];
    VectorToPack<W> vector{{own}, words_of_tile(from_.count, tile), range.min, 0, {}};
    if (tile > 0) vector.last_base = ranges()[tile - 1].min;
    if (!is_one_word) {
      for_words(tile, [&](std::uint32_t i, W word) { store_word(own, i, static_cast<W>(word & mask_)); });
      warp.sync();
      vector.packing =
          choose_packing<W>(warp, own, vector.count, range.min, static_cast<W>(range.max - range.min));
    }
    const std::uint32_t size =
        write_vector<W>(warp, vector, slots_ + std::uint64_t{tile} * slot_bytes(sizeof(W)));
    if (warp.lane() == 0) table_[tile].size = size;
  }

  Block& block_;
  EncodeStream from_;
  W mask_;
  QuickRange<W> found_;
  PackedSlot* table_;
  std::uint8_t* slots_;
};

/// What all words of a segment of quotients have below these.
template <core::Word W>
FLOE_DEVICE W remainder_of(const PackedSegment& segment) {
  const EncodeStream& words = segment.target.words;
  return LeafWords<W, true, false, false, true>(words.words, 1, words.type, segment.chain)
      .remainder(load_aligned<W>(words.words));
}

/// Stores the remainders of memory.now, which are not all the same, from `room` on. False to all threads if
/// they are no fewer bytes than raw words.
template <core::Word W, bool finds_facts, class Block>
FLOE_DEVICE_CALL bool store_remainders(Block& block, std::uint8_t* room) {
  PackedSegment& now = block.memory().now;
  const std::uint32_t payload = RemaindersStorer<W, finds_facts, Block>(block, now.target.words,
                                                                        now.chain.shift, room)
                                    .store(),
                      bytes = varint_bytes(payload) + payload;
  if (block.rank() == 0) now.remainders = {EncodingId::bitpack, bytes, payload};
  block.sync();
  return bytes <= std::uint64_t{now.target.words.count} * sizeof(W);
}

/// Puts the remainders of memory.before, which are in `room` if they are not all the same, to `out`. By all
/// threads.
template <core::Word W, class Block>
FLOE_DEVICE void put_remainders(Block& block, const std::uint8_t* room, std::uint8_t* out) {
  const PackedSegment& segment = block.memory().before;
  const StoredRemainders& remainders = segment.remainders;
  if (remainders.node == EncodingId::constant) {
    if (block.rank() == 0) HeaderWriter{out}.put_word(remainder_of<W>(segment), sizeof(W));
    return;
  }
  if (block.rank() == 0) HeaderWriter{out}.put_varint(remainders.payload);
  out += varint_bytes(remainders.payload);
  const std::uint32_t tiles = tiles_of(segment.target.words.count);
  for (std::uint32_t tile = block.warp_index(); tile < tiles; tile += block.warp_count()) {
    const PackedSlot packed = reinterpret_cast<const PackedSlot*>(room)[tile];
    copy_by_warp(block.warp(), out + packed.offset,
                 room + first_slot(tiles) + std::uint64_t{tile} * slot_bytes(sizeof(W)) + slot_header -
                     (packed.size >> 24),
                 packed.size & 0xFFFFFF);
  }
}

}  // namespace floe::gpu
