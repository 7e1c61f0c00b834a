// A thread block of a device, with dynamic shared memory that begins with a Memory.
#pragma once

#include "gpu/warp/block.hpp"
#include "gpu/warp/device_warp.hpp"

namespace floe::gpu {

extern __shared__ __align__(128) std::uint8_t block_shared[];

/// By one thread: waits until another one publishes `value`, and sees what that one wrote before.
__device__ __forceinline__ void wait_for_word(const std::uint32_t& place, std::uint32_t value) {
  std::uint32_t published;
  do {
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(published) : "l"(&place) : "memory");
  } while (published != value);
}
__device__ __forceinline__ void publish_word(std::uint32_t& place, std::uint32_t value) {
  asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(&place), "r"(value) : "memory");
}

template <class Memory, unsigned threads>
class DeviceBlock {
 public:
  __device__ __forceinline__ DeviceWarp& warp() { return warp_; }
  __device__ __forceinline__ Memory& memory() const { return *reinterpret_cast<Memory*>(block_shared); }
  __device__ __forceinline__ unsigned rank() const { return threadIdx.x; }
  __device__ __forceinline__ unsigned size() const { return threads; }
  __device__ __forceinline__ unsigned warp_index() const { return threadIdx.x / warp_lanes; }
  __device__ __forceinline__ unsigned warp_count() const { return threads / warp_lanes; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  __device__ __forceinline__ bool any(bool is_true) const { return __syncthreads_or(is_true ? 1 : 0) != 0; }
  __device__ __forceinline__ void wait_for(const std::uint32_t& place, std::uint32_t value) const {
    wait_for_word(place, value);
  }
  __device__ __forceinline__ void publish(std::uint32_t& place, std::uint32_t value) const {
    publish_word(place, value);
  }

 private:
  DeviceWarp warp_;
};

}  // namespace floe::gpu
