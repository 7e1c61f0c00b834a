// A warp and a thread block of a device, the latter with dynamic shared memory that begins with a Memory;
// and kernels that begin before the one before them in the stream has ended. These are launched so
// (LaunchShape::overlaps), do what depends on no other kernel, and wait. Devices before sm_90 run one
// kernel after the other.
#pragma once

#include "gpu/warp/block.hpp"
#include "gpu/warp/device.hpp"

namespace floe::gpu {

struct DeviceWarp {
  static constexpr unsigned all = 0xFFFFFFFF;

  FLOE_DEVICE unsigned lane() const { return threadIdx.x % warp_lanes; }
  FLOE_DEVICE void sync() const { __syncwarp(); }

  template <class T>
  FLOE_DEVICE T shuffle(T value, unsigned source) const {
    return static_cast<T>(__shfl_sync(all, wide(value), static_cast<int>(source)));
  }
  template <class T>
  FLOE_DEVICE T shuffle_up(T value, unsigned distance) const {
    return static_cast<T>(__shfl_up_sync(all, wide(value), distance));
  }
  template <class T>
  FLOE_DEVICE T shuffle_down(T value, unsigned distance) const {
    return static_cast<T>(__shfl_down_sync(all, wide(value), distance));
  }
  FLOE_DEVICE std::uint32_t ballot(bool predicate) const { return __ballot_sync(all, predicate); }
  FLOE_DEVICE std::uint32_t reduce_or(std::uint32_t value) const { return __reduce_or_sync(all, value); }
  FLOE_DEVICE std::uint32_t reduce_xor(std::uint32_t value) const { return __reduce_xor_sync(all, value); }
  FLOE_DEVICE std::uint32_t reduce_max(std::uint32_t value) const { return __reduce_max_sync(all, value); }
  FLOE_DEVICE std::uint32_t reduce_add(std::uint32_t value) const { return __reduce_add_sync(all, value); }
  FLOE_DEVICE void shared_or(std::uint8_t* at, std::uint32_t bits) const {
    atomicOr(reinterpret_cast<std::uint32_t*>(at), bits);
  }
  FLOE_DEVICE void shared_add(std::uint32_t* at, std::uint32_t number) const { atomicAdd(at, number); }

 private:
  /// Shuffles move 32 or 64 bits.
  template <class T>
  static FLOE_DEVICE auto wide(T value) {
    if constexpr (sizeof(T) == 8) {
      return static_cast<unsigned long long>(value);
    } else {
      return static_cast<unsigned>(value);
    }
  }
};

extern __shared__ __align__(128) std::uint8_t block_shared[];

/// Of this block.
FLOE_DEVICE std::uint32_t dynamic_shared_bytes() {
  std::uint32_t bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

/// By one thread: waits until another one publishes `value`, and sees what that one wrote before.
FLOE_DEVICE void wait_for_word(const std::uint32_t& word, std::uint32_t value) {
  std::uint32_t published;
  do {
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(published) : "l"(&word) : "memory");
  } while (published != value);
}
FLOE_DEVICE void publish_word(std::uint32_t& word, std::uint32_t value) {
  asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(&word), "r"(value) : "memory");
}

/// The number of this warp among all of the grid, and how many there are.
__device__ inline std::uint32_t warp_number() { return (blockIdx.x * blockDim.x + threadIdx.x) / warp_lanes; }
__device__ inline std::uint32_t warp_total() { return gridDim.x * blockDim.x / warp_lanes; }

template <class Memory, unsigned threads>
class DeviceBlock {
 public:
  FLOE_DEVICE DeviceWarp& warp() { return warp_; }
  FLOE_DEVICE Memory& memory() const { return *reinterpret_cast<Memory*>(block_shared); }
  FLOE_DEVICE unsigned rank() const { return threadIdx.x; }
  FLOE_DEVICE unsigned size() const { return threads; }
  FLOE_DEVICE unsigned warp_index() const { return threadIdx.x / warp_lanes; }
  FLOE_DEVICE unsigned warp_count() const { return threads / warp_lanes; }
  FLOE_DEVICE void sync() const { __syncthreads(); }
  FLOE_DEVICE bool any(bool is_true) const { return __syncthreads_or(is_true ? 1 : 0) != 0; }
  FLOE_DEVICE void wait_for(const std::uint32_t& word, std::uint32_t value) const {
    wait_for_word(word, value);
  }
  FLOE_DEVICE void publish(std::uint32_t& word, std::uint32_t value) const { publish_word(word, value); }

 private:
  DeviceWarp warp_;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FLOE_OVERLAPPING_KERNELS 1
#else
#define FLOE_OVERLAPPING_KERNELS 0
#endif

/// Lets the next kernel begin as soon as all blocks have called this, or ended, and there is room for it.
__device__ inline void let_next_kernel_begin() {
#if FLOE_OVERLAPPING_KERNELS
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits until the kernel before has ended, and sees what it wrote. All threads of a kernel that overlaps
/// call this: the kernel after it takes its end for that of all kernels before.
__device__ inline void wait_for_kernel_before() {
#if FLOE_OVERLAPPING_KERNELS
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace floe::gpu
