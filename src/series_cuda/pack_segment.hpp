// What becomes of a segment whose tiles have been looked at? Where its vectors lie, what its tree is in the end, and what stands before the
// vectors. By one warp.
#pragma once

#include "series_cuda/encode_chain_node.hpp"
#include "series_cuda/pack_vector.hpp"

namespace floe::series_cuda {

/// Bytes of a vector. `step` is how far its base is from the last one, folded.
FLOE_DEVICE std::uint32_t vector_bytes(std::uint32_t count, const PackTile& tile, std::uint64_t step) {
  const std::uint32_t bytes = 1 + varint_bytes(step) + (count * tile.width() + 7) / 8;
  if (tile.width() >= tile.full_width()) return bytes;
  return bytes + varint_bytes(tile.exceptions()) + 1 + (tile.exceptions() * (10 + tile.full_width() - tile.width()) + 7) / 8;
}

/// What a segment's vectors come to.
struct PackSums {
  std::uint32_t payload_bytes = 0;
  std::uint64_t first = 0;  ///< The first base.
  bool varies = false;      ///< Not all words are equal to it.
};

/// Adds up the vectors of a segment, and tells each of them its place in the payload. `read(tile)` waits until a tile is known.
template <class Map, class Warp, class Read>
FLOE_DEVICE PackSums add_up_tiles(Warp& warp, const TileOfSegment<Map>& at, PackTile* tiles, const Read& read) {
  using W = typename Map::W;
  const std::uint32_t count = at.chain_words(), vectors = (count + packed_words - 1) / packed_words;
  PackSums sums;
  std::uint64_t last_base = 0;
  bool varies = false;
  for (std::uint32_t from = 0; from < vectors; from += warp_lanes) {
    const std::uint32_t v = from + warp.lane(), words = v + 1 < vectors ? packed_words : count - (vectors - 1) * packed_words;
    const PackTile tile = v < vectors ? read(tiles + v) : PackTile{};
    const std::uint64_t before = warp.shuffle_up(tile.base, 1), step_from = warp.lane() == 0 ? last_base : before;
    if (from == 0) sums.first = warp.shuffle(tile.base, 0);
    const std::uint64_t step = folded(static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(step_from)), core::word_bits<W>);
    const std::uint32_t size = v < vectors ? vector_bytes(words, tile, step) : 0, upto = cuda::inclusive_scan(warp, size);
    if (v < vectors) tiles[v].packing = tile.packing | std::uint64_t{sums.payload_bytes + upto - size} << 32;
    varies = varies || (v < vectors && (tile.base != sums.first || tile.full_width() != 0));
    sums.payload_bytes += warp.shuffle(upto, warp_lanes - 1);
    last_base = warp.shuffle(tile.base, warp_lanes - 1);
  }
  sums.varies = warp.ballot(varies) != 0;
  return sums;
}

/// What a segment begins with, and what its tiles are.
struct PackOutcome {
  PackGoal::Mode mode = PackGoal::nothing;
  std::uint32_t head_bytes = 0;
  std::uint64_t body_bytes = 0;  ///< Of all tiles.
};

/// Writes the heads of differences, up to two per place of the stride. By all lanes; the first one writes.
template <class Map, class Warp>
FLOE_DEVICE std::uint32_t write_heads(Warp& warp, const TileOfSegment<Map>& at, std::uint8_t* to) {
  using W = typename Map::W;
  const std::uint32_t stride = at.column->stride, heads = stride < at.words ? stride : at.words, rest = at.words - heads;
  const auto words = at.template chain<0>(0);
  HeaderWriter header{to, 0};
  for (unsigned round = 0; round < at.column->order; ++round) {
    const std::uint32_t count = round == 0 ? heads : (stride < rest ? stride : rest);
    for (std::uint32_t from = 0; from < count; from += warp_lanes) {
      const std::uint32_t i = from + warp.lane();
      W word = 0;
      if (i < count) word = round == 0 ? words.word(i) : static_cast<W>(words.word(i + stride) - words.word(i));
      for (std::uint32_t k = 0; k < warp_lanes && from + k < count; ++k) {
        const W next = warp.shuffle(word, k);
        if (warp.lane() == 0) header.put_signed(next, core::word_bits<W>);
      }
    }
  }
  return warp.shuffle(header.size, 0);
}

/// Whether all words of a segment are equal whose chain gives nothing but zeros: those that differences begin with.
template <class Map, class Warp>
FLOE_DEVICE bool heads_are_equal(Warp& warp, const TileOfSegment<Map>& at) {
  const std::uint32_t lost = at.lost(), count = lost < at.words ? lost : at.words;
  const auto words = at.template chain<0>(0);
  bool differs = false;
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes) differs = differs || words.word(i) != words.word(0);
  return warp.ballot(differs) == 0;
}

/// Of memory for what stands before a segment's vectors.
inline constexpr std::uint32_t pack_head_bytes = 128 + 2 * 64 * 10;

/// Writes what stands before the vectors to `head`, pack_head_bytes of shared memory.
template <class Map, class Warp>
FLOE_DEVICE PackOutcome begin_segment(Warp& warp, const TileOfSegment<Map>& at, const PackSums& sums, std::uint8_t* head) {
  using W = typename Map::W;
  using From = typename Map::From;
  const PackColumn& column = *at.column;
  const auto map = static_cast<EncodingId>(column.map);
  const bool has_map = map != EncodingId::afl, has_delta = column.order > 0;
  bool is_constant = !sums.varies && (!has_delta || at.chain_words() == 0 || sums.first == 0);
  if (is_constant) is_constant = heads_are_equal(warp, at);
  constexpr std::uint32_t most_plan_bytes = 64;
  std::uint8_t* const heads = head + most_plan_bytes;
  const std::uint32_t heads_bytes = has_delta && !is_constant ? write_heads(warp, at, heads) : 0;
  PackOutcome outcome;
  std::uint32_t plan_bytes = 0;
  if (warp.lane() == 0) {
    EncodeChain chain;
    chain.from = {at.segment_start(), at.words, column.type};
    chain.word_bytes = sizeof(W);
    chain.count = at.chain_words();
    chain.order = column.order;
    chain.payload_bytes = sums.payload_bytes;
    chain.first = sums.first;
    ChainOutcome judged = judge_chain(chain, sums.varies, has_map, has_delta, 0, heads_bytes);
    const std::uint64_t chain_bytes = std::uint64_t{chain.count} * sizeof(W), words_bytes = std::uint64_t{at.words} * sizeof(From);
    HeaderWriter plan{head, 0}, behind{heads, heads_bytes};
    const auto put_node = [&](EncodingId id, std::uint32_t a, std::uint32_t b) {
      plan.put_byte(static_cast<std::uint8_t>(id));
      if (parameters_of(id) > 0) plan.put_varint(a);
      if (parameters_of(id) > 1) plan.put_varint(b);
    };
    const auto put_source = [&] {
      plan.size = 2;
      behind.size = 0;
      put_node(EncodingId::raw, 0, 0);
      outcome = {PackGoal::words, 0, words_bytes};
    };
    plan.put_byte(1);
    plan.put_byte(0);
    if (is_constant) {
      behind.size = 0;
      put_node(EncodingId::constant, 0, 0);
      behind.put_word(cuda::load_aligned<From>(at.segment_start()), sizeof(From));
    } else if (judged.is_source) {
      put_source();
    } else {
      if (has_map) put_node(map, column.map_parameter[0], column.map_parameter[1]);
      if (judged.is_before) {
        behind.size = 0;
        put_node(EncodingId::raw, 0, 0);
        outcome = {PackGoal::mapped_words, 0, std::uint64_t{at.words} * sizeof(W)};
      } else {
        if (has_delta) put_node(EncodingId::delta, column.order, column.stride);
        if (chain.count == 0) {
          put_node(EncodingId::raw, 0, 0);
        } else if (!judged.has_leaf) {
          put_node(EncodingId::raw, 0, 0);
          outcome = {PackGoal::chain_words, 0, chain_bytes};
        } else if (judged.is_constant) {
          put_node(EncodingId::constant, 0, 0);
          behind.put_word(sums.first, sizeof(W));
        } else {
          put_node(EncodingId::afl, 0, 0);
          behind.put_varint(sums.payload_bytes);
          outcome = {PackGoal::packed, 0, sums.payload_bytes};
        }
      }
      if constexpr (Map::fails) {
        // No exceptions: no words of the other two children.
        put_node(EncodingId::raw, 0, 0);
        put_node(EncodingId::raw, 0, 0);
        if (1 + behind.size + outcome.body_bytes > words_bytes) {
          put_source();
        } else {
          plan.put_byte(0);
        }
      }
    }
    for (std::uint32_t i = 0; i < behind.size; ++i) plan.put_byte(heads[i]);
    outcome.head_bytes = plan.size;
    plan_bytes = static_cast<std::uint32_t>(outcome.mode);
  }
  warp.sync();
  outcome.mode = static_cast<PackGoal::Mode>(warp.shuffle(plan_bytes, 0));
  outcome.head_bytes = warp.shuffle(outcome.head_bytes, 0);
  outcome.body_bytes = warp.shuffle(outcome.body_bytes, 0);
  return outcome;
}

/// Tells the tiles of a segment that begins at byte `place` of the column where they go. `tell(index, goal)` does so with one.
template <class Map, class Warp, class Tell>
FLOE_DEVICE void tell_tiles(Warp& warp, const TileOfSegment<Map>& at, const PackTile* tiles, const PackOutcome& outcome,
                            std::uint64_t place, const Tell& tell) {
  const std::uint32_t count = at.tiles(), word = outcome.mode == PackGoal::words ? sizeof(typename Map::From) : sizeof(typename Map::W);
  for (std::uint32_t tile = warp.lane(); tile < count; tile += warp_lanes) {
    std::uint64_t offset = std::uint64_t{tile} * packed_words * word;
    PackGoal::Mode mode = outcome.mode;
    if (mode == PackGoal::packed) {
      if (tile * packed_words < at.chain_words()) {
        offset = tiles[tile].packing >> 32;
      } else {
        mode = PackGoal::nothing;
      }
    }
    tell(tile, PackGoal::of(mode, place + outcome.head_bytes + offset));
  }
}

}  // namespace floe::series_cuda
