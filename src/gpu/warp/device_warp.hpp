// A warp of a GPU, all of whose lanes take part.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

struct DeviceWarp {
  static constexpr unsigned all = 0xFFFFFFFF;

  __device__ __forceinline__ unsigned lane() const { return threadIdx.x % warp_lanes; }
  __device__ __forceinline__ void sync() const { __syncwarp(); }

  template <class T>
  __device__ __forceinline__ T shuffle(T value, unsigned source) const {
    return static_cast<T>(__shfl_sync(all, wide(value), static_cast<int>(source)));
  }
  template <class T>
  __device__ __forceinline__ T shuffle_up(T value, unsigned distance) const {
    return static_cast<T>(__shfl_up_sync(all, wide(value), distance));
  }
  template <class T>
  __device__ __forceinline__ T shuffle_down(T value, unsigned distance) const {
    return static_cast<T>(__shfl_down_sync(all, wide(value), distance));
  }
  __device__ __forceinline__ std::uint32_t ballot(bool predicate) const {
    return __ballot_sync(all, predicate);
  }
  __device__ __forceinline__ std::uint32_t reduce_or(std::uint32_t value) const {
    return __reduce_or_sync(all, value);
  }
  __device__ __forceinline__ std::uint32_t reduce_xor(std::uint32_t value) const {
    return __reduce_xor_sync(all, value);
  }
  __device__ __forceinline__ std::uint32_t reduce_max(std::uint32_t value) const {
    return __reduce_max_sync(all, value);
  }
  __device__ __forceinline__ std::uint32_t reduce_add(std::uint32_t value) const {
    return __reduce_add_sync(all, value);
  }
  __device__ __forceinline__ void shared_or(std::uint8_t* at, std::uint32_t bits) const {
    atomicOr(reinterpret_cast<std::uint32_t*>(at), bits);
  }
  __device__ __forceinline__ void shared_add(std::uint32_t* at, std::uint32_t number) const {
    atomicAdd(at, number);
  }

 private:
  /// Shuffles move 32 or 64 bits.
  template <class T>
  static __device__ __forceinline__ auto wide(T value) {
    if constexpr (sizeof(T) == 8) {
      return static_cast<unsigned long long>(value);
    } else {
      return static_cast<unsigned>(value);
    }
  }
};

}  // namespace floe::gpu
