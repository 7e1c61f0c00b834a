// Where does a segment of a column go while others are still being encoded? Segments tell their sizes as soon as they know them, and those
// behind add them up.
#pragma once

#include "backend/cuda/device_warp.hpp"
#include "cuda/chunk_places.cuh"
#include "series_cuda/encode_job.hpp"

namespace floe::series_cuda {

/// No place.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// The sum over a warp of numbers of less than 2^40.
__device__ inline std::uint64_t sum_of_warp(cuda::DeviceWarp& warp, std::uint64_t number) {
  const std::uint32_t low = warp.reduce_add(static_cast<std::uint32_t>(number & 0xFFFF));
  return low + (std::uint64_t{warp.reduce_add(static_cast<std::uint32_t>(number >> 16))} << 16);
}

/// The bytes of the segments from `first` up to before `ticket`, of the same column. Called by a warp. Looks at several segments per lane
/// at a time, as every look takes long, and again only at those of which nothing was known. If `gives_up` says so, waits no longer, and
/// returns `nowhere`.
template <class GivesUp>
__device__ std::uint64_t bytes_before(cuda::DeviceWarp& warp, const std::uint64_t* states, std::uint32_t first, std::uint32_t ticket,
                                      const GivesUp& gives_up) {
  constexpr unsigned rows = 3;
  for (std::uint64_t sum = 0;; ticket -= rows * warp_lanes) {
    std::uint64_t state[rows] = {};
    for (bool is_known = false; !is_known;) {
      FLOE_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t distance = 1 + r * warp_lanes + warp.lane();
        if (state[r] < SegmentState::own)
          state[r] = ticket >= first + distance ? cuda::read_state(states + ticket - distance) : SegmentState::upto_end;
      }
      const bool is_given_up = gives_up();
      std::uint64_t own = 0;
      is_known = true;
      FLOE_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint32_t ends = warp.ballot(state[r] >= SegmentState::upto_end), unknown = warp.ballot(state[r] < SegmentState::own);
        const std::uint32_t before_end = ~ends & (ends - 1);  // all if there is none
        if (!is_known) continue;
        is_known = (unknown & before_end) == 0;
        if ((before_end >> warp.lane() & 1) != 0) own += state[r] & SegmentState::number;
        if (is_known && ends != 0) {
          const std::uint64_t end = warp.shuffle(state[r], static_cast<unsigned>(__ffs(static_cast<int>(ends))) - 1);
          return sum + sum_of_warp(warp, own) + (end & SegmentState::number);
        }
      }
      if (is_known) {
        sum += sum_of_warp(warp, own);
      } else if (warp.ballot(is_given_up) != 0) {
        return nowhere;
      } else {
        __nanosleep(40);
      }
    }
  }
}

__device__ inline void report_encode_failure(cuda::ItemResult& result, ErrorCode code) {
  atomicAdd(&result.failed_chunks, 1);
  atomicExch(&result.code, static_cast<std::uint32_t>(code));
}

}  // namespace floe::series_cuda
