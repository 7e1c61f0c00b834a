// Where does a segment go whose tiles have all been looked at? One warp adds them up, writes what stands before them, hears where the
// segments before end, and tells the tiles.
#pragma once

#include "series_cuda/pack_segment.hpp"
#include "series_cuda/segment_places.cuh"

namespace floe::series_cuda {

/// Of a segment; `read(v)` waits for tile v. `head` has the prefix. `prepare(outcome)` is called when the segment's length is known,
/// `tell(goal)` when its place is: goals are those in the segment and this one. `gives_up()` says that the place may never be known; then
/// the goal is to stop, and nothing is written: what lies before this launch's segments is not theirs.
template <class Map, class Read, class Prepare, class Tell, class GivesUp>
__device__ __forceinline__ void place_segment(cuda::DeviceWarp& warp, const TileOfSegment<Map>& at, const PackPrefix& prefix,
                                              PackTile* tiles, std::uint8_t* head, const Read& read, const Prepare& prepare,
                                              const Tell& tell, const GivesUp& gives_up) {
  const PackColumn& column = *at.column;
  const PackSums sums = add_up_tiles(warp, at, read);
  const PackOutcome outcome = find_outcome(warp, at, sums, prefix, head);
  const std::uint64_t bytes = outcome.head_bytes + outcome.body_bytes, padded = (bytes + 15) / 16 * 16;
  if (warp.lane() == 0 && at.segment > 0) cuda::write_state(column.states + at.segment, SegmentState::own | padded);
  if (outcome.mode == PackGoal::packed) complete_packed(warp, at, sums, prefix, tiles, read, head);
  prepare(outcome);
  const std::uint64_t place = at.segment == 0 ? 0 : bytes_before(warp, column.states, 0, at.segment, gives_up);
  if (place == nowhere) return tell(PackGoal::of(PackGoal::stopped, 0));
  const bool fits = place + padded <= column.out_bytes;
  tell(fits ? PackGoal::of(outcome.mode, place) : PackGoal::of(PackGoal::nothing, 0));
  if (warp.lane() == 0) {
    cuda::write_state(column.states + at.segment, SegmentState::upto_end | (place + padded));
    column.segments[at.segment] = {place, fits ? static_cast<std::uint32_t>(bytes) : 0, at.words};
    if (!fits) {
      report_encode_failure(*column.result, ErrorCode::output_too_small);
      atomicAdd(column.refused, 1);
    }
    if (std::uint64_t{at.segment + 1} * column.segment_words >= column.word_count) column.result->bytes = place + padded;
  }
  if (fits) {
    for (std::uint32_t i = warp.lane(); i < outcome.head_bytes; i += warp_lanes) column.out[place + i] = head[i];
    if (warp.lane() < padded - bytes) column.out[place + bytes + warp.lane()] = 0;
  }
}

}  // namespace floe::series_cuda
