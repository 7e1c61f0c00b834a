// Where a segment goes whose tiles have all been looked at: one warp adds them up and writes what stands
// before them; when look-back says where the segments before end, it publishes that to the tiles.
#pragma once

#include "gpu/pack/pack_segment.hpp"
#include "gpu/pack/segment_offsets.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Of a segment in the column, with its lead.
FLOE_DEVICE std::uint64_t padded_bytes(const PackColumn& column, const PackOutcome& outcome) {
  return column.lead_bytes + (outcome.head_bytes + outcome.body_bytes + 15) / 16 * 16;
}

/// Publishes how long a segment is; `read(v)` waits for tile v. `head` has the prefix, and becomes the whole
/// head.
template <class Map, class Warp, class Read>
FLOE_DEVICE PackOutcome publish_length(Warp& warp, const TileOfSegment<Map>& at, PackPrefix prefix,
                                       PackTile* tiles, std::uint8_t* head, const Read& read) {
  const PackSums sums = add_up_tiles(warp, at, read);
  finish_prefix(at, sums, prefix);
  const PackOutcome outcome = find_outcome(warp, at, sums, prefix, head);
  if (warp.lane() == 0 && at.segment > 0)
    write_state(at.column->states + at.segment, OffsetState::aggregate | padded_bytes(*at.column, outcome));
  if (outcome.mode == PackGoal::packed) complete_packed(warp, at, sums, prefix, tiles, read, head);
  return outcome;
}

/// Publishes to a segment's tiles where it begins, by publish(goal), and writes its head there. `offset`: of
/// its lead.
template <class Map, class Warp, class Publish>
FLOE_DEVICE void publish_offset(Warp& warp, const TileOfSegment<Map>& at, const PackOutcome& outcome,
                                std::uint64_t offset, const std::uint8_t* head, const Publish& publish) {
  const PackColumn& column = *at.column;
  const std::uint64_t bytes = outcome.head_bytes + outcome.body_bytes,
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
    for (std::uint32_t i = warp.lane(); i < outcome.head_bytes; i += warp_lanes)
      column.out[begin + i] = head[i];
    if (warp.lane() < end - begin - bytes) column.out[begin + bytes + warp.lane()] = 0;
  }
}

}  // namespace floe::gpu
