// How do the blocks of a cluster tell each other something? Each writes into the shared memory of others, and counts arrivals there. From
// compute capability 9.0 on.
#pragma once

#include <cstdint>

namespace floe::series_cuda::cluster {

#if __CUDA_ARCH__ >= 900
__device__ inline std::uint32_t shared_address(const void* of) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(of)); }

__device__ inline std::uint32_t rank() {
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline std::uint32_t blocks() {
  std::uint32_t count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}
/// All threads of all blocks meet.
__device__ inline void sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Where something of this block lies in the block `rank`.
__device__ inline std::uint32_t address_in(const void* own, std::uint32_t rank) {
  std::uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(own)), "r"(rank));
  return address;
}
__device__ inline void store(std::uint32_t to, std::uint64_t a, std::uint64_t b) {
  asm volatile("st.shared::cluster.v2.b64 [%0], {%1, %2};" ::"r"(to), "l"(a), "l"(b) : "memory");
}
__device__ inline void store(std::uint32_t to, std::uint32_t a) {
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(to), "r"(a) : "memory");
}

/// Counts arrivals in rounds of `count`.
struct Arrivals {
  std::uint64_t state;

  __device__ void begin(std::uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// What this thread has written before is there for whoever has waited.
  static __device__ void arrive(std::uint32_t address) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
  }
  /// Waits for the end of a round, of which the lowest bit of its number is known.
  __device__ void wait(std::uint32_t round) {
    asm volatile(
        "{\n .reg .pred done;\nagain:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n @!done bra again;\n}" ::
            "r"(shared_address(&state)),
        "r"(round & 1)
        : "memory");
  }
};
#endif

}  // namespace floe::series_cuda::cluster
