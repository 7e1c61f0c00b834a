// The sum of the payloads before a chunk, while other warps still encode them. Chunks tell their sizes as soon as they know them, and the
// sum up to their end once they have it; a warp looks back from its chunk to the nearest such sum.
#pragma once

#include "backend/cuda/device_warp.hpp"
#include "cuda/job.hpp"

namespace floe::cuda {

__device__ inline void tell_state(std::uint64_t* state, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(state)), "l"(value) : "memory");
}

__device__ inline std::uint64_t read_state(const std::uint64_t* state) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(state)) : "memory");
  return value;
}

/// The padded bytes of the payloads of chunks `first` to `chunk` - 1. Chunk `first` has told the sum up to its end. Chunks are taken in
/// order, so all of them are done or in work.
__device__ inline std::uint64_t look_back(DeviceWarp warp, const std::uint64_t* states, std::uint32_t first, std::uint32_t chunk) {
  constexpr int windows = 4;
  std::uint64_t sum = 0;
  std::int64_t end = chunk;  // states before it are still to be added
  while (true) {
    std::uint64_t state[windows];
#pragma unroll
    for (int w = 0; w < windows; ++w) {
      const std::int64_t at = end - 1 - w * static_cast<int>(warp_lanes) - warp.lane();
      state[w] = at >= static_cast<std::int64_t>(first) ? read_state(states + at) : ChunkState::upto_end;
    }
#pragma unroll
    for (int w = 0; w < windows; ++w) {
      while (true) {
        const unsigned sums = warp.ballot(state[w] >= ChunkState::upto_end);
        const unsigned unknown = warp.ballot(state[w] < ChunkState::own);
        const unsigned nearest = sums == 0 ? warp_lanes - 1 : static_cast<unsigned>(__ffs(static_cast<int>(sums))) - 1;
        if ((unknown & (0xFFFFFFFF >> (31 - nearest))) == 0) {
          const auto own = warp.lane() < nearest || sums == 0 ? static_cast<std::uint32_t>(state[w] & ChunkState::number) : 0;
          sum += warp.reduce_add(own);
          if (sums != 0) return sum + warp.shuffle(state[w] & ChunkState::number, nearest);
          break;
        }
        const std::int64_t at = end - 1 - w * static_cast<int>(warp_lanes) - warp.lane();
        if (state[w] < ChunkState::own) state[w] = read_state(states + at);
      }
    }
    end -= windows * static_cast<int>(warp_lanes);
  }
}

}  // namespace floe::cuda
