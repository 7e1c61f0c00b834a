// Where does a segment of a column go while others are still being encoded? Segments tell their sizes as soon as they know them, and those
// behind add them up.
#pragma once

#include "backend/cuda/device_warp.hpp"
#include "cuda/chunk_places.cuh"
#include "series_cuda/encode_job.hpp"

namespace floe::series_cuda {

/// No place.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// The bytes of the segments from `first` up to before `ticket`, of the same column. Called by a warp. If `gives_up` says so, waits no
/// longer, and returns `nowhere`.
template <class GivesUp>
__device__ std::uint64_t bytes_before(cuda::DeviceWarp& warp, const std::uint64_t* states, std::uint32_t first, std::uint32_t ticket,
                                      const GivesUp& gives_up) {
  std::uint64_t sum = 0;
  while (true) {
    const bool exists = ticket >= first + 1 + warp.lane();
    const std::uint64_t state = exists ? cuda::read_state(states + ticket - 1 - warp.lane()) : SegmentState::upto_end;
    const unsigned ends = warp.ballot(state >= SegmentState::upto_end), unknown = warp.ballot(state < SegmentState::own);
    const unsigned nearest = ends == 0 ? warp_lanes : static_cast<unsigned>(__ffs(static_cast<int>(ends))) - 1;
    if (nearest < warp_lanes ? (unknown & ((1u << nearest) - 1)) != 0 : unknown != 0) {
      if (warp.ballot(gives_up()) != 0) return nowhere;
      __nanosleep(40);
      continue;
    }
    const std::uint64_t upto = cuda::inclusive_scan(warp, warp.lane() <= nearest ? state & SegmentState::number : 0);
    sum += warp.shuffle(upto, warp_lanes - 1);
    if (nearest < warp_lanes) return sum;
    ticket -= warp_lanes;
  }
}

__device__ inline void report_encode_failure(cuda::ItemResult& result, ErrorCode code) {
  atomicAdd(&result.failed_chunks, 1);
  atomicExch(&result.code, static_cast<std::uint32_t>(code));
}

}  // namespace floe::series_cuda
