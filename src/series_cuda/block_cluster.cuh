// How do the blocks of a cluster tell each other something? Each sends it into the shared memory of others, which count what arrives. From
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
/// Counts the bytes that arrive with it, round by round.
struct Arrivals {
  std::uint64_t state;

  /// `threads` of them say in each round that they have arrived, besides the bytes.
  __device__ void begin(std::uint32_t threads) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)), "r"(threads) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state)) : "memory"); }
  /// Arrives, and says how many bytes do in that round. By one thread of the block.
  __device__ void expect(std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state)), "r"(bytes) : "memory");
  }
  /// Waits for the end of a round, of which the lowest bit of its number is known.
  __device__ void wait(std::uint32_t round) {
    asm volatile("{\n .reg .pred done;\nagain:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra again;\n}" ::"r"(
                     shared_address(&state)),
                 "r"(round & 1)
                 : "memory");
  }
  /// Whether that round has ended.
  __device__ bool have_come(std::uint32_t round) {
    std::uint32_t done;
    asm volatile("{\n .reg .pred done;\n mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n selp.u32 %0, 1, 0, done;\n}"
                 : "=r"(done)
                 : "r"(shared_address(&state)), "r"(round & 1)
                 : "memory");
    return done != 0;
  }
};

/// Stores something in the shared memory of a block, with which it arrives.
__device__ inline void send(std::uint32_t to, std::uint64_t a, std::uint64_t b, std::uint32_t arrivals) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(a), "l"(b), "r"(arrivals)
               : "memory");
}
__device__ inline void send(std::uint32_t to, std::uint32_t a, std::uint32_t arrivals) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(a), "r"(arrivals) : "memory");
}
#endif

}  // namespace floe::series_cuda::cluster
