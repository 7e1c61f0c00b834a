// What becomes of a segment whose tiles have been looked at: how long it is, where its vectors lie, and,
// when look-back says where the segments before end, where it goes. By one warp.
#pragma once

#include "gpu/pack/pack_header.hpp"
#include "gpu/pack/segment_offsets.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Bytes of a vector. `step` is how far its base is from the last one, folded.
FLOE_DEVICE std::uint32_t vector_bytes(std::uint32_t count, const PackTile& tile, std::uint64_t step) {
  const std::uint32_t bytes = 1 + varint_bytes(step) + (count * tile.width() + 7) / 8;
  return tile.width() < tile.full_width() ? bytes + exceptions_bytes(tile.as_packing()) : bytes;
}

/// Calls visit(v, tile, bytes) for the vectors of a segment, by all lanes at the same time and for two
/// neighbours each: v is the first one, and behind the last vector tiles take no bytes. `read(v)` waits until
/// a tile is known; the first base is counted from `origin`.
template <class Map, class Warp, class Read, class Visit>
FLOE_DEVICE void visit_vectors(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t origin,
                               const Read& read, const Visit& visit) {
  using W = typename Map::W;
  const std::uint32_t count = at.chain_words(), vectors = tiles_of(count);
  const auto bytes_of = [&](std::uint32_t v, const PackTile& tile, std::uint64_t last_base) {
    const std::uint32_t words = v + 1 < vectors ? tile_words : count - (vectors - 1) * tile_words;
    const std::uint64_t step =
        folded(static_cast<W>(static_cast<W>(tile.base) - static_cast<W>(last_base)), core::word_bits<W>);
    return v < vectors ? vector_bytes(words, tile, step) : 0;
  };
  std::uint64_t last_base = origin;
  for (std::uint32_t from = 0; from < vectors; from += 2 * warp_lanes) {
    const std::uint32_t v = from + 2 * warp.lane();
    const PackTile tile[2] = {v < vectors ? read(v) : PackTile{}, v + 1 < vectors ? read(v + 1) : PackTile{}};
    const std::uint64_t before = warp.shuffle_up(tile[1].base, 1);
    const std::uint32_t bytes[2] = {bytes_of(v, tile[0], warp.lane() == 0 ? last_base : before),
                                    bytes_of(v + 1, tile[1], tile[0].base)};
    visit(v, tile, bytes);
    if (from + 2 * warp_lanes < vectors) last_base = warp.shuffle(tile[1].base, warp_lanes - 1);
  }
}

/// What the first base of a segment is counted from.
template <class Map, class Warp, class Read>
FLOE_DEVICE std::uint64_t find_origin(Warp& warp, const TileOfSegment<Map>& at, const Read& read) {
  if constexpr (is_int_mult_map<Map>) {
    using W = typename Map::W;
    W min = static_cast<W>(~W{0});
    for (std::uint32_t v = warp.lane(); v < at.tiles(); v += warp_lanes) {
      const W base = static_cast<W>(read(v).base);
      min = base < min ? base : min;
    }
    return min_of_warp<W>(warp, min);
  } else {
    return 0;
  }
}

/// Adds up the vectors of a segment.
template <class Map, class Warp, class Read>
FLOE_DEVICE PackSums add_up_tiles(Warp& warp, const TileOfSegment<Map>& at, const Read& read) {
  PackSums sums;
  sums.origin = find_origin(warp, at, read);
  std::uint32_t sum = 0;
  bool varies = false;
  visit_vectors(warp, at, sums.origin, read,
                [&](std::uint32_t v, const PackTile(&tile)[2], const std::uint32_t(&bytes)[2]) {
                  if (v == 2 * warp.lane()) sums.first = warp.shuffle(tile[0].base, 0);
                  sum += bytes[0] + bytes[1];
                  for (unsigned i = 0; i < 2; ++i)
                    varies =
                        varies || (bytes[i] > 0 && (tile[i].base != sums.first || tile[i].full_width() != 0));
                });
  sums.payload_bytes = warp.reduce_add(sum);
  sums.varies = warp.ballot(varies) != 0;
  return sums;
}

/// Tells each of the vectors of a segment its position in the payload.
template <class Map, class Warp, class Read>
FLOE_DEVICE void lay_out_tiles(Warp& warp, const TileOfSegment<Map>& at, std::uint64_t origin,
                               PackTile* tiles, const Read& read) {
  std::uint32_t sum = 0;
  visit_vectors(warp, at, origin, read,
                [&](std::uint32_t v, const PackTile(&tile)[2], const std::uint32_t(&bytes)[2]) {
                  const std::uint32_t both = bytes[0] + bytes[1], inclusive = inclusive_scan(warp, both),
                                      offset = sum + inclusive - both;
                  if (bytes[0] > 0)
                    tiles[v].packing = low_half(tile[0].packing) | std::uint64_t{offset} << 32;
                  if (bytes[1] > 0)
                    tiles[v + 1].packing = low_half(tile[1].packing) | std::uint64_t{offset + bytes[0]} << 32;
                  sum += warp.shuffle(inclusive, warp_lanes - 1);
                });
}

/// How long is a segment? All segments behind it wait for that, so no more is found here if its vectors are
/// packed. `header` has the prefix; of other segments it becomes the whole header.
template <class Map, class Warp>
FLOE_DEVICE PackOutcome find_outcome(Warp& warp, const TileOfSegment<Map>& at, const PackSums& sums,
                                     const PackPrefix& prefix, std::uint8_t* header) {
  const std::uint32_t length_bytes = varint_bytes(sums.payload_bytes);
  if (sums.varies && length_bytes + std::uint64_t{sums.payload_bytes} <= prefix.max_bytes)
    return {PackGoal::packed, prefix.bytes() + length_bytes, sums.payload_bytes, sums.origin};
  return write_other_header(warp, at, sums, prefix, judge_segment(at, sums, prefix), header);
}

/// Makes what is still missing when a packed segment's length is known: the end of its header, and positions.
template <class Map, class Warp, class Read>
FLOE_DEVICE void complete_packed(Warp& warp, const TileOfSegment<Map>& at, const PackSums& sums,
                                 const PackPrefix& prefix, PackTile* tiles, const Read& read,
                                 std::uint8_t* header) {
  if (warp.lane() == 0) {
    HeaderWriter writer{header, prefix.bytes()};
    if constexpr (is_int_mult_map<Map>) {
      writer.size = prefix.plan_bytes;
      writer.put_signed(min_word(at, prefix, sums), core::word_bits<typename Map::W>);
      writer.put_varint(prefix.divisor);
    }
    writer.put_varint(sums.payload_bytes);
  }
  lay_out_tiles(warp, at, sums.origin, tiles, read);
  warp.sync();
}

/// Where the bytes of a tile go, counted from the beginning of its segment.
template <class Map>
FLOE_DEVICE std::uint64_t goal_in_segment(const TileOfSegment<Map>& at, const PackTile* tiles,
                                          const PackOutcome& outcome, std::uint32_t tile) {
  const std::uint32_t word =
      outcome.mode == PackGoal::words ? sizeof(typename Map::From) : sizeof(typename Map::W);
  const bool is_packed = outcome.mode == PackGoal::packed;
  if (tile >= at.tiles() || (is_packed && tile * tile_words >= at.chain_words()))
    return PackGoal::of(PackGoal::nothing, 0);
  return PackGoal::of(outcome.mode,
                      outcome.header_bytes +
                          (is_packed ? tiles[tile].packing >> 32 : std::uint64_t{tile} * tile_words * word));
}

/// Of a segment in the column, with its lead.
FLOE_DEVICE std::uint64_t padded_bytes(const PackColumn& column, const PackOutcome& outcome) {
  return column.lead_bytes + (outcome.header_bytes + outcome.body_bytes + 15) / 16 * 16;
}

/// Publishes a segment's length; `read(v)` waits for tile v. `header` has the prefix, then the whole header.
template <class Map, class Warp, class Read>
FLOE_DEVICE PackOutcome publish_length(Warp& warp, const TileOfSegment<Map>& at, PackPrefix prefix,
                                       PackTile* tiles, std::uint8_t* header, const Read& read) {
  const PackSums sums = add_up_tiles(warp, at, read);
  finish_prefix(at, sums, prefix);
  const PackOutcome outcome = find_outcome(warp, at, sums, prefix, header);
  if (warp.lane() == 0 && at.segment > 0)
    write_state(at.column->states + at.segment, OffsetState::aggregate | padded_bytes(*at.column, outcome));
  if (outcome.mode == PackGoal::packed) complete_packed(warp, at, sums, prefix, tiles, read, header);
  return outcome;
}

/// Publishes where a segment begins, by publish(goal), and writes its header there. `offset`: of its lead.
template <class Map, class Warp, class Publish>
FLOE_DEVICE void publish_offset(Warp& warp, const TileOfSegment<Map>& at, const PackOutcome& outcome,
                                std::uint64_t offset, const std::uint8_t* header, const Publish& publish) {
  const PackColumn& column = *at.column;
  const std::uint64_t bytes = outcome.header_bytes + outcome.body_bytes,
                      end = offset + padded_bytes(column, outcome), begin = offset + column.lead_bytes;
  const bool fits = end <= column.out_bytes;
  publish(fits ? PackGoal::of(outcome.mode, begin) : PackGoal::of(PackGoal::nothing, 0));
  if (warp.lane() == 0) {
    write_state(column.states + at.segment, OffsetState::inclusive | end);
    column.segments[at.segment] = {begin, fits ? static_cast<std::uint32_t>(bytes) : 0, at.words};
    if (!fits) {
      report_encode_failure(*column.result, ErrorCode::output_too_small);
      atomic_add(column.refused, 1);
    }
    if (std::uint64_t{at.segment + 1} * column.segment_words >= column.word_count) column.result->bytes = end;
  }
  if (fits) {
    for (std::uint32_t i = warp.lane(); i < outcome.header_bytes; i += warp_lanes)
      column.out[begin + i] = header[i];
    if (warp.lane() < end - begin - bytes) column.out[begin + bytes + warp.lane()] = 0;
  }
}

}  // namespace floe::gpu
