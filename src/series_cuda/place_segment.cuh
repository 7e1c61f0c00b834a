// Where does a segment go whose tiles have all been looked at? One warp adds them up, writes what stands before them, hears where the
// segments before end, and tells the tiles.
#pragma once

#include "series_cuda/pack_segment.hpp"
#include "series_cuda/segment_places.cuh"

namespace floe::series_cuda {

/// `tiles` are those of the segment, `read(tile)` waits for one, `tell(index, goal)` is called for each, `gives_up()` says that the place
/// may never be known. Then nothing is written: what lies before this launch's segments is not theirs.
template <class Map, class Read, class Tell, class GivesUp>
__device__ __forceinline__ void place_segment(cuda::DeviceWarp& warp, const TileOfSegment<Map>& at, PackTile* tiles, std::uint8_t* head,
                                              const Read& read, const Tell& tell, const GivesUp& gives_up) {
  const PackColumn& column = *at.column;
  const PackSums sums = add_up_tiles(warp, at, tiles, read);
  const PackOutcome outcome = begin_segment(warp, at, sums, head);
  const std::uint64_t bytes = outcome.head_bytes + outcome.body_bytes, padded = (bytes + 15) / 16 * 16;
  if (warp.lane() == 0 && at.segment > 0) cuda::write_state(column.states + at.segment, SegmentState::own | padded);
  const std::uint64_t place = at.segment == 0 ? 0 : bytes_before(warp, column.states, 0, at.segment, gives_up);
  if (place == nowhere) return tell_tiles(warp, at, tiles, PackOutcome{}, 0, tell);
  const bool fits = place + padded <= column.out_bytes;
  if (warp.lane() == 0) {
    cuda::write_state(column.states + at.segment, SegmentState::upto_end | (place + padded));
    column.segments[at.segment] = {place, fits ? static_cast<std::uint32_t>(bytes) : 0, at.words};
    if (!fits) {
      report_encode_failure(*column.result, ErrorCode::output_too_small);
      atomicAdd(column.refused, 1);
    }
    if (std::uint64_t{at.segment + 1} * column.segment_words >= column.word_count) column.result->bytes = place + padded;
  }
  tell_tiles(warp, at, tiles, fits ? outcome : PackOutcome{}, place, tell);
  if (fits) {
    for (std::uint32_t i = warp.lane(); i < outcome.head_bytes; i += warp_lanes) column.out[place + i] = head[i];
    if (warp.lane() < padded - bytes) column.out[place + bytes + warp.lane()] = 0;
  }
}

}  // namespace floe::series_cuda
