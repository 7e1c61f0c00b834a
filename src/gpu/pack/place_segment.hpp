// Where does a segment go whose tiles have all been looked at? One warp adds them up and writes what stands
// before them; when it has heard where the segments before end, it tells the tiles.
#pragma once

#include "gpu/pack/pack_segment.hpp"
#include "gpu/pack/segment_places.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// Of a segment in the column.
FLOE_DEVICE std::uint64_t padded_bytes(const PackOutcome& outcome) {
  return (outcome.head_bytes + outcome.body_bytes + 15) / 16 * 16;
}

/// Tells those behind a segment how long it is; `read(v)` waits for tile v. `head` has the prefix, and
/// becomes the whole head.
template <class Map, class Warp, class Read>
FLOE_DEVICE PackOutcome publish_length(Warp& warp, const TileOfSegment<Map>& at, PackPrefix prefix,
                                    PackTile* tiles, std::uint8_t* head, const Read& read) {
  const PackSums sums = add_up_tiles(warp, at, read);
  finish_prefix(at, sums, prefix);
  const PackOutcome outcome = find_outcome(warp, at, sums, prefix, head);
  if (warp.lane() == 0 && at.segment > 0)
    write_state(at.column->states + at.segment, SegmentState::own | padded_bytes(outcome));
  if (outcome.mode == PackGoal::packed) complete_packed(warp, at, sums, prefix, tiles, read, head);
  return outcome;
}

/// Tells a segment's tiles its place, by tell(goal), and writes its head there.
template <class Map, class Warp, class Publish>
FLOE_DEVICE void publish_offset(Warp& warp, const TileOfSegment<Map>& at, const PackOutcome& outcome,
                            std::uint64_t place, const std::uint8_t* head, const Publish& publish) {
  const PackColumn& column = *at.column;
  const std::uint64_t bytes = outcome.head_bytes + outcome.body_bytes, padded = padded_bytes(outcome);
  const bool fits = place + padded <= column.out_bytes;
  publish(fits ? PackGoal::of(outcome.mode, place) : PackGoal::of(PackGoal::nothing, 0));
  if (warp.lane() == 0) {
    write_state(column.states + at.segment, SegmentState::upto_end | (place + padded));
    column.segments[at.segment] = {place, fits ? static_cast<std::uint32_t>(bytes) : 0, at.words};
    if (!fits) {
      report_encode_failure(*column.result, ErrorCode::output_too_small);
      atomic_add(column.refused, 1);
    }
    if (std::uint64_t{at.segment + 1} * column.segment_words >= column.word_count)
      column.result->bytes = place + padded;
  }
  if (fits) {
    for (std::uint32_t i = warp.lane(); i < outcome.head_bytes; i += warp_lanes)
      column.out[place + i] = head[i];
    if (warp.lane() < padded - bytes) column.out[place + bytes + warp.lane()] = 0;
  }
}

}  // namespace floe::gpu
