// Copies between global and shared memory by one warp: by the copy engine of sm_90, or 16 bytes per lane.
#pragma once

#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FLOE_BULK_COPIES 1
#else
#define FLOE_BULK_COPIES 0
#endif

__device__ inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// The copies of one warp to and from its shared memory, of which `barrier` is 8 bytes.
class WarpCopies {
 public:
  __device__ WarpCopies(DeviceWarp warp, std::uint64_t* barrier) : warp_(warp) {
#if FLOE_BULK_COPIES
    barrier_ = static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier));
    if (warp_.lane() == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    warp_.sync();
#endif
  }

  /// After the last copy.
  __device__ void end() {
#if FLOE_BULK_COPIES
    warp_.sync();
    if (warp_.lane() == 0) {
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier_) : "memory");
    }
#endif
  }

  /// Starts to copy into shared memory, which the warp no longer uses. `to` is a multiple of 16.
  __device__ void start_load(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
#if FLOE_BULK_COPIES
    bulk_ = bytes % 16 == 0 && is_aligned(from);
    if (bulk_) {
      fence_async();
      warp_.sync();
      if (warp_.lane() == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_), "r"(bytes)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
            "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier_)
            : "memory");
      }
      return;
    }
#endif
    warp_.sync();
    if (is_aligned(from)) {
#pragma unroll 8
      for (std::uint32_t i = 16 * warp_.lane(); i + 16 <= bytes; i += 16 * warp_lanes)
        *reinterpret_cast<uint4*>(to + i) = __ldcs(reinterpret_cast<const uint4*>(from + i));
      for (std::uint32_t i = bytes / 16 * 16 + warp_.lane(); i < bytes; i += warp_lanes) to[i] = from[i];
    } else {
#pragma unroll 8
      for (std::uint32_t i = warp_.lane(); i < bytes; i += warp_lanes) to[i] = from[i];
    }
  }

  /// Asks for bytes that another warp will load soon to be brought into the L2 cache.
  __device__ void prefetch(const std::uint8_t* from, std::uint32_t bytes) {
#if FLOE_BULK_COPIES
    if (warp_.lane() == 0 && is_aligned(from))
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
                   "r"(bytes / 16 * 16)
                   : "memory");
#endif
  }

  /// Waits until all lanes see what start_load copies.
  __device__ void finish_load() {
#if FLOE_BULK_COPIES
    if (bulk_) {
      std::uint32_t done = 0;
      while (done == 0) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(barrier_), "r"(phase_)
            : "memory");
      }
      phase_ ^= 1;
    }
#endif
    warp_.sync();
  }

  /// Starts to copy what all lanes wrote to shared memory. Addresses and `bytes` are multiples of 16.
  __device__ void start_store(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
#if FLOE_BULK_COPIES
    fence_async();
    warp_.sync();
    if (warp_.lane() == 0) {
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
          "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from))), "r"(bytes)
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
#else
    warp_.sync();
#pragma unroll 8
    for (std::uint32_t i = 16 * warp_.lane(); i < bytes; i += 16 * warp_lanes)
      __stcs(reinterpret_cast<uint4*>(to + i), *reinterpret_cast<const uint4*>(from + i));
#endif
  }

  /// Lets another warp, for which this one then waits, store what this lane wrote to shared memory.
  __device__ void publish() {
#if FLOE_BULK_COPIES
    fence_async();
#endif
  }

  /// Waits until what start_store copies may be overwritten.
  __device__ void finish_store() {
#if FLOE_BULK_COPIES
    if (warp_.lane() == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    warp_.sync();
  }

 private:
#if FLOE_BULK_COPIES
  /// Orders what this lane did to shared memory before what the copy engine does to it.
  static __device__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

  std::uint32_t barrier_ = 0;
  std::uint32_t phase_ = 0;
  bool bulk_ = false;
#endif
  DeviceWarp warp_;
};

}  // namespace floe::gpu
