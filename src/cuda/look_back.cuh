// The sum of the payloads before a chunk, while other warps still encode them. Chunks tell their sizes as soon as they know them, and the
// sum up to their end once they have it; 32 chunks also add up their sizes as a group. A warp looks back over its group and over the groups
// before it, to the nearest sum up to an end: with two loads it sees more chunks than are in work.
#pragma once

#include "backend/cuda/device_warp.hpp"
#include "cuda/job.hpp"

namespace floe::cuda {

__device__ inline std::uint64_t read_state(const std::uint64_t* state) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(state)) : "memory");
  return value;
}

__device__ inline void write_state(std::uint64_t* state, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(state)), "l"(value) : "memory");
}

__device__ inline ChunkGroup read_group(const ChunkGroup* group) {
  ChunkGroup value;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(value.sizes), "=l"(value.upto_end)
               : "l"(__cvta_generic_to_global(group))
               : "memory");
  return value;
}

/// The places of chunks among all payloads of a call.
struct ChunkPlaces {
  std::uint64_t* states;
  ChunkGroup* groups;

  /// Tells the size of a payload. One lane calls this.
  __device__ void tell_size(std::uint32_t chunk, std::uint32_t padded) const {
    write_state(states + chunk, ChunkState::own | padded);
    atomicAdd(reinterpret_cast<unsigned long long*>(&groups[chunk / warp_lanes].sizes), ChunkGroup::one | padded);
  }
  /// Tells the sum up to the end of a payload. One lane calls this.
  __device__ void tell_end(std::uint32_t chunk, std::uint64_t bytes) const {
    write_state(states + chunk, ChunkState::upto_end | bytes);
    if (chunk % warp_lanes == warp_lanes - 1) write_state(&groups[chunk / warp_lanes].upto_end, ChunkState::upto_end | bytes);
  }
  /// Waits for the sum up to the end of a chunk that has been taken.
  __device__ std::uint64_t wait_for_end(std::uint32_t chunk) const {
    std::uint64_t state = read_state(states + chunk);
    while (state < ChunkState::upto_end) {
      __nanosleep(100);
      state = read_state(states + chunk);
    }
    return state & ChunkState::number;
  }

  /// The padded bytes of the payloads of all chunks before `chunk`, all of which have been taken.
  __device__ std::uint64_t sum_before(DeviceWarp warp, std::uint32_t chunk) const {
    const std::uint32_t group = chunk / warp_lanes, index = chunk % warp_lanes;
    GroupWindow window(*this, warp, group);
    std::uint64_t inside = 0;
    while (index != 0) {
      const std::uint64_t state = warp.lane() < index ? read_state(states + group * warp_lanes + warp.lane()) : ChunkState::own;
      const unsigned ends = warp.ballot(state >= ChunkState::upto_end), unknown = warp.ballot(state < ChunkState::own);
      const unsigned first = ends == 0 ? 0 : warp_lanes - static_cast<unsigned>(__clz(static_cast<int>(ends)));  // behind the nearest end
      if ((unknown >> first << first) == 0) {
        inside = warp.reduce_add(warp.lane() >= first ? static_cast<std::uint32_t>(state & ChunkState::number) : 0);
        if (ends != 0) return inside + warp.shuffle(state & ChunkState::number, first - 1);
        break;
      }
      __nanosleep(40);
    }
    while (true) {
      if (window.add(warp)) return inside + window.sum;
      if (window.is_complete) {
        window.move(*this, warp);
      } else {
        __nanosleep(40);
        window.load(*this, warp);
      }
    }
  }

 private:
  /// 64 groups, the nearest ones first.
  struct GroupWindow {
    static constexpr int loads = 2;
    std::uint64_t sum = 0;  ///< Of the windows that are done.
    bool is_complete = false;
    std::int64_t end;  ///< The groups before it are still to be added.
    ChunkGroup group[loads];

    __device__ GroupWindow(const ChunkPlaces& places, DeviceWarp warp, std::uint32_t first) : end(first) { load(places, warp); }

    __device__ void load(const ChunkPlaces& places, DeviceWarp warp) {
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        const std::int64_t at = end - 1 - l * static_cast<int>(warp_lanes) - warp.lane();
        group[l] = at >= 0 ? read_group(places.groups + at) : ChunkGroup{0, ChunkState::upto_end};
      }
    }
    /// Adds what the window says to `sum`. True if that is all there is; otherwise `is_complete` says whether the window has no gaps.
    __device__ bool add(DeviceWarp warp) {
      std::uint64_t found = 0;
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        const bool full = group[l].sizes >> 56 == warp_lanes, is_end = group[l].upto_end >= ChunkState::upto_end;
        const unsigned ends = warp.ballot(is_end), unknown = warp.ballot(!full && !is_end);
        const unsigned nearest = ends == 0 ? warp_lanes : static_cast<unsigned>(__ffs(static_cast<int>(ends))) - 1;
        const unsigned needed = nearest == warp_lanes ? 0xFFFFFFFF : (1u << nearest) - 1;
        is_complete = (unknown & needed) == 0;
        if (!is_complete) return false;
        found += warp.reduce_add(warp.lane() < nearest ? static_cast<std::uint32_t>(group[l].sizes) : 0);
        if (ends != 0) {
          sum += found + warp.shuffle(group[l].upto_end & ChunkState::number, nearest);
          return true;
        }
      }
      sum += found;
      return false;
    }
    __device__ void move(const ChunkPlaces& places, DeviceWarp warp) {
      end -= loads * static_cast<int>(warp_lanes);
      load(places, warp);
    }
  };
};

}  // namespace floe::cuda
