// Offsets of payloads while others are still being encoded. Chunks publish their sizes as soon as they know
// them; one warp of the whole grid adds them up in their order and publishes the sum up to the end of each.
// Thousands of warps that looked back at each other would ask for the same few lines of the cache.
#pragma once

#include "gpu/frames/job.hpp"
#include "gpu/warp/device_warp.hpp"
#include "gpu/warp/state_words.hpp"

namespace floe::gpu {

/// The offsets of chunks among all payloads of a call.
struct ChunkOffsets {
  std::uint64_t* states;

  /// Publishes the padded size of a payload. One lane calls this.
  __device__ void publish_size(std::uint32_t chunk, std::uint32_t padded) const {
    write_state(states + chunk, OffsetState::aggregate | padded);
  }

  /// Waits for the padded bytes of all payloads up to the end of a chunk that has been taken.
  __device__ std::uint64_t wait_for_end(std::uint32_t chunk) const {
    std::uint64_t state = read_state(states + chunk);
    while (state < OffsetState::inclusive) {
      __nanosleep(20);
      state = read_state(states + chunk);
    }
    return state & OffsetState::number;
  }

  /// Adds up the sizes of all chunks. One warp of the grid calls this; it looks at many chunks at a time, as
  /// every look takes long.
  __device__ void add_up(DeviceWarp warp, std::uint32_t chunk_count) const {
    constexpr unsigned rows = 4;
    std::uint64_t sum = 0;
    for (std::uint32_t base = 0; base < chunk_count;) {
      std::uint64_t state[rows];
      std::uint32_t upto_end[rows], known[rows];
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t chunk = base + r * warp_lanes + warp.lane();
        state[r] = chunk < chunk_count ? read_state(states + chunk) : 0;
      }
      bool gap = false;
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        const unsigned unknown = warp.ballot(state[r] == 0);
        known[r] = gap            ? 0
                   : unknown == 0 ? warp_lanes
                                  : static_cast<unsigned>(__ffs(static_cast<int>(unknown))) - 1;
        gap = gap || known[r] < warp_lanes;
        upto_end[r] = warp.lane() < known[r] ? low_half(state[r]) : 0;
      }
      inclusive_scans(warp, upto_end);
      std::uint32_t chunk = base + warp.lane();
#pragma unroll
      for (unsigned r = 0; r < rows; ++r, chunk += warp_lanes) {
        if (warp.lane() < known[r]) write_state(states + chunk, OffsetState::inclusive | (sum + upto_end[r]));
        sum += warp.shuffle(upto_end[r], warp_lanes - 1);
        base += known[r];
      }
    }
  }
};

}  // namespace floe::gpu
