// A team that is a block of a device.
#pragma once

#include "gpu/decode/team_memory.hpp"
#include "gpu/warp/device_warp.hpp"

namespace floe::series_cuda {

extern __shared__ __align__(128) std::uint8_t team_shared[];

class DeviceTeam {
 public:
  __device__ __forceinline__ cuda::DeviceWarp& warp() { return warp_; }
  __device__ __forceinline__ TeamMemory& memory() const {
    return *reinterpret_cast<TeamMemory*>(team_shared);
  }
  __device__ __forceinline__ unsigned rank() const { return threadIdx.x; }
  __device__ __forceinline__ unsigned size() const { return team_threads; }
  __device__ __forceinline__ unsigned warp_index() const { return threadIdx.x / warp_lanes; }
  __device__ __forceinline__ unsigned warp_count() const { return max_workers; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  /// By one thread: waits until another one tells `value`, and sees what that one wrote before.
  __device__ __forceinline__ void wait_for(const std::uint32_t& place, std::uint32_t value) const {
    std::uint32_t told;
    do {
      asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(told) : "l"(&place) : "memory");
    } while (told != value);
  }
  __device__ __forceinline__ void tell(std::uint32_t& place, std::uint32_t value) const {
    asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(&place), "r"(value) : "memory");
  }

 private:
  cuda::DeviceWarp warp_;
};

}  // namespace floe::series_cuda
