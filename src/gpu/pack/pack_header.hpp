// What stands before the vectors of a segment that is packed tile by tile, and its tree in the end. By one
// warp, most of it before the tiles have been looked at.
#pragma once

#include "gpu/encode/encode_chain_node.hpp"
#include "gpu/pack/pack_vector.hpp"

namespace floe::gpu {

/// What a segment's vectors come to.
struct PackSums {
  std::uint32_t payload_bytes = 0;
  std::uint64_t first = 0;   ///< The first base.
  std::uint64_t origin = 0;  ///< What that one is counted from: of words that are scaled, the smallest one.
  bool varies = false;       ///< Not all words are equal to it.
};

/// What a segment begins with, and what its tiles are.
struct PackOutcome {
  PackGoal::Mode mode = PackGoal::nothing;
  std::uint32_t header_bytes = 0;
  std::uint64_t body_bytes = 0;  ///< Of all tiles.
  std::uint64_t origin = 0;      ///< That of PackSums.
};

/// Writes the heads of differences, up to two per position of the stride. By all lanes; the first one writes.
template <class Map, class Warp>
FLOE_DEVICE std::uint32_t write_heads(Warp& warp, const TileOfSegment<Map>& at, std::uint8_t* to) {
  using W = typename Map::W;
  const std::uint32_t stride = at.column->stride, heads = stride < at.words ? stride : at.words,
                      rest = at.words - heads;
  const auto words = at.template chain<0>(0);
  HeaderWriter header{to, 0};
  for (unsigned round = 0; round < at.column->order; ++round) {
    const std::uint32_t count = round == 0 ? heads : (stride < rest ? stride : rest);
    for (std::uint32_t from = 0; from < count; from += warp_lanes) {
      const std::uint32_t i = from + warp.lane();
      W word = 0;
      if (i < count)
        word = round == 0 ? words.word(i) : static_cast<W>(words.word(i + stride) - words.word(i));
      for (std::uint32_t k = 0; k < warp_lanes && from + k < count; ++k) {
        const W next = warp.shuffle(word, k);
        if (warp.lane() == 0) header.put_signed(next, core::word_bits<W>);
      }
    }
  }
  return warp.shuffle(header.size, 0);
}

/// Whether all words of a segment are equal whose chain is zeros: those that differences begin with.
template <class Map, class Warp>
FLOE_DEVICE bool heads_are_equal(Warp& warp, const TileOfSegment<Map>& at) {
  const std::uint32_t lost = at.lost(), count = lost < at.words ? lost : at.words;
  const auto words = at.template chain<0>(0);
  bool differs = false;
  for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes)
    differs = differs || words.word(i) != words.word(0);
  return warp.ballot(differs) == 0;
}

/// Of memory for what stands before a segment's vectors: up to two varints per position of the stride.
template <core::Word W>
inline constexpr std::uint32_t pack_header_bytes = 128 + 2 * max_delta_stride*((core::word_bits<W> + 6) / 7);

/// The plan of a segment whose chain ends in `leaf`.
template <class Map>
FLOE_DEVICE void put_plan(HeaderWriter& plan, const PackColumn& column, bool has_delta, EncodingId leaf) {
  const auto put_node = [&](EncodingId id, std::uint32_t a, std::uint32_t b) {
    plan.put_byte(static_cast<std::uint8_t>(id));
    if (trees::parameters_of(id) > 0) plan.put_varint(a);
    if (trees::parameters_of(id) > 1) plan.put_varint(b);
  };
  plan.put_byte(1);
  plan.put_byte(0);
  const auto map = static_cast<EncodingId>(column.map);
  if (map != EncodingId::bitpack) put_node(map, column.map_parameter[0], column.map_parameter[1]);
  if (has_delta) put_node(EncodingId::delta, column.order, column.stride);
  put_node(leaf, 0, 0);
  if constexpr (has_exceptions<Map>) {
    // No exceptions: no words of the other two children.
    put_node(EncodingId::raw, 0, 0);
    put_node(EncodingId::raw, 0, 0);
    plan.put_byte(0);
  }
}

/// What stands before a segment's vectors, as much as is known before tiles are looked at.
struct PackPrefix {
  std::uint32_t plan_bytes = 0, heads_bytes = 0;
  std::uint64_t max_bytes = 0;          ///< Of vectors and their length, for a segment to be packed.
  std::uint64_t divisor = 0, rest = 0;  ///< Of words that are scaled.

  [[nodiscard]] FLOE_DEVICE std::uint32_t bytes() const { return plan_bytes + heads_bytes; }
};

/// Writes it to `header`, pack_header_bytes<W> of shared memory.
template <class Map, class Warp>
FLOE_DEVICE PackPrefix write_prefix(Warp& warp, const TileOfSegment<Map>& at, std::uint8_t* header) {
  HeaderWriter plan{header, 0};
  if (warp.lane() == 0) put_plan<Map>(plan, *at.column, at.column->order > 0, EncodingId::bitpack);
  const std::uint32_t plan_bytes = warp.shuffle(plan.size, 0),
                      heads_bytes = write_heads(warp, at, header + plan_bytes);
  // No longer than the chain's words, the words before differences with their heads, and the source.
  const auto max_beside = [](std::uint64_t max, std::uint32_t others) {
    return max > others ? max - others : 0;
  };
  const std::uint64_t chain = std::uint64_t{at.chain_words()} * sizeof(typename Map::W);
  const std::uint64_t words = max_beside(std::uint64_t{at.words} * sizeof(typename Map::W), heads_bytes);
  const std::uint64_t source =
      has_exceptions<Map> ? max_beside(std::uint64_t{at.words} * sizeof(typename Map::From), 1 + heads_bytes)
                          : ~std::uint64_t{0};
  const std::uint64_t min = words < source ? words : source;
  PackPrefix prefix{plan_bytes, heads_bytes, chain < min ? chain : min};
  if constexpr (is_int_mult_map<Map>) {
    const SegmentDivisor& scale = at.column->divisors[at.segment];
    prefix.divisor = scale.divisor;
    prefix.rest = scale.rest;
  }
  return prefix;
}

/// The smallest word of a segment that is scaled.
template <class Map>
FLOE_DEVICE typename Map::W min_word(const TileOfSegment<Map>& at, const PackPrefix& prefix,
                                     const PackSums& sums) {
  using W = typename Map::W;
  return static_cast<W>((sums.origin * prefix.divisor + prefix.rest) ^ flip_of<W>(at.column->type));
}

/// Of scaled words, the length of what stands before them, when tiles have been looked at.
template <class Map>
FLOE_DEVICE void finish_prefix(const TileOfSegment<Map>& at, const PackSums& sums, PackPrefix& prefix) {
  if constexpr (is_int_mult_map<Map>) {
    const std::uint64_t min = folded(min_word(at, prefix, sums), core::word_bits<typename Map::W>);
    prefix.heads_bytes = varint_bytes(min) + varint_bytes(prefix.divisor);
    prefix.max_bytes = prefix.max_bytes > prefix.heads_bytes ? prefix.max_bytes - prefix.heads_bytes : 0;
  }
}

/// What becomes of a segment's chain.
template <class Map>
FLOE_DEVICE ChainOutcome judge_segment(const TileOfSegment<Map>& at, const PackSums& sums,
                                       const PackPrefix& prefix) {
  EncodeChain chain;
  chain.from = {at.segment_start(), at.words, at.column->type};
  chain.word_bytes = sizeof(typename Map::W);
  chain.count = at.chain_words();
  chain.order = at.column->order;
  chain.payload_bytes = sums.payload_bytes;
  chain.first = sums.first;
  chain.has_int_mult = is_int_mult_map<Map>;
  const bool has_map = static_cast<EncodingId>(at.column->map) != EncodingId::bitpack;
  return judge_chain(chain, sums.varies, has_map, chain.order > 0,
                     chain.has_int_mult ? prefix.heads_bytes : 0, chain.order > 0 ? prefix.heads_bytes : 0);
}

/// Writes the header of a segment whose vectors are not packed, instead of the prefix.
template <class Map, class Warp>
FLOE_DEVICE PackOutcome write_other_header(Warp& warp, const TileOfSegment<Map>& at, const PackSums& sums,
                                           const PackPrefix& prefix, const ChainOutcome& judged,
                                           std::uint8_t* header) {
  using W = typename Map::W;
  using From = typename Map::From;
  const PackColumn& column = *at.column;
  const std::uint32_t count = at.chain_words();
  const std::uint64_t words_bytes = std::uint64_t{at.words} * sizeof(From);
  const bool has_constant_leaf = judged.has_leaf && judged.is_constant;
  const std::uint32_t constant_bytes = has_constant_leaf ? sizeof(W) : 0,
                      behind = judged.is_before ? 0 : prefix.heads_bytes + constant_bytes;
  PackOutcome outcome;
  if (judged.is_before) {
    outcome = {PackGoal::mapped_words, 0, std::uint64_t{at.words} * sizeof(W)};
  } else if (!judged.has_leaf) {
    outcome = {PackGoal::chain_words, 0, std::uint64_t{count} * sizeof(W)};
  }
  // Vectors that are packed, but longer than the words, come here, too.
  bool is_source = judged.is_source || (judged.has_leaf && sums.varies && count > 0);
  if constexpr (has_exceptions<Map>) is_source = is_source || 1 + behind + outcome.body_bytes > words_bytes;
  bool is_constant = !sums.varies && (column.order == 0 || count == 0 || sums.first == 0);
  if (is_constant) is_constant = heads_are_equal(warp, at);
  if (is_constant) {
    outcome = {};
  } else if (is_source) {
    outcome = {PackGoal::words, 0, words_bytes};
  }
  HeaderWriter writer{header, 0};
  if (warp.lane() == 0) {
    if (is_constant || is_source) {
      writer.put_byte(1);
      writer.put_byte(0);
      writer.put_byte(static_cast<std::uint8_t>(is_constant ? EncodingId::constant : EncodingId::raw));
      if (is_constant) writer.put_word(load_aligned<From>(at.segment_start()), sizeof(From));
    } else if (judged.is_before) {
      put_plan<Map>(writer, column, false, EncodingId::raw);
    } else {
      put_plan<Map>(writer, column, column.order > 0,
                    has_constant_leaf ? EncodingId::constant : EncodingId::raw);
      writer.size = prefix.bytes();  // leaves are of one length
      if (has_constant_leaf) writer.put_word(sums.first, sizeof(W));
    }
  }
  warp.sync();
  outcome.header_bytes = warp.shuffle(writer.size, 0);
  return outcome;
}

}  // namespace floe::gpu
